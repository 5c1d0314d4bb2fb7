import { isPlainObject } from '../shapes/describe-value.js'
import { withoutUndefined } from '../shapes/objects.js'
import type { Profile, TokenSet, User } from './provider.js'

/** Texts that a missing id becomes. All users without an id would have the same one (CVE-2026-82968). */
const NOBODY = /^(?:|null|undefined|NaN|-?Infinity|\[object .*\])$/

/** A character that can be seen. */
const VISIBLE = /[^\s\p{C}]/u

/**
 * The id of a user or an account as text; null for a value that cannot be an id. It is the only rule for ids from providers,
 * applications and stores.
 *
 * @param id a string, or a whole number that JavaScript does not round: several ids would be rounded to one number
 */
export function usableId(id: unknown): string | null {
  switch (typeof id) {
    case 'string':
      return VISIBLE.test(id) && !NOBODY.test(id.trim()) ? id : null
    case 'number':
      return Number.isSafeInteger(id) ? String(id) : null
    case 'bigint':
      return String(id)
    default:
      return null
  }
}

/** The id of an account as text; undefined if the provider gave none. Then the sign-in is refused. */
export const accountId = (id: string | number | null | undefined): string | undefined => usableId(id) ?? undefined

/** A number, or a text that is not blank. */
export const hasText = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')

/** The first claim that can be shown; else the first of a wrong type, which is left out with a warning later. */
export const firstText = (...claims: readonly unknown[]): string | null =>
  (claims.find(hasText) ?? claims.find((claim) => (claim ?? '') !== '') ?? null) as string | null

/** The objects in a list of a profile. */
export const itemsIn = <T extends object>(list: readonly T[] | null | undefined): readonly T[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : []

/** Given name, family name and further parts in one text; null if all of them are missing. */
export const fullName = (...parts: readonly unknown[]): string | null => parts.filter(hasText).join(' ') || null

/**
 * The address of a profile; null if the provider says that the address is not verified. If the provider says nothing, the
 * address is returned, but it does not count as verified: only `verifiedEmail` decides that.
 *
 * @param verified what the provider says: a boolean, `'true'` or `'false'`, or 0 or 1; absent if it says nothing
 */
export const usableEmail = (email: string | null | undefined, verified?: unknown): string | null =>
  isDenied(verified) ? null : email || null

/** Whether `email_verified` or the like says no. */
export const isDenied = (verified: unknown): boolean =>
  verified === false || verified === 0 || (typeof verified === 'string' && /^(?:false|0)$/i.test(verified))

/** Whether `email_verified` says yes; some providers send a text (OIDC-19). */
export const isAffirmed = (verified: unknown): boolean => verified === true || verified === 'true'

/** The address of a profile whose `email_verified` says yes. */
export const verifiedClaim = ({ email, email_verified }: Profile): string | null | undefined =>
  isAffirmed(email_verified) ? email : null

/** Makes a user of the claims of OpenID Connect Core 1.0 §5.1. Without a picture the user has no `image`. */
export const standardClaims = (profile: Profile): User => ({
  id: accountId(profile.sub),
  name: firstText(profile.name, profile.nickname, profile.preferred_username),
  email: usableEmail(profile.email, profile.email_verified),
  ...(profile.picture ? { image: profile.picture } : {}),
})

/** The user of a profile with the claims of OpenID Connect: `sub` (or `id`), `name`, `email`, `picture`. Absent ones are left out. */
export const defaultProfile = (profile: Profile): User =>
  withoutUndefined({
    id: profile.sub ?? profile.id ?? undefined,
    name: firstText(profile.name, profile.nickname, profile.preferred_username) ?? undefined,
    email: profile.email,
    image: profile.picture,
  })

/** The tokens that are stored with an account by default. */
export const defaultAccount = (tokens: TokenSet): TokenSet =>
  withoutUndefined({
    access_token: tokens.access_token,
    id_token: tokens.id_token,
    refresh_token: tokens.refresh_token,
    expires_at: tokens.expires_at,
    scope: tokens.scope,
    token_type: tokens.token_type,
    session_state: tokens.session_state,
  })

/** The name in the `user` field of a response. The field is not signed, so nothing else in it is used (CVE-2020-26254). */
export function userField(text: string | undefined): { user?: { name: unknown } } {
  if (text === undefined) return {}
  try {
    const user: unknown = JSON.parse(text)
    return isPlainObject(user) && isPlainObject(user.name) ? { user: { name: user.name } } : {}
  } catch {
    // A visitor can send anything here. Without readable JSON there is no name.
    return {}
  }
}
