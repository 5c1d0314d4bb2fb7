import type { Profile, User } from './provider-object.js'

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

/** The name in the `user` field of a response. The field is not signed, so nothing else in it is used (CVE-2020-26254). */
export function userField(text = ''): { user?: { name: object } } {
  try {
    const { name } = Object(JSON.parse(text)) as { readonly name?: unknown }
    return typeof name === 'object' && name !== null ? { user: { name } } : {}
  } catch {
    // A visitor can send anything here. Without readable JSON there is no name.
    return {}
  }
}

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
