import { type MaybePromise, within } from '../awaitable.js'
import { checkCallOptions } from '../config/check-call-options.js'
import type { Config } from '../config/config.js'
import type { ConfigSource } from '../config/options.js'
import { comesWithBearer } from '../context/bearer-request.js'
import { AuthError, RequestRefused, withoutDetails } from '../errors.js'
import { NodeRequestContext, OpenConnectionContext } from '../http/request-context.js'
import { completeLogger, type Log } from '../logger.js'
import type { CurrentReading } from '../sessions/current-session.js'
import { readingForScope, scopeShape } from '../sessions/scope.js'
import type { CurrentSession } from '../sessions/session.js'
import { object } from '../shapes/object-shape.js'
import { listOf, type Shape, seconds } from '../shapes/shape.js'
import { isAbsoluteUrl } from '../shapes/urls.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest } from './middleware.js'
import { requireOrigin } from './public-origin.js'

/** Which pages may open a connection, and how often its session is checked. */
export interface UpgradeOptions {
  /**
   * Further origins whose pages may open the connection: `https://admin.example`. Pages of the public origin always may.
   */
  origins?: readonly string[]
  /** Seconds between two checks whether the session still exists: 30 by default. */
  checkEvery?: number
  /** As {@link SessionRules.scope}. Without it, the connection is refused to a token with a scope. */
  scope?: string
}

/** A connection that may be opened. */
export interface AcceptedUpgrade {
  /** Switching Protocols (RFC 9110 §15.2.2). */
  readonly status: 101
  readonly session: CurrentSession
  /**
   * Aborted when the session has ended, or when a fault prevents a check. Close the connection then. The session is
   * checked until the socket of the request closes.
   */
  readonly signal: AbortSignal
}

/** A connection that must not be opened. */
export interface RefusedUpgrade {
  /**
   * 401: nobody is signed in. 403: no accepted page asks, the token of the request is not for this, or the request asks
   * for no upgrade. 503: a fault, which is in the log.
   */
  readonly status: 401 | 403 | 503
  readonly session: null
}

const CALL = 'upgradeSession(req, config, options)'

/** An origin as browsers write it in the header `Origin` (RFC 6454 §6.1). */
const webOrigin: Shape<string> = {
  expected: 'an origin such as https://app.example, without a path',
  fits: (value) =>
    typeof value === 'string' && /^https?:/.test(value) && isAbsoluteUrl(value) && new URL(value).origin === value,
}

const OPTIONS = object<UpgradeOptions>({
  origins: listOf(webOrigin, 'origins'),
  checkEvery: seconds(1, { most: 24 * 60 * 60 }),
  scope: scopeShape,
})

const CHECK_EVERY = 30

/**
 * The session of a request that asks for a WebSocket, for `server.on('upgrade')`, `ws` and Socket.IO. Browsers let the
 * pages of every site open a WebSocket with the cookies of the visitor. So the header `Origin`, which every browser sends
 * with it (RFC 6455 §4.1), must name an accepted origin. With a bearer token it need not: pages cannot set the header
 * `Authorization` of a WebSocket, and scripts and mobile apps have no origin.
 *
 * It does not reject for anything that the other side sends, nor for a fault: an error in a handler of `upgrade` would end
 * the process.
 *
 * @throws {InvalidConfiguration} when an option is unknown or of a wrong type
 */
export async function upgradeSession(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  options: UpgradeOptions = {},
): Promise<AcceptedUpgrade | RefusedUpgrade> {
  checkCallOptions(options, OPTIONS, CALL)
  const { origins = [], checkEvery = CHECK_EVERY, scope } = options
  let logger: Log | undefined
  // Without a listener, an error of the socket would end the process while the session is read.
  req.socket.on('error', ignore)
  try {
    const engine = await engineOf(req, config, CALL)
    logger = engine.config.logger
    const publicOrigin = requireOrigin(req, engine.config)
    const request = new NodeRequestContext(req, publicOrigin)
    const isBearer = comesWithBearer({ config: engine.config, header: (name) => request.header(name) })
    if (!isBearer && !isAccepted(req.headers.origin, [publicOrigin, ...origins])) return refusal(403)
    // The checks stop with the socket. A connection over plain requests, such as long polling, outlives their sockets.
    if (!asksForUpgrade(req)) return refusal(403)
    const forScope = async (reading: MaybePromise<CurrentReading>) => readingForScope(await reading, scope)
    const open = new OpenConnectionContext(req, publicOrigin)
    const readAgain = async () => (await forScope(engine.readSession(open))).session
    const { session, restricted } = await forScope(engine.readSession(request))
    return session === null
      ? refusal(restricted === undefined ? 401 : 403)
      : { status: 101, session, signal: watch(req, session, readAgain, checkEvery, engine.config) }
  } catch (error) {
    logFault(error, req, logger)
    return refusal(503)
  } finally {
    req.socket.off('error', ignore)
  }
}

const isAccepted = (origin: string | undefined, accepted: readonly string[]): boolean =>
  origin !== undefined && accepted.includes(origin)

/** Whether the request asks to change the protocol of its own connection (RFC 9110 §7.8). */
const asksForUpgrade = ({ headers }: MiddlewareRequest): boolean =>
  headers.upgrade !== undefined && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.connection ?? '')

const refusal = (status: RefusedUpgrade['status']): RefusedUpgrade => ({ status, session: null })

const ignore = () => {}

/** Checks the session again and again, until it has ended or the socket closes. */
function watch(
  req: MiddlewareRequest,
  { expires }: CurrentSession,
  read: () => Promise<CurrentSession | null>,
  checkEvery: number,
  { logger, storeTimeout }: Pick<Config, 'logger' | 'storeTimeout'>,
): AbortSignal {
  const controller = new AbortController()
  const { socket } = req
  let timer: NodeJS.Timeout | undefined

  /** The store has its own limit, and a callback of the application has none: a check that never ends would be the last. */
  const readInTime = () => within(read(), (storeTimeout + checkEvery) * 1000, tooSlow, { keepsAlive: false })

  const check = async () => {
    try {
      const session = await readInTime()
      if (socket.destroyed) return
      if (session !== null) return plan(session.expires)
      controller.abort(new RequestRefused(401, 'The session of this connection has ended.'))
    } catch (error) {
      if (socket.destroyed) return
      logFault(error, req, logger)
      controller.abort(new RequestRefused(503, 'The session of this connection could not be checked.'))
    }
    socket.off('close', stop)
  }
  /** At the expiry, if that is earlier. A token still counts for some seconds then. A callback may show no expiry. */
  const plan = (expires: unknown) => {
    const left = (Date.parse(String(expires)) - Date.now()) / 1000
    const latest = left > 0 ? left : left <= 0 ? 1 : checkEvery
    timer = setTimeout(check, Math.min(latest, checkEvery) * 1000).unref()
  }
  const stop = () => clearTimeout(timer)

  socket.once('close', stop)
  plan(expires)
  return controller.signal
}

function logFault(error: unknown, req: MiddlewareRequest, logger: Log = completeLogger(undefined, false)): void {
  // A refusal is about the request: the client has left, for instance.
  if (error instanceof RequestRefused) return
  const fault = error instanceof AuthError ? error : new AuthError(UNREADABLE, { err: withoutDetails(error) })
  logger.error(fault, req)
}

const tooSlow = () => new AuthError('The check of the session of a connection takes too long.')

const UNREADABLE = 'The session of a connection could not be read.'
