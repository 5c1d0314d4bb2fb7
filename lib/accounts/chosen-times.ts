import { AccessDenied } from '../errors.js'
import { describeValue, isRecord } from '../shapes/describe-value.js'

/** How long one session lives, as the `signIn` callback chooses it. */
export interface ChosenTimes {
  /** Seconds from the last renewal of this session to its expiry, in place of `session.maxAge`. */
  maxAge?: number
  /** Seconds from the sign-in to the expiry of this session. A shorter `session.maxLifetime` counts in place of it. */
  maxLifetime?: number
}

const NAMES = ['maxAge', 'maxLifetime'] as const satisfies readonly (keyof ChosenTimes)[]
/** A longer time was probably meant as milliseconds. */
const A_HUNDRED_YEARS = 100 * 365 * 24 * 60 * 60

/**
 * The lifetime that the result of the `signIn` callback chooses; null if it chooses none.
 *
 * @throws {AccessDenied} for a lifetime that no session can have: the visitor does not get one that the application did
 *   not mean
 */
export function chosenTimes(verdict: unknown): ChosenTimes | null {
  if (!isRecord(verdict) || !('session' in verdict)) return null
  const { session } = verdict
  if (!isRecord(session)) throw refused(`\`session\` is ${describeValue(session)}. Give an object`)
  const given = Object.keys(session).filter((name) => session[name] !== undefined)
  const unknown = given.find((name) => !NAMES.some((known) => known === name))
  if (unknown !== undefined) throw refused(`\`session\` has the unknown member ${JSON.stringify(unknown)}. It may have`)
  if (given.length === 0) throw refused('`session` is empty. Give it at least one of')
  const chosen: ChosenTimes = {}
  for (const name of NAMES) {
    const seconds = session[name]
    if (seconds === undefined) continue
    if (!Number.isSafeInteger(seconds) || (seconds as number) < 1 || (seconds as number) > A_HUNDRED_YEARS) {
      throw refused(
        `\`session.${name}\` is ${describeValue(seconds)}. Give whole seconds, from 1 to a hundred years, in`,
      )
    }
    chosen[name] = seconds as number
  }
  return chosen
}

const refused = (what: string) =>
  new AccessDenied(`In the result of the signIn callback, ${what} \`maxAge\` or \`maxLifetime\`.`, {
    err: new TypeError('The signIn callback chose a lifetime that no session can have.'),
  })
