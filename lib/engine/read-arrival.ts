import { type ActionUrls, actionUrls } from '../actions/urls.js'
import type { Config, Scheme } from '../config/config.js'
import { type BodyFields, NO_FIELDS, parseForm, wellFormedPairs } from '../http/body.js'
import { parseCookies, type RequestCookies } from '../http/cookies.js'
import type { Incoming } from '../http/incoming.js'
import { noOrigin } from '../http/origin.js'
import { type RoutePath, readPath } from './routes.js'

/** Where a request arrived. */
export interface Place {
  /** Public origin, without a trailing slash; null when nothing may be believed about it. */
  readonly origin: string | null
  /** Path of the mount, without a trailing slash; empty at the root. */
  readonly basePath: string
}

/** The plain facts of a request; nothing has been judged or done yet. */
export interface Arrival extends RoutePath {
  readonly incoming: Incoming
  /** HEAD counts as GET. */
  readonly method: string
  readonly urls: ActionUrls
  readonly scheme: Scheme
  readonly cookies: RequestCookies
  readonly query: BodyFields
  readonly rawQuery: URLSearchParams
  /** Why the request cannot be served at all, or null. */
  readonly problem: Error | null
}

const NO_ORIGIN = 'http://localhost'

/** Reads what a request says. Synchronous, and never throws: what is wrong is in `problem`, where the one catch-all finds it. */
export function readArrival(incoming: Incoming, { origin, basePath }: Place, config: Config): Arrival {
  const { path, search } = splitTarget(incoming.target)
  const routePath = readPath(path, basePath)
  const isSignIn = routePath.action === 'signin' && incoming.method === 'POST'
  const { query, rawQuery, problem } = readQuery(search, isSignIn)
  return {
    incoming,
    method: incoming.method === 'HEAD' ? 'GET' : incoming.method,
    ...routePath,
    urls: actionUrls(origin ?? NO_ORIGIN, basePath, config.pages),
    scheme: config.schemeFor(origin ?? NO_ORIGIN),
    cookies: parseCookies(incoming.header('cookie')),
    query,
    rawQuery,
    problem: origin === null ? noOrigin(config.origin) : problem,
  }
}

function splitTarget(target: string) {
  const at = target.indexOf('?')
  return at < 0 ? { path: target, search: '' } : { path: target.slice(0, at), search: target.slice(at + 1) }
}

/** A sign-in request may repeat parameters that it passes on to the provider (RFC 8707 §2, `resource`). */
function readQuery(search: string, mayRepeat: boolean): Pick<Arrival, 'query' | 'rawQuery' | 'problem'> {
  if (search === '') return { query: NO_FIELDS, rawQuery: new URLSearchParams(), problem: null }
  try {
    const rawQuery = wellFormedPairs(search)
    const query = mayRepeat ? Object.assign(Object.create(null), Object.fromEntries(rawQuery)) : parseForm(search)
    return { query, rawQuery, problem: null }
  } catch (error) {
    return { query: NO_FIELDS, rawQuery: new URLSearchParams(), problem: error as Error }
  }
}
