import { createHash, hash } from 'node:crypto'
import type { RequestListener } from 'node:http'
import express, { type RequestHandler } from 'express'
import { type AuthConfig, requireAuth } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import { nameOf, SECRET, userOf } from '../people.js'

/** Tokens that the guard of `/unseen` remembers: fewer than there are people, so that each is forgotten before it comes again. */
const CACHE_SIZE = 50

/** Lifetime of the stored sessions: the guard need not renew a session that is as young as this server. */
const LIFETIME_SECONDS = 60 * 60

/** The session token of a person in the store. */
export const storedToken = (person: number): string => createHash('sha256').update(`session ${person}`).digest('hex')

/** Routes with one layer of the router, each in an application of its own. */
export async function serve(_origin: string, { people }: { readonly people: number }): Promise<RequestListener> {
  const adapter = memoryAdapter()
  const expires = new Date(Date.now() + LIFETIME_SECONDS * 1000)
  for (let person = 0; person < people; person += 1) {
    const image = `https://img.app.example/${person}.png`
    await adapter.createUser({ ...userOf(person), image, emailVerified: null })
    // The form that a store has of a session token: docs/guides/adapters.md.
    const sessionToken = `sha256:${hash('sha256', storedToken(person), 'hex')}`
    await adapter.createSession({ sessionToken, userId: String(person), expires, authenticatedAt: new Date() })
  }
  const config: AuthConfig = { providers: [], secret: SECRET, trustHost: true }
  const routes = new Map(
    Object.entries({
      '/layer': (_req, _res, next) => next(),
      '/headers': (_req, res, next) => {
        res.setHeader('cache-control', 'private, no-cache, no-store')
        res.setHeader('vary', 'Cookie')
        next()
      },
      '/seen': requireAuth(config),
      '/stored': requireAuth({ ...config, adapter, session: { maxAge: LIFETIME_SECONDS } }),
      '/unseen': requireAuth({ ...config, session: { tokenCacheSize: CACHE_SIZE } }),
    } satisfies Record<string, RequestHandler>).map(([path, layer]) => [
      path,
      express().get(path, layer, (_req, res) => void res.json({ hello: nameOf(0) })),
    ]),
  )
  return (req, res) => routes.get(req.url ?? '')?.(req, res)
}
