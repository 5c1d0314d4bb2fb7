import type { ConfigSource } from '../../config/options.js'
import { prepareEngine } from './engine-of.js'
import { type MiddlewareRequest, runMiddleware } from './middleware.js'

/** What `cors` of npm does with one request. */
interface CorsAnswer {
  origin: string[]
  credentials: true
}

/** What `cors` of npm takes: it is asked for each request. */
export type CorsDelegate = (req: MiddlewareRequest, done: (error: Error | null, answer?: CorsAnswer) => void) => void

/**
 * Lets the pages of `origins` read the answers of routes of the application, with the cookies of the visitor, as they read
 * those of the mount: `app.use('/api', cors(corsOptions(config)))`, with `cors` of npm. It goes before the guard, because a
 * preflight has no cookies, and because a page shall be able to read that it was refused.
 *
 * CORS says who may read an answer. Whoever sends a request that changes something shows it with {@link verifyCsrfToken}.
 *
 * @throws {AuthError} when a configuration given as an object cannot work
 */
export function corsOptions(config: ConfigSource<MiddlewareRequest>): CorsDelegate {
  const prepared = prepareEngine(config, 'corsOptions(config)')
  return (req, done) => {
    const answer = (sender: string | undefined, isListed: boolean) =>
      // With an empty list and not with `false`, for which `cors` would leave out `Vary: Origin`.
      done(null, { origin: isListed && sender !== undefined ? [sender] : [], credentials: true })
    runMiddleware(
      () => (typeof prepared === 'function' ? prepared(req) : prepared),
      ({ config: { origins } }) => answer(req.headers.origin, origins?.has(req.headers.origin) ?? false),
      (error) => done(error as Error),
    )
  }
}
