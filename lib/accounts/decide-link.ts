/** What is known when somebody comes back from a provider. */
export interface LinkFacts {
  /** Whose the provider's account is here: nobody's yet, the signed-in user's, or another user's. */
  readonly account: 'unknown' | 'mine' | 'of another'
  /** Whether somebody is signed in in this browser, and proved who they are recently enough to add a way to sign in. */
  readonly signedIn: 'no' | 'long ago' | 'of late'
  /** Whether a user has the e-mail address of the profile, and whether it was ever confirmed that it is theirs. */
  readonly email: 'free' | 'unconfirmed' | 'confirmed'
  /** Whether the application links by this provider's addresses, and the provider says that it has verified this one. */
  readonly emailTrusted: boolean
}

/** What is done about it. */
export type LinkDecision =
  /** The account's user signs in. */
  | 'sign-in'
  /** The account is linked to the signed-in user. */
  | 'link-to-session'
  /** Nothing is linked until the signed-in user has signed in again: the browser may be in other hands by now. */
  | 'ask-again'
  /** The account is linked to the user with the same address. */
  | 'link-by-email'
  /** A user is made, and the account linked to it. */
  | 'create'
  /** Nobody signs in: it would give one person's account to another. */
  | 'refuse'

/** THE linking policy, total and pure. */
export function decideLink({ account, signedIn, email, emailTrusted }: LinkFacts): LinkDecision {
  if (account === 'of another') return signedIn === 'no' ? 'sign-in' : 'refuse'
  if (account === 'mine') return 'sign-in'
  if (signedIn !== 'no') return signedIn === 'of late' ? 'link-to-session' : 'ask-again'
  if (email === 'free') return 'create'
  // Both sides must have verified the address: whoever took it first, unconfirmed, would have the other's account (CVE-2026-53516).
  return email === 'confirmed' && emailTrusted ? 'link-by-email' : 'refuse'
}
