import { setTimeout } from 'node:timers/promises'
import type { AdapterUser } from '../adapters/adapter.js'
import type { Account } from '../providers/provider.js'
import type { EmailConfirmation } from './confirm-email.js'
import { decideLink, type LinkFacts } from './decide-link.js'
import {
  accountToStore,
  type Directory,
  isSame,
  notLinked,
  type ResolverSettings,
  type SignedInUser,
  signInAgain,
} from './directory.js'
import type { Identity, PrincipalReader, ResolvedUser } from './identity.js'
import { requireSameUser } from './initiator.js'
import type { BegunSignUp, SignUps } from './sign-up.js'

/** How long a sign-in waits for a parallel one that has just made the user and is about to link the account. */
const RACE_WAITS_MS = [10, 20, 40, 80, 160, 320, 640]

/** The same before a refusal. It is shorter, since somebody is waiting for the refusal. */
const REFUSAL_WAITS_MS = [10, 20, 40, 80, 160]

/** A user whose address was confirmed longer ago was not made a moment ago. */
const NEW_USER_MS = 10_000

/** Resolves people who come back from an OAuth or OpenID Connect provider. */
export function createOAuthResolver(
  directory: Directory,
  confirmation: EmailConfirmation,
  signUps: SignUps,
  { now }: Pick<ResolverSettings, 'now'>,
) {
  const resolveOAuth = async (identity: Identity, readPrincipal: PrincipalReader): Promise<ResolvedUser> => {
    // A sign-in that began with nobody signed in adds nothing to anybody, so it need not know who is.
    const isAdding = (identity.initiator ?? null) !== null
    const signedIn = isAdding ? requireSameUser(identity, await directory.signedInUser(readPrincipal)) : null
    const owner = await directory.byAccount(identity.account)
    const { isEmailVerified = false, linksByEmail = false } = identity.linking ?? {}
    const facts: Omit<LinkFacts, 'email'> = {
      account: owner === null ? 'unknown' : signedIn && isSame(owner, signedIn.user) ? 'mine' : 'of another',
      signedIn: signedIn === null ? 'no' : signedIn.isRecent ? 'of late' : 'long ago',
      emailTrusted: linksByEmail && isEmailVerified,
    }
    const { email } = identity.user
    const isUndecided = facts.account === 'unknown' && signedIn === null
    const namesake = isUndecided && email ? await directory.byEmail(email) : null
    const taken = namesake?.emailVerified ? 'confirmed' : 'unconfirmed'
    switch (decideLink({ ...facts, email: namesake === null ? 'free' : taken })) {
      case 'sign-in':
        return directory.resolved(identity, owner && (await confirmation.byProvider(owner, identity)), false)
      case 'link-to-session':
        return linkTo(identity, signedIn, readPrincipal)
      case 'ask-again':
        throw signInAgain(identity.account)
      case 'link-by-email':
        return directory.resolved(
          identity,
          await directory.link(identity, namesake, accountToStore(identity), async () => true),
          false,
        )
      case 'create':
        return create(identity)
      case 'refuse':
        return refuse(identity, namesake)
    }
  }

  const linkTo = async (
    identity: Identity,
    signedIn: SignedInUser | null,
    readPrincipal: PrincipalReader,
  ): Promise<ResolvedUser> => {
    if (!signedIn) throw notLinked(identity.account)
    const { user } = signedIn
    const isStillGood = () => directory.isStillHeld(user, readPrincipal)
    const owner = await directory.link(identity, user, accountToStore(identity), isStillGood)
    if (!isSame(owner, user)) throw notLinked(identity.account)
    return directory.added(identity, signedIn)
  }

  /** Makes the user and links the account. Two first sign-ins at once end with one user: whoever comes second finds the first's. */
  const create = async (identity: Identity): Promise<ResolvedUser> => {
    // Before the user is made, so that one who cannot have the account is not made either.
    const account = accountToStore(identity)
    const email = identity.user.email ?? null
    const emailVerified = email !== null && identity.linking?.isEmailVerified ? new Date(now()) : null
    const fields = { ...identity.user, email, emailVerified } as unknown as AdapterUser
    let begun: BegunSignUp
    try {
      begun = await signUps.begin(identity, { fields, account })
    } catch (error) {
      const first = await appearing(identity.account, RACE_WAITS_MS)
      if (!first) throw error
      return directory.resolved(identity, first, false)
    }
    const owner = await begun.complete()
    return directory.resolved(identity, owner, isSame(owner, begun.made))
  }

  /**
   * Refuses, unless the user with the address was made by a sign-up of this account. That may be one that broke off,
   * and is finished here, or a parallel one that has yet to link it.
   */
  const refuse = async (identity: Identity, namesake: AdapterUser | null): Promise<ResolvedUser> => {
    const resumed = namesake && (await signUps.resume(identity, namesake))
    if (resumed) return directory.resolved(identity, resumed, true)
    const confirmedAt = namesake?.emailVerified ? new Date(namesake.emailVerified).getTime() : Number.POSITIVE_INFINITY
    const mayBeNew = namesake !== null && confirmedAt > now() - NEW_USER_MS
    const first = mayBeNew ? await appearing(identity.account, REFUSAL_WAITS_MS) : null
    if (!first) throw notLinked(identity.account)
    return directory.resolved(identity, first, false)
  }

  /** The owner of an account that a parallel sign-in, perhaps in another process, is about to link; null when none does. */
  const appearing = async (account: Account, waits: readonly number[]): Promise<AdapterUser | null> => {
    for (const wait of [0, ...waits]) {
      if (wait > 0) await setTimeout(wait)
      const user = await directory.byAccount(account)
      if (user) return user
    }
    return null
  }

  return resolveOAuth
}
