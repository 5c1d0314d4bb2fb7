import type { Profile, User } from './provider.js'

/** What becomes of an absent id, or of none, when it is made text; such an id would be everybody's (CVE-2026-82968). */
const NOBODY = /^(?:|null|undefined|NaN|-?Infinity|\[object .*\])$/

/** A character that can be seen. */
const VISIBLE = /[^\s\p{C}]/u

/**
 * The id of a person or an account, as text; null for whatever is no id of one: it would be that of everybody who has none. THE rule for ids that come from
 * providers, applications and stores.
 *
 * @param id a text, or a whole number that JavaScript has exactly: one that was rounded is the id of its neighbours, too
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

/** The id of an account as text; undefined when the provider gave none, so that the sign-in is refused. */
export const accountId = (id: string | number | null | undefined): string | undefined => usableId(id) ?? undefined

/** Given and family name and their like in one text; null when there is none of them. */
export const fullName = (...parts: readonly (string | null | undefined)[]): string | null =>
  parts.filter(Boolean).join(' ') || null

/**
 * The address of a profile: null where the provider says that it is not verified, and as it is where the provider says
 * nothing. It is taken for verified by what `verifiedEmail` says alone, so this never makes an account somebody else's.
 *
 * @param verified what the provider says: a boolean, the text of one, or 0 and 1; absent when it says nothing
 */
export const usableEmail = (email: string | null | undefined, verified?: unknown): string | null =>
  isDenied(verified) ? null : email || null

const isDenied = (verified: unknown) =>
  verified === false || verified === 0 || (typeof verified === 'string' && /^(?:false|0)$/i.test(verified))

/** The address of a profile whose `email_verified` is true, or the text `true`, as some providers write it; anything else says nothing (OIDC-19). */
export const verifiedClaim = ({ email, email_verified }: Profile): string | null | undefined => {
  const verified: unknown = email_verified
  return verified === true || verified === 'true' ? email : null
}

/** The user of the claims of OpenID Connect Core 1.0 §5.1. A picture that is absent is left out. */
export const standardClaims = (profile: Profile): User => ({
  id: accountId(profile.sub),
  name: profile.name ?? profile.nickname ?? profile.preferred_username ?? null,
  email: usableEmail(profile.email, profile.email_verified),
  ...(profile.picture ? { image: profile.picture } : {}),
})
