import { checkCallOptions } from '../config/check-call-options.js'
import type { Engine } from '../engine/engine.js'
import { RequestRefused } from '../errors.js'
import type { RequestContext } from '../http/request-context.js'
import type { CurrentReading } from '../sessions/current-session.js'
import type { ListedSession, SessionRevocation } from '../sessions/listed-session.js'
import { requireRecent } from '../sessions/recent-auth.js'
import { object } from '../shapes/object-shape.js'
import { seconds } from '../shapes/shape.js'

/** A request whose visitor asks for what is theirs: sessions, or tokens at a provider. */
export interface OwnRequest {
  readonly engine: Engine
  readonly context: RequestContext
  /** Reads the session of the request. */
  read(): Promise<CurrentReading> | CurrentReading
}

/** @throws {RequestRefused} 401, always: "signed out" must not look like having nothing */
export function refuseSignedOut(): never {
  throw new RequestRefused(401, 'Sign in first.')
}

/** What must be true of a visitor who ends sessions. */
export interface RevocationOptions {
  /**
   * Seconds since the visitor last proved who they are, at most; `session.recentAuthAge` by default, also where it is
   * undefined: a quarter of an hour. It is not asked about the visitor's own current session. With `Infinity` any time will
   * do: right for a route that has just asked for the password itself.
   */
  readonly maxAuthAge?: number
}

const OPTIONS = object<RevocationOptions>({ maxAuthAge: seconds(1, { orInfinity: true }) })

/** @throws {RequestRefused} 401 if nobody is signed in: "signed out" must not look like "no sessions" */
export async function listOwnSessions({
  engine,
  context,
}: Omit<OwnRequest, 'read'>): Promise<readonly ListedSession[]> {
  return (await engine.listSessions(context)) ?? refuseSignedOut()
}

/**
 * Ends one session of the visitor.
 *
 * @param id as the list has it; the application may hand on what a form brought
 * @throws {RequestRefused} 401 if nobody is signed in
 * @throws {RecentSignInRequired} if they must sign in again first
 * @throws {InvalidConfiguration} if an option is unknown or of a wrong type
 */
export async function revokeOwnSession(
  request: OwnRequest,
  id: unknown,
  options: RevocationOptions,
  call: string,
): Promise<SessionRevocation> {
  checkCallOptions(options, OPTIONS, call)
  const { engine, context } = request
  const reading = await request.read()
  if (reading.session === null) refuseSignedOut()
  if (id !== reading.id) requireRecentReading(engine, reading, options)
  if (typeof id !== 'string') return { isRevoked: false, cookies: [] }
  return (await engine.revokeSession(context, id)) ?? refuseSignedOut()
}

/**
 * Ends all sessions of the visitor but this one. Gives how many.
 *
 * @throws as {@link revokeOwnSession}
 */
export async function revokeOwnOthers(request: OwnRequest, options: RevocationOptions, call: string): Promise<number> {
  checkCallOptions(options, OPTIONS, call)
  const { engine, context } = request
  const reading = await request.read()
  if (reading.session === null) refuseSignedOut()
  requireRecentReading(engine, reading, options)
  return (await engine.revokeOtherSessions(context)) ?? refuseSignedOut()
}

/** A stranger at an open browser must not be able to sign its owner out everywhere. */
function requireRecentReading({ config }: Engine, reading: CurrentReading, { maxAuthAge }: RevocationOptions): void {
  requireRecent(reading, maxAuthAge ?? config.recentAuthAge, config.now, 'to end other sessions of theirs')
}
