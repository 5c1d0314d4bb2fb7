import type { AdapterUser } from '../adapters/adapter.js'
import { describeValue, isRecord } from '../kernel/describe-value.js'
import { AccessDenied, AuthError, withoutDetails } from '../kernel/errors.js'
import { randomId } from '../kernel/random.js'
import type { Account, Awaitable, Profile, User } from '../providers/provider.js'

/** What the `signIn` callback is given. */
export interface SignInCallbackParams {
  /** The stored user when the account is known; otherwise the user as the provider or `authorize` describes them. */
  user: User
  account?: Account | null
  /** The provider's own profile; only OAuth and OpenID Connect have one. */
  profile?: Profile
  /**
   * Present with e-mail; `verificationRequest` is true when the link is asked for and absent when it was followed. `replaces` is
   * the present address of a signed-in user, who wants the one of `user` in its place; null if they have none.
   */
  email?: { verificationRequest?: boolean; replaces?: string | null }
  /** What was entered; only credentials have it. */
  credentials?: Record<string, unknown>
}

/** Lets a visitor sign in, and chooses how long this one session lives. */
export interface SignInPermission {
  session: ChosenTimes
}

/**
 * Whether a visitor may sign in: true, or false, or the address to send the visitor to instead. An object with `session`
 * is true as well, and chooses how long the session lives. A callback without a result is no answer, and does not compile.
 */
export type SignInCallback = (params: SignInCallbackParams) => Awaitable<boolean | string | SignInPermission | null>

/**
 * The refusal of a result that says neither yes nor no: a list of rows may be empty, and a Response may be a 404. Who meant to let
 * the visitor in sees it at once; who meant to refuse would never see that everybody came in.
 */
const unclear = (verdict: unknown) =>
  new AccessDenied(
    `The signIn callback gave ${describeValue(verdict)}. It gives true, false, the address to send the visitor to, or an object with \`session\`.`,
    { err: new TypeError('The result of the signIn callback says neither yes nor no.') },
  )

/**
 * Calls the `signIn` callback.
 *
 * @returns true; the address to send the visitor to instead, as the callback gave it; or the lifetime of the session
 * @throws {AccessDenied} when the callback refuses, throws, gives something else, or a lifetime that no session can have; errors of
 *   Latchkey's own classes are thrown unchanged
 */
export async function askSignIn(
  callback: SignInCallback,
  params: SignInCallbackParams,
): Promise<true | string | ChosenTimes> {
  let verdict: Awaited<ReturnType<SignInCallback>>
  try {
    verdict = await callback(params)
  } catch (error) {
    if (error instanceof AuthError) throw error
    const err = withoutDetails(error)
    throw new AccessDenied(err.message, { err })
  }
  if (!verdict) throw new AccessDenied('The signIn callback refused.')
  if (typeof verdict === 'string') return verdict
  const given: unknown = verdict
  if (given !== true && !(isRecord(given) && 'session' in given)) throw unclear(given)
  return chosenTimes(given) ?? true
}

/** Somebody with an address and what they sign in with by it. */
export interface AddressPerson {
  readonly user: AdapterUser
  readonly account: Account
  /** Whether the user is stored. */
  readonly isKnown: boolean
}

/**
 * The user and the account that belong to an address.
 *
 * @param provider id of the provider that mails, or for which a mail is sent
 * @param known the user who has the address; nothing for nobody
 */
export function addressPerson(address: string, provider: string, known: AdapterUser | null | undefined): AddressPerson {
  const user = known ?? { id: randomId(), email: address, emailVerified: null }
  const account = { providerAccountId: address, userId: user.id, type: 'email', provider } as const
  return { user, account, isKnown: Boolean(known) }
}

/**
 * Asks the `signIn` callback whether somebody may be mailed a link or a code. Everything that it throws refuses: there is no
 * sign-in yet that could fail in another way.
 *
 * @param callback null if the application has none
 * @param about `replaces` as in {@link SignInCallbackParams.email}
 * @returns the address to send the visitor to instead, as the callback gave it; null if they may
 * @throws {AccessDenied} when the callback refuses or throws
 */
export async function askForMail(
  callback: SignInCallback | null,
  { user, account }: AddressPerson,
  about: { readonly replaces?: string | null } = {},
): Promise<string | null> {
  if (callback === null) return null
  try {
    const verdict = await askSignIn(callback, { user, account, email: { verificationRequest: true, ...about } })
    return typeof verdict === 'string' ? verdict : null
  } catch (error) {
    if (error instanceof AccessDenied) throw error
    const err = withoutDetails(error)
    throw new AccessDenied(err.message, { err })
  }
}

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
function chosenTimes(verdict: unknown): ChosenTimes | null {
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
