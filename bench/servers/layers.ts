import type { RequestListener } from 'node:http'
import express, { type RequestHandler } from 'express'
import type { AuthConfig } from '../../dist/index.js'
import { loadLatchkey, loadMemoryAdapter } from '../harness/latchkey.js'
import { nameOf } from '../harness/people.js'
import { LIFETIME_SECONDS, storedSessions } from '../loop/stored-sessions.js'
import { SECRET } from '../loop/tokens.js'

/** What is served: how many people have stored sessions, which {@link storedSessions} makes of the seed. */
export interface LayersOptions {
  readonly people: number
  readonly seed: string
}

/** Opened tokens that the guard of `/unseen` remembers, so that each is forgotten before it comes again. */
const CACHE_SIZE = 50

/** One more layer of the router at a time, each in an application of its own. */
export async function serve(_origin: string, { people, seed }: LayersOptions): Promise<RequestListener> {
  const { requireAuth } = await loadLatchkey()
  const { memoryAdapter } = await loadMemoryAdapter()
  const adapter = memoryAdapter()
  const sessions = storedSessions(seed)
  for (let person = 0; person < people; person += 1) {
    await adapter.createUser({ ...sessions.user(person), emailVerified: null })
    await adapter.createSession({ ...sessions.row(person, person), authenticatedAt: new Date() })
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
      express().get(path, layer, (_req, res) => {
        res.json({ hello: nameOf(0) })
      }),
    ]),
  )
  return (req, res) => routes.get(req.url ?? '')?.(req, res)
}
