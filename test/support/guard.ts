import express from 'express'
import { type AuthConfig, expressAuth, type RequireAuthOptions, requireAuth } from '../../lib/index.js'
import { listen, testConfig } from './app.js'
import { type RawRequest, sendRaw } from './raw-http.js'
import type { Visitor } from './visitor.js'

/** What a browser says of itself when a person goes somewhere. */
export const NAVIGATION = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }

/** What a person's browser sends for a link or a form; `fetch` would say that it is a script. */
export async function navigate(visitor: Visitor, path: string, request: RawRequest = {}) {
  const headers = { ...NAVIGATION, cookie: visitor.cookieHeader(), ...request.headers }
  const answer = await sendRaw(visitor.origin, path, { ...request, headers })
  const location = answer.headers.get('location')
  return { ...answer, location: location === undefined ? null : new URL(location, visitor.origin) }
}

/** An app with guarded routes at `/private`, and the addresses for which one of them ran. */
export async function startGuarded(config: AuthConfig, options?: RequireAuthOptions) {
  const ran: string[] = []
  const server = express().set('env', 'test')
  server.use('/auth', expressAuth(testConfig()))
  server.use('/private', requireAuth(config, options), (req, res) => {
    ran.push(req.originalUrl)
    res.send(`Hello ${res.locals['session']?.user?.name}`)
  })
  return { app: await listen(server), ran }
}
