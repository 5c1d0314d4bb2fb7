import { type MaybePromise, within } from '../kernel/awaitable.js'
import { comesWithBearer } from '../kernel/bearer-token.js'
import { AuthError, ownError, RequestRefused } from '../kernel/errors.js'
import { completeLogger, type Log, type LogSource } from '../kernel/logger.js'
import type { RequestContext } from '../kernel/request-context.js'
import { listOf, type Shape, seconds } from '../kernel/shape.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import { type CurrentReading, type CurrentSession, readingForScope, scopeShape } from '../sessions/session.js'
import type { Config } from '../sign-in/config.js'

/** Which pages may open a connection, and how often its session is checked. */
export interface UpgradeOptions {
  /**
   * Further origins whose pages may open the connection: `https://admin.example`. Pages of the public origin always may.
   */
  origins?: readonly string[]
  /** Seconds between two checks whether the session still exists: 30 by default. */
  checkEvery?: number
  /** As `scope` of `requireAuth`. Without it, the connection is refused to a token with a scope. */
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

/** An origin as browsers write it in the header `Origin` (RFC 6454 §6.1). */
const originShape: Shape<string> = {
  expected: 'an origin such as https://app.example, without a path',
  fits: (value) =>
    typeof value === 'string' && /^https?:/.test(value) && isAbsoluteUrl(value) && new URL(value).origin === value,
}

/** The shapes of {@link UpgradeOptions}. */
export const UPGRADE_OPTIONS = {
  origins: listOf(originShape, 'origins'),
  checkEvery: seconds(1, { most: 24 * 60 * 60 }),
  scope: scopeShape,
}

const CHECK_EVERY = 30

/** A request that asks for a connection. */
export interface UpgradeRequest {
  readonly config: Config
  readonly context: RequestContext
  /** Reads the session of the request; later, that of the connection, for which the request is old. */
  read(context: RequestContext): MaybePromise<CurrentReading>
  /** The context of the connection. */
  readonly open: RequestContext
  /** Calls a function when the connection closes. */
  onClose(stop: () => void): void
}

/**
 * Judges a request for a connection. Browsers let the pages of every site open a WebSocket with the cookies of the visitor. So
 * the header `Origin`, which every browser sends with it (RFC 6455 §4.1), must name an accepted origin. With a bearer token it
 * need not: pages cannot set the header `Authorization` of a WebSocket, and scripts and mobile apps have no origin.
 *
 * @throws {AuthError} when a fault prevents the reading
 */
export async function judgeUpgrade(
  request: UpgradeRequest,
  { origins = [], checkEvery = CHECK_EVERY, scope }: UpgradeOptions,
): Promise<AcceptedUpgrade | RefusedUpgrade> {
  const { config, context, open, read } = request
  const header = (name: string) => context.header(name)
  if (!comesWithBearer({ config, header }) && !isAccepted(header('origin'), [context.origin, ...origins]))
    return refusal(403)
  // The checks stop with the connection. One over plain requests, such as long polling, outlives their sockets.
  if (!asksForUpgrade(header)) return refusal(403)
  const forScope = async (reading: MaybePromise<CurrentReading>) => readingForScope(await reading, scope)
  const readAgain = async () => (await forScope(read(open))).session
  const { session, restricted } = await forScope(read(context))
  return session === null
    ? refusal(restricted === undefined ? 401 : 403)
    : { status: 101, session, signal: watch(request, session, readAgain, checkEvery) }
}

const isAccepted = (origin: string | undefined, accepted: readonly string[]): boolean =>
  origin !== undefined && accepted.includes(origin)

/** Whether the request asks to change the protocol of its own connection (RFC 9110 §7.8). */
const asksForUpgrade = (header: RequestContext['header']): boolean =>
  header('upgrade') !== undefined && /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(header('connection') ?? '')

const refusal = (status: RefusedUpgrade['status']): RefusedUpgrade => ({ status, session: null })

/** Checks the session again and again, until it has ended or the connection closes. */
function watch(
  { config: { logger, storeTimeout }, context: { source }, onClose }: UpgradeRequest,
  { expires }: CurrentSession,
  read: () => Promise<CurrentSession | null>,
  checkEvery: number,
): AbortSignal {
  const controller = new AbortController()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  /** The store has its own limit, and a callback of the application has none: a check that never ends would be the last. */
  const readInTime = () => within(read(), (storeTimeout + checkEvery) * 1000, tooSlow, { keepsAlive: false })

  const check = async () => {
    try {
      const session = await readInTime()
      if (isClosed) return
      if (session !== null) return plan(session.expires)
      controller.abort(new RequestRefused(401, 'The session of this connection has ended.'))
    } catch (error) {
      if (isClosed) return
      logFault(error, source, logger)
      controller.abort(new RequestRefused(503, 'The session of this connection could not be checked.'))
    }
  }
  /** At the expiry, if that is earlier. A token still counts for some seconds then. A callback may show no expiry. */
  const plan = (expires: unknown) => {
    const left = (Date.parse(String(expires)) - Date.now()) / 1000
    const latest = left > 0 ? left : left <= 0 ? 1 : checkEvery
    timer = setTimeout(check, Math.min(latest, checkEvery) * 1000).unref()
  }

  onClose(() => {
    isClosed = true
    clearTimeout(timer)
  })
  plan(expires)
  return controller.signal
}

/**
 * The answer where a fault prevents the reading, which is logged.
 *
 * @param logger null if the configuration cannot work
 */
export function refusedByFault(error: unknown, source: LogSource | undefined, logger: Log | null): RefusedUpgrade {
  logFault(error, source, logger)
  return refusal(503)
}

function logFault(error: unknown, source: LogSource | undefined, logger: Log | null): void {
  // A refusal is about the request: the client has left, for instance.
  if (error instanceof RequestRefused) return
  ;(logger ?? completeLogger(undefined, false)).error(ownError(error, UNREADABLE), source)
}

const tooSlow = () => new AuthError('The check of the session of a connection takes too long.')

const UNREADABLE = 'The session of a connection could not be read.'
