import { isDeepStrictEqual } from 'node:util'
import { type JWT, ownClaims, requireClaims } from '../kernel/claims.js'
import { bigIntAsText, copyOf, withoutUndefined } from '../kernel/objects.js'
import type { Account, Awaitable, Profile, User } from '../providers/provider.js'
import type { FreshUsers } from './fresh-users.js'
import {
  type DecodedSessionToken,
  personDigestOfAccount,
  personDigestOfUser,
  personDigestWithoutId,
  userIdOf,
} from './session-claim.js'
import type { AddedAccount, SessionStart } from './session-manager.js'
import type { ClaimsChange, SessionBeginning, SessionStore } from './session-store.js'
import { ownerOfPersonDigest, ownerOfUser } from './token-session-rows.js'

/** The argument of the `jwt` callback. */
export interface JWTCallbackParams {
  /** On sign-in: `name`, `email`, `picture` and `sub`. Later: all claims of the token. */
  token: JWT
  /** On sign-in: the user. With `trigger: 'refresh'`: the user as it is now, from the adapter or the `refreshUser` callback. */
  user?: User
  /** On sign-in: the account, with the provider's tokens. */
  account?: Account | null
  /** On sign-in with OAuth or OpenID Connect: the provider's profile. */
  profile?: Profile
  /** `refresh` if `session.refreshUser` has read the user again. Then `name`, `email` and `picture` of the token are new. */
  trigger?: 'signIn' | 'signUp' | 'update' | 'refresh'
  /** @deprecated use `trigger === 'signUp'` */
  isNewUser?: boolean
  /** On an update: what the client sent. Not to be trusted more than any other input. */
  // biome-ignore lint/suspicious/noExplicitAny: the client sends what it likes
  session?: any
}

/** Decides what a token holds; null ends the session. */
export type JWTCallback = (params: JWTCallbackParams) => Awaitable<JWT | null>

/** The arguments of the `jwt` callback at a sign-in. */
export function signInParams({ user, account, profile, isNewUser }: SessionStart): JWTCallbackParams {
  const { id, name, email, image } = user
  // JSON has no BigInt, which is how some stores number their users.
  const token = withoutUndefined({ name, email, picture: image, sub: typeof id === 'bigint' ? String(id) : id })
  return withoutUndefined({
    token,
    user,
    account,
    profile,
    isNewUser,
    trigger: isNewUser ? 'signUp' : 'signIn',
  } as const)
}

/**
 * A text that names the person whose session begins. It is made of the id of the user. If no users are stored, the id is new
 * at each sign-in, so it is made of the account.
 */
export function personDigestAtStart({ user, account, isNewUser, isIdMadeUp }: SessionStart): string {
  if (isIdMadeUp) return personDigestWithoutId(account.provider, String(user.email || user.name || ''))
  const { provider, providerAccountId } = account
  return isNewUser === undefined
    ? personDigestOfAccount(provider, providerAccountId)
    : personDigestOfUser(String(user.id))
}

/**
 * Whose session begins, as the list of sessions has it: the user that the token names, which is `session.user.id` for the
 * application. If no users are stored, a sign-in at a provider makes a new id each time. Then it is the account, unless the
 * `jwt` callback has put another id into the token. A visitor without an id has typed their name themselves, so nobody
 * shares a list with them.
 */
export function ownerAtStart({ start, claims }: Pick<SessionBeginning, 'start' | 'claims'>): string {
  const id = userIdOf(claims ?? {}) ?? start.user.id
  const { isNewUser, isIdMadeUp = false, account, user } = start
  const isLasting = isNewUser !== undefined || isIdMadeUp || account.type === 'credentials'
  return isLasting || id !== user.id ? ownerOfUser(String(id)) : ownerOfPersonDigest(personDigestAtStart(start))
}

/** The owner of the sessions of an account where no users are stored. */
export const ownerOfAccount = ({
  provider,
  providerAccountId,
}: Pick<Account, 'provider' | 'providerAccountId'>): string =>
  ownerOfPersonDigest(personDigestOfAccount(provider, providerAccountId))

/**
 * What the `jwt` callback gave; null when nobody is signed in. An object without a claim means nobody, too: otherwise
 * every guard would let its session pass.
 *
 * @throws {TypeError} for a value that is not an object of claims
 */
export function claimsGiven(given: unknown): JWT | null {
  const token = requireClaims(given, 'The jwt callback')
  return token && saysSomething(token) ? token : null
}

/** Whether there is a claim beside those of the token itself. */
const saysSomething = (token: JWT): boolean =>
  Object.entries(token).some(([name, value]) => value !== undefined && value !== null && !OF_THE_TOKEN.has(name))

const OF_THE_TOKEN: ReadonlySet<string> = new Set(['iat', 'exp', 'jti', 'nbf', 'latchkey'])

/** Claims with the name, address and picture that a user has now. A claim for which the user has no value is left out. */
function withUser({ name: _name, email: _email, picture: _picture, ...others }: JWT, user: User): JWT {
  const { name, email, image } = user
  return withoutUndefined({ ...others, name, email, picture: image }) as JWT
}

/**
 * The claims that callbacks decide on, as JSON. Three claims belong to the token itself and one is ours: they are left
 * out.
 */
export const claimText = ({ iat: _iat, exp: _exp, jti: _jti, latchkey: _latchkey, ...claims }: JWT): string =>
  JSON.stringify(claims, bigIntAsText)

/** Whether two texts have different members. The order of the members does not count. */
export const differs = (left: string, right: string) =>
  left !== right && !isDeepStrictEqual(JSON.parse(left), JSON.parse(right))

/** As at a sign-in, with the claims of the session. */
const addedParams = (token: JWT, { user, account, profile }: AddedAccount): JWTCallbackParams =>
  withoutUndefined({ token, user, account, profile, isNewUser: false, trigger: 'signIn' } as const)

const paramsOf = (token: JWT, update: { data: unknown } | undefined): JWTCallbackParams =>
  update ? { token, trigger: 'update', session: update.data } : { token }

/** A session in a token, as far as its claims can change. */
export interface ClaimedSession extends DecodedSessionToken {
  /** The claims before they were brought up to date; absent if that was not done. */
  readonly claimsBefore?: string
  /** Whether the user was read again, and the token should record when. */
  readonly isRefreshed?: boolean
}

/** Who decides which claims the token of a session has, after its beginning. */
interface ClaimSources {
  /** Null if the application has none. */
  readonly jwtCallback: JWTCallback | null
  /** Null if users are not read again. */
  readonly freshUsers: FreshUsers | null
}

/** As {@link SessionStore.updateClaims}. It keeps further members of the session. */
type ClaimsUpdate = <Found extends ClaimedSession>(
  found: Found,
  change: ClaimsChange,
) => Promise<Found | null> | undefined

/**
 * The function that brings the claims of a token up to date: from the user as it is now, if that is due or known, and by the `jwt`
 * callback.
 */
export function createClaimsUpdate({ jwtCallback, freshUsers }: ClaimSources): ClaimsUpdate {
  /** The claims as the callback wants them; null for nobody. */
  const decide = async (claims: JWT, user: User | null, { update, added }: ClaimsChange): Promise<JWT | null> => {
    if (jwtCallback === null) return claims
    const changed = (token: JWT) => (added ? addedParams(token, added) : paramsOf(token, update))
    if (user === null) return claimsGiven(await jwtCallback(changed(claims)))
    const refreshed = claimsGiven(await jwtCallback({ token: claims, user: ownCopy(user), trigger: 'refresh' }))
    return refreshed && (update || added) ? claimsGiven(await jwtCallback(changed(refreshed))) : refreshed
  }

  const update = async <Found extends ClaimedSession>(
    found: Found,
    isDue: boolean,
    change: ClaimsChange,
  ): Promise<Found | null> => {
    const reading = freshUsers !== null && isDue ? await freshUsers.read(found) : null
    if (reading?.user === null) return null
    // Saved before the call: the callback may change its argument in place.
    const before = ownClaims(found.claims)
    const claimsBefore = claimText(before)
    const user = change.user ?? reading?.user ?? null
    const claims = await decide(user === null ? before : withUser(before, user), user, change)
    if (claims === null) return null
    const updated = { ...found, claims, claimsBefore, userId: userIdOf(claims) }
    if (reading === null) return updated
    // A codec that loses the session claim would lose the time as well, and each request would write the token again.
    const isRecorded = freshUsers?.isRecorded === true && found.hasSessionClaim
    const sessionClaim = { ...found.sessionClaim, refreshedAt: reading.readAt }
    return { ...updated, sessionClaim, isRefreshed: isRecorded }
  }

  return (found, change) => {
    const isDue = freshUsers?.isDue(found) === true
    return isDue || jwtCallback !== null || change.user ? update(found, isDue, change) : undefined
  }
}

/** The callback may change its argument, and other requests use the same reading. An entity of a library is not copied. */
const ownCopy = (user: User): User => (copyOf(user) as User | undefined) ?? user
