import type { Engine } from '../engine/engine.js'
import { RequestRefused } from '../errors.js'
import type { RequestContext } from '../http/request-context.js'
import type { CurrentReading } from '../sessions/current-session.js'

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
