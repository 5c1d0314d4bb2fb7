import type { Config } from '../config/config.js'
import { bearerChallenge } from '../context/bearer-request.js'
import type { Verdict } from './guard-decision.js'

/** A request that does not pass, as far as the challenge depends on it. */
interface Challenged {
  readonly config: Config
  readonly scope: string | undefined
  readonly maxAuthAge: number
  header(name: string): string | undefined
}

/**
 * Value of the header `WWW-Authenticate` for a request that does not pass; null if no token would help.
 *
 * @see RFC 6750 §3.1, and RFC 9470 §3 for a sign-in that is too old
 */
export function challengeOf(verdict: Verdict, stopped: Challenged): string | null {
  const { scope, maxAuthAge } = stopped
  if (verdict === 'deny') return bearerChallenge(stopped)
  if (verdict === 'outdated') {
    return bearerChallenge(stopped, `error="insufficient_user_authentication", max_age="${maxAuthAge}"`)
  }
  if (verdict !== 'out-of-scope') return null
  // No scope has a quotation mark or a backslash, so it can stand in quotation marks as it is.
  return bearerChallenge(stopped, `error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`)
}
