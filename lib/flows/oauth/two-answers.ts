import { normalAddress } from '../../providers/mapped-user.js'
import { hasText, isAffirmed, isDenied } from '../../providers/profile-mapping.js'
import type { Profile } from '../../providers/provider.js'

const PERSON = ['name', 'nickname', 'preferred_username', 'email'] as const

/** Whether claims say neither how a person is called nor their address. */
export const isNobody = (claims: Profile): boolean => !PERSON.some((name) => hasText(claims[name]))

/** The claims of an ID token, with what only userinfo has. Whether the address is verified is said where the address is. */
export function joined(claims: Profile, userinfo: Profile): Profile {
  const stated = Object.entries(claims).filter(([name, value]) => name !== 'email_verified' && isStated(value))
  return withoutContradiction({ ...userinfo, ...Object.fromEntries(stated) }, claims)
}

/**
 * An answer of userinfo. Its address does not count as verified if the signed ID token does not agree: if it says no, anything but
 * yes, or has another address. Some servers call every address at userinfo verified, whatever their ID token says.
 */
export function withoutContradiction(userinfo: Profile, claims: Profile): Profile {
  if (isDenied(claims.email_verified)) return { ...userinfo, email_verified: false }
  const isUnclear = isStated(claims.email_verified) && !isAffirmed(claims.email_verified)
  return isUnclear || isOtherAddress(userinfo.email, claims.email) ? { ...userinfo, email_verified: null } : userinfo
}

/** A claim that is null or empty says nothing. */
const isStated = (claim: unknown) => (claim ?? '') !== ''

/** Whether a second address is there, and is not the first one. A value that is no text is another one. */
const isOtherAddress = (email: unknown, other: unknown): boolean =>
  isStated(email) &&
  isStated(other) &&
  (typeof email !== 'string' || typeof other !== 'string' || normalAddress(email) !== normalAddress(other))
