/** The facts that the decision needs, when a visitor comes back from a provider. */
export interface LinkFacts {
  /** To which user the provider's account is linked: to none yet, to the signed-in user, or to another user. */
  readonly account: 'unknown' | 'mine' | 'of another'
  /** Whether the initiator is signed in, and has signed in recently enough to add an account. */
  readonly signedIn: 'no' | 'not recently' | 'recently'
  /** Whether a user has the e-mail address of the profile, and whether that user's address was confirmed. */
  readonly email: 'free' | 'unconfirmed' | 'confirmed'
  /** Whether the application links by this provider's addresses, and the provider says that it has verified this address. */
  readonly emailTrusted: boolean
}

/** What the resolver does. */
export type LinkDecision =
  /** The account's user signs in. */
  | 'sign-in'
  /** The signed-in user has the account already. */
  | 'already-linked'
  /** The account is linked to the signed-in user. */
  | 'link-to-session'
  /** The signed-in user must sign in again first: another person may use the browser by now. */
  | 'ask-again'
  /** The account is linked to the user with the same address. */
  | 'link-by-email'
  /** A user is created, and the account linked to it. */
  | 'create'
  /** Nobody signs in: it would give one person's account to another. */
  | 'refuse'

/** THE linking policy, total and pure. */
export function decideLink({ account, signedIn, email, emailTrusted }: LinkFacts): LinkDecision {
  if (account === 'of another') return signedIn === 'no' ? 'sign-in' : 'refuse'
  if (account === 'mine') return 'already-linked'
  if (signedIn !== 'no') return signedIn === 'recently' ? 'link-to-session' : 'ask-again'
  if (email === 'free') return 'create'
  // Both sides must have verified the address. Otherwise an attacker who signed up with it first would get the other person's
  // account (CVE-2026-53516).
  return email === 'confirmed' && emailTrusted ? 'link-by-email' : 'refuse'
}
