/** What is known when somebody comes back from a provider. */
export interface LinkFacts {
  /** Whose the provider's account is here: nobody's yet, the signed-in user's, or another user's. */
  readonly account: 'unknown' | 'mine' | 'of another'
  /** Whether somebody is signed in in this browser. */
  readonly signedIn: boolean
  /** Whether a user has the e-mail address of the profile. */
  readonly emailTaken: boolean
  /** Whether the application trusts this provider's addresses enough to link by them. */
  readonly emailTrusted: boolean
}

/** What is done about it. */
export type LinkDecision =
  /** The account's user signs in. */
  | 'sign-in'
  /** The account is linked to the signed-in user. */
  | 'link-to-session'
  /** The account is linked to the user with the same address. */
  | 'link-by-email'
  /** A user is made, and the account linked to it. */
  | 'create'
  /** Nobody signs in: it would give one person's account to another. */
  | 'refuse'

/** THE linking policy, total and pure. */
export function decideLink({ account, signedIn, emailTaken, emailTrusted }: LinkFacts): LinkDecision {
  if (account === 'of another') return signedIn ? 'refuse' : 'sign-in'
  if (account === 'mine') return 'sign-in'
  if (signedIn) return 'link-to-session'
  if (!emailTaken) return 'create'
  return emailTrusted ? 'link-by-email' : 'refuse'
}
