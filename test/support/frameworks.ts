import bodyParser from 'body-parser'
import connect from 'connect'
import cookieParser from 'cookie-parser'
import express from 'express'
import express4 from 'express4'
import type { AuthConfig } from '../../lib/index.js'
import { expressAuth, getSession, type MiddlewareRequest } from '../../lib/index.js'
import { listen, type Running } from './app.js'

/** What stands before Latchkey in an app. */
export type Before =
  | 'nothing'
  | 'json, extended urlencoded and cookie-parser'
  | 'json, simple urlencoded and cookie-parser'

export const BEFORE: readonly Before[] = [
  'nothing',
  'json, extended urlencoded and cookie-parser',
  'json, simple urlencoded and cookie-parser',
]

/** How deep the mount is: its path as visitors see it, and how the app says it. */
export type Depth = 'directly' | 'in nested routers' | 'under a parameter'

export const DEPTHS: Readonly<Record<Depth, string>> = {
  directly: '/auth',
  'in nested routers': '/api/v1/auth',
  'under a parameter': '/t/acme/auth',
}

/** An app of one framework, with Latchkey mounted and the session as JSON at `/whoami`. */
export type StartFramework = (config: AuthConfig, before: Before, depth: Depth) => Promise<Running>

const startExpress =
  (framework: typeof express): StartFramework =>
  (config, before, depth) => {
    const app = framework()
    if (before !== 'nothing') {
      const extended = before === 'json, extended urlencoded and cookie-parser'
      app.use(framework.json(), framework.urlencoded({ extended }), cookieParser())
    }
    if (depth === 'directly') app.use('/auth', expressAuth(config))
    if (depth === 'under a parameter') app.use('/t/:tenant/auth', expressAuth(config))
    if (depth === 'in nested routers') {
      const inner = framework.Router().use('/auth', expressAuth(config))
      app.use('/api', framework.Router().use('/v1', inner))
    }
    app.get('/whoami', async (req, res) => void res.json(await getSession(req, config)))
    return listen(app)
  }

const startConnect: StartFramework = (config, before, depth) => {
  const app = connect()
  if (before !== 'nothing') {
    const extended = before === 'json, extended urlencoded and cookie-parser'
    app.use(bodyParser.json())
    app.use(bodyParser.urlencoded({ extended }))
    app.use((req, res, next) => cookieParser()(req as express.Request, res as express.Response, next))
  }
  if (depth === 'in nested routers') {
    const inner = connect().use('/auth', expressAuth(config))
    app.use('/api', connect().use('/v1', inner))
  } else app.use(DEPTHS[depth], expressAuth(config))
  app.use('/whoami', async (req: MiddlewareRequest, res) => res.end(JSON.stringify(await getSession(req, config))))
  return listen(app)
}

export const FRAMEWORKS: Readonly<Record<string, StartFramework>> = {
  'Express 5': startExpress(express),
  'Express 4': startExpress(express4),
  Connect: startConnect,
}
