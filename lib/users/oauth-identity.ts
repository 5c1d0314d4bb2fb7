import { setTimeout } from 'node:timers/promises'
import type { AdapterUser } from '../adapters/adapter.js'
import { AccessDenied } from '../kernel/errors.js'
import type { Account } from '../providers/provider.js'
import { InvitationTaken } from './ask-sign-up.js'
import {
  type Entry,
  type Identity,
  type IdentityKind,
  isAddressTrusted,
  type PrincipalReader,
  type Settlement,
  type SignedInUser,
} from './identity.js'
import { accountToStore } from './link-account.js'
import { addressTaken, notLinked, sessionChanged, signInAgain } from './refusals.js'
import type { BegunSignUp, NewUser } from './sign-up.js'
import { isUser, requireInitiator } from './signed-in-user.js'
import { isSameUser } from './stored-users.js'
import type { UserParts } from './users.js'

/** Milliseconds between the looks at whether a concurrent sign-in, which has just created the user, has linked the account. */
const CONCURRENT_WAITS_MS = [10, 20, 40, 80, 160, 320, 640]

/** The same before a refusal. They are shorter in sum, since the visitor waits for the refusal. */
const REFUSAL_WAITS_MS = [10, 20, 40, 80, 160]

/** A user whose address was confirmed earlier than this cannot have been created by a concurrent sign-in. */
const NEW_USER_MS = 10_000

/** Visitors who come back from an OAuth or OpenID Connect provider. */
export function createOAuthKind({
  users,
  signedInUsers,
  linkAccount,
  confirmation,
  signUps,
  withAddress,
  accountTokens,
  now,
}: UserParts): IdentityKind {
  const find = async ({ account, initiator, linkSessionDigest = null }: Identity, isOwnerNeeded: boolean) => {
    const isLink = linkSessionDigest !== null
    const mayAdd = !isLink && isUser(initiator)
    const owner = isOwnerNeeded || mayAdd ? await users.byAccount(account) : null
    return { owner, isAddition: isLink || (mayAdd && owner === null) }
  }

  const settle = async ({ identity, owner: found }: Entry, readPrincipal: PrincipalReader): Promise<Settlement> => {
    // A transaction without an initiator adds nothing to anybody, so the session is not read for it.
    const signedIn = isUser(identity.initiator) ? await initiatorOf(identity, readPrincipal) : null
    // Functions of the application may have run while the session was read.
    const owner = (signedIn === null ? found : null) ?? (await users.byAccount(identity.account))
    if (owner === null && signedIn === null) return settleUnknown(identity)
    const decision = decideLink(factsOf(identity, owner, signedIn))
    if (decision === 'sign-in' || decision === 'already-linked') {
      const user = owner && (await confirmation.byProvider(owner, identity))
      await keepTokens(identity)
      return { user, isNewUser: false }
    }
    // It was theirs a moment ago.
    throw owner === null ? sessionChanged(identity.account) : notLinked(identity.account)
  }

  const add = async (identity: Identity, readPrincipal: PrincipalReader): Promise<Settlement> => {
    const signedIn = await initiatorOf(identity, readPrincipal)
    const { user } = signedIn
    switch (decideLink(factsOf(identity, await users.byAccount(identity.account), signedIn))) {
      case 'already-linked':
        // No address is confirmed by it: that could end the sessions of the user.
        await keepTokens(identity)
        return { user, isNewUser: false }
      case 'link-to-session': {
        await users.requireRoom(user)
        const isStillAllowed = () => signedInUsers.mayKeepAdded(signedIn, readPrincipal)
        const owner = await linkAccount({ identity, account: accountToStore(identity), user, isStillAllowed })
        if (!isSameUser(owner, user)) throw notLinked(identity.account)
        return { user, isNewUser: false, added: 'account' }
      }
      case 'ask-again':
        throw signInAgain(identity.account)
      default:
        throw notLinked(identity.account)
    }
  }

  const initiatorOf = async (identity: Identity, readPrincipal: PrincipalReader): Promise<SignedInUser> =>
    requireInitiator(identity, await signedInUsers.read(readPrincipal))

  /** The provider has just given new tokens, and may have ended the stored ones. */
  const keepTokens = async (identity: Identity): Promise<void> =>
    accountTokens?.noteSignIn(identity.account, () => accountToStore(identity), identity.source)

  /** Nobody is signed in, and no user has the account: it depends on the address. */
  const settleUnknown = async (identity: Identity): Promise<Settlement> => {
    const proceed = await withAddress(identity.user.email, () => startByAddress(identity))
    return proceed()
  }

  /** What needs the lock of the address, also to ask `signUp`. Gives the rest, which calls event handlers, and waits for others. */
  const startByAddress = async (identity: Identity): Promise<() => Promise<Settlement>> => {
    const { email } = identity.user
    const userByEmail = email ? await users.byEmail(email) : null
    const taken = userByEmail?.emailVerified ? 'confirmed' : 'unconfirmed'
    const decision = decideLink({ ...factsOf(identity, null, null), email: userByEmail === null ? 'free' : taken })
    if (decision === 'link-by-email') return () => linkByEmail(identity, userByEmail)
    if (decision !== 'create') return () => refuse(identity, userByEmail)
    // First, so that no user is created when account() of the provider throws.
    const newUser = newUserOf(identity)
    try {
      const begun = await signUps.begin(identity, newUser)
      return () => completeSignUp(begun)
    } catch (error) {
      return () => signInAsConcurrent(identity.account, error)
    }
  }

  const linkByEmail = async (identity: Identity, user: AdapterUser | null): Promise<Settlement> => {
    if (!user) throw notLinked(identity.account)
    users.requireEnabled(user)
    const account = accountToStore(identity)
    const owner = await linkAccount({ identity, account, user, isStillAllowed: async () => true })
    return { user: owner, isNewUser: false, ...(isSameUser(owner, user) && { added: 'account' as const }) }
  }

  const newUserOf = (identity: Identity): NewUser => {
    const email = identity.user.email ?? null
    const emailVerified = email !== null && isAddressTrusted(identity) ? new Date(now()) : null
    const fields = { ...identity.user, email, emailVerified } as unknown as AdapterUser
    return { fields, account: accountToStore(identity) }
  }

  /** The user could not be created. If a concurrent first sign-in has done it, its user signs in. */
  const signInAsConcurrent = async (account: Account, error: unknown): Promise<Settlement> => {
    // Whoever may not become a user has no other sign-up to wait for, unless it has the invitation.
    const isRefused = error instanceof AccessDenied && !(error instanceof InvitationTaken)
    const concurrent = await waitForOwner(account, isRefused ? [] : CONCURRENT_WAITS_MS)
    if (!concurrent) throw error
    return { user: concurrent, isNewUser: false }
  }

  /** Links the account to the new user, unless a concurrent sign-in was faster: then its user signs in. */
  const completeSignUp = async ({ created, complete }: BegunSignUp): Promise<Settlement> => {
    const owner = await complete()
    return { user: owner, isNewUser: isSameUser(owner, created) }
  }

  /**
   * Refuses, unless the user with the address was created by a sign-up of this account. That sign-up may have broken off, and is
   * finished here; or it is a concurrent sign-up that is about to link the account.
   */
  const refuse = async (identity: Identity, userByEmail: AdapterUser | null): Promise<Settlement> => {
    const resumed = userByEmail && (await signUps.resume(identity, userByEmail))
    if (resumed) return { user: resumed, isNewUser: true }
    const { emailVerified } = userByEmail ?? {}
    const confirmedAt = emailVerified ? new Date(emailVerified).getTime() : Number.POSITIVE_INFINITY
    const mayBeNew = userByEmail !== null && confirmedAt > now() - NEW_USER_MS
    const concurrent = mayBeNew ? await waitForOwner(identity.account, REFUSAL_WAITS_MS) : null
    if (concurrent) return { user: concurrent, isNewUser: false }
    const { account, source } = identity
    throw addressTaken(identity, userByEmail, await users.hasAccountAt(userByEmail, account.provider, source))
  }

  /** Waits for a concurrent sign-in, perhaps in another process, to link the account. Null when none does. */
  const waitForOwner = async (account: Account, waits: readonly number[]): Promise<AdapterUser | null> => {
    for (const wait of [0, ...waits]) {
      if (wait > 0) await setTimeout(wait)
      const owner = await users.byAccount(account)
      if (owner) return owner
    }
    return null
  }

  return { find, settle, add }
}

/** The facts of the policy, for an address that nobody has. */
const factsOf = (identity: Identity, owner: AdapterUser | null, signedIn: SignedInUser | null): LinkFacts => ({
  account: owner === null ? 'unknown' : signedIn && isSameUser(owner, signedIn.user) ? 'mine' : 'of another',
  signedIn: signedIn === null ? 'no' : signedIn.mayAdd ? 'recently' : 'not recently',
  email: 'free',
  emailTrusted: isAddressTrusted(identity),
})

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
