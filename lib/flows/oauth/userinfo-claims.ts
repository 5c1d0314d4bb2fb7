import { mailboxOf } from '../../providers/mapped-user.js'
import { hasText, isAffirmed, isDenied } from '../../providers/profile-mapping.js'
import type { Profile } from '../../providers/provider.js'
import { stated } from './id-token.js'

const PERSON = ['name', 'nickname', 'preferred_username', 'email'] as const

/** Whether claims say neither how a person is called nor their address. */
export const lacksNameAndEmail = (claims: Profile): boolean => !PERSON.some((name) => hasText(claims[name]))

/** The claims of an ID token, with what only userinfo has. `email_verified` is taken from userinfo, because the address is. */
export function mergeClaims(claims: Profile, userinfo: Profile): Profile {
  const own = Object.entries(claims).filter(([name, value]) => name !== 'email_verified' && stated(value) !== undefined)
  return keepVerifiedOnlyIfAgreed({ ...userinfo, ...Object.fromEntries(own) }, claims)
}

/**
 * An answer of userinfo. Its address does not count as verified if the signed ID token does not agree: if it says no, anything but
 * yes, or has another address. Some servers call every address at userinfo verified, whatever their ID token says.
 */
export function keepVerifiedOnlyIfAgreed(userinfo: Profile, claims: Profile): Profile {
  if (isDenied(claims.email_verified)) return { ...userinfo, email_verified: false }
  const isUnclear = stated(claims.email_verified) !== undefined && !isAffirmed(claims.email_verified)
  return isUnclear || isOtherAddress(userinfo.email, claims.email) ? { ...userinfo, email_verified: null } : userinfo
}

/** Whether a second address is there, and is not the first one. A value that is no text is another one. */
const isOtherAddress = (email: unknown, other: unknown): boolean =>
  stated(email) !== undefined &&
  stated(other) !== undefined &&
  (typeof email !== 'string' || typeof other !== 'string' || mailboxOf(email) !== mailboxOf(other))
