import type { Config } from '../config/config.js'
import { wellFormedPairs } from '../http/body.js'
import { parseCookies } from '../http/cookies.js'
import type { Incoming } from '../http/incoming.js'
import { noOrigin } from '../http/origin.js'
import type { MountRequest } from './action-context.js'
import { actionUrls } from './action-urls.js'

/** Where Latchkey serves, as one visitor sees it. */
export interface Mount {
  /** Public origin, without a trailing slash; null when nothing may be believed about it. */
  readonly origin: string | null
  /** Path of the mount, without a trailing slash; empty at the root. */
  readonly basePath: string
}

const NO_ORIGIN = 'http://localhost'

/**
 * Reads what a request to the mount says, without its body. It never throws: what is wrong is in `problem`, so that the
 * answer to it can be made from the request as well.
 */
export function readRequest(incoming: Incoming, { origin: believed, basePath }: Mount, config: Config): MountRequest {
  const { header, client, target } = incoming
  const origin = believed ?? NO_ORIGIN
  const { specs, sessions } = config.schemeFor(origin)
  const at = target.indexOf('?')
  const { query, problem } = readQuery(at < 0 ? '' : target.slice(at + 1))
  return {
    config,
    incoming,
    method: incoming.method === 'HEAD' ? 'GET' : incoming.method,
    path: at < 0 ? target : target.slice(0, at),
    query,
    urls: actionUrls(origin, basePath, config.pages),
    origin,
    mountUrl: origin + basePath,
    specs,
    sessions,
    cookies: parseCookies(header('cookie')),
    header,
    client,
    problem: believed === null ? noOrigin(config.origin) : problem,
  }
}

function readQuery(text: string): Pick<MountRequest, 'query' | 'problem'> {
  if (text === '') return { query: new URLSearchParams(), problem: null }
  try {
    return { query: wellFormedPairs(text), problem: null }
  } catch (error) {
    return { query: new URLSearchParams(), problem: error as Error }
  }
}
