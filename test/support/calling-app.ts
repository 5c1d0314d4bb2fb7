import { parseSetCookie } from 'cookie'
import express, { type ErrorRequestHandler, type Express, type Request } from 'express'
import {
  type AuthConfig,
  AuthError,
  authSession,
  expressAuth,
  getSession,
  signInUrl,
  signOut,
  startSignIn,
} from '../../lib/index.js'
import { listen, type Running } from './app.js'
import { sendRaw } from './raw-http.js'
import type { Visitor } from './visitor.js'

/** What a browser says when somebody follows a link in a page of the application. */
export const OWN_LINK = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
/** What it says for a link of another site. */
export const FOREIGN_LINK = { ...OWN_LINK, 'sec-fetch-site': 'cross-site' }
/** What it says when a form of the application's own is sent. */
export const ownForm = (origin: string) => ({ ...OWN_LINK, origin })
export const FOREIGN_FORM = { ...FOREIGN_LINK, origin: 'https://evil.example' }

export interface CallingOptions {
  /** Whether links from anywhere begin a sign-in. */
  readonly fromAnywhere?: boolean
  readonly extend?: (app: Express) => void
}

/** An application that begins sign-ins and signs out in routes of its own: `?to=` is where the visitor goes. */
export function startCallingApp(config: AuthConfig, { fromAnywhere = false, extend }: CallingOptions = {}) {
  const app = express()
  app.use('/auth', expressAuth(config))
  app.use(express.urlencoded())
  extend?.(app)
  const targetOf = (req: Request) => (typeof req.query['to'] === 'string' ? { redirectTo: req.query['to'] } : {})
  app.all('/login', (req, res, next) => void startSignIn(req, res, config, undefined, targetOf(req)).catch(next))
  app.all('/login/:provider', (req, res, next) => {
    const options = { ...targetOf(req), fields: req.body, fromAnywhere }
    startSignIn(req, res, config, req.params.provider, options).catch(next)
  })
  app.all('/logout', (req, res, next) => void signOut(req, res, config, targetOf(req)).catch(next))
  app.all('/logout-quietly', authSession(config), (req, res, next) => {
    const answer = async () => {
      await signOut(req, res, config)
      res.json({ session: await getSession(req, config), locals: res.locals['session'] })
    }
    answer().catch(next)
  })
  app.all('/link', (req, res, next) => {
    signInUrl(req, config, targetOf(req)).then((url) => res.send(url), next)
  })
  const onError: ErrorRequestHandler = (error, _req, res, _next) => {
    const status = typeof error?.status === 'number' ? error.status : 500
    res.status(status).json({ type: error instanceof AuthError ? error.type : String(error), code: error?.code })
  }
  app.use(onError)
  return listen(app) satisfies Promise<Running>
}

/** An answer to a browser, and where it leads. */
export interface Followed {
  readonly status: number
  readonly location: URL | null
  readonly setCookie: readonly string[]
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/**
 * Follows a link as a browser does: `fetch` of Node says in every request that a script sends it. The visitor keeps the
 * cookies.
 */
export async function follow(
  visitor: Visitor,
  target: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<Followed> {
  const cookie = visitor.cookieHeader()
  const all = { ...(cookie !== '' && { cookie }), ...headers }
  const { status, headers: sent, setCookie, body } = await sendRaw(visitor.origin, target, { method, headers: all })
  for (const text of setCookie) {
    const { name, value = '', maxAge, expires } = parseSetCookie(text, { decode: (value) => value })
    if (maxAge === 0 || (expires && expires.getTime() <= Date.now())) visitor.jar.delete(name)
    else visitor.jar.set(name, value)
  }
  const location = sent.get('location')
  const url = location === undefined ? null : new URL(location, visitor.origin)
  return { status, location: url, setCookie, headers: sent, body }
}
