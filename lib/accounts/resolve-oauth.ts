import { setTimeout } from 'node:timers/promises'
import type { AdapterUser } from '../adapters/adapter.js'
import type { Account } from '../providers/provider.js'
import type { Claim, HolderLookup, ResolvedUser } from './claim.js'
import type { EmailConfirmation } from './confirm-email.js'
import { decideLink, type LinkFacts } from './decide-link.js'
import {
  accountToStore,
  type Directory,
  type Holding,
  isSame,
  notLinked,
  type ResolverSettings,
  signInAgain,
} from './directory.js'
import type { BegunSignUp, SignUps } from './sign-up.js'
import { requireSameUser } from './started-by.js'

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
  const resolveOAuth = async (claim: Claim, holder: HolderLookup): Promise<ResolvedUser> => {
    // A sign-in that began with nobody signed in adds nothing to anybody, so it need not know who is.
    const isAdding = (claim.startedBy ?? null) !== null
    const holding = isAdding ? requireSameUser(claim, await directory.holdingOf(holder)) : null
    const owner = await directory.byAccount(claim.account)
    const { isEmailVerified = false, linksByEmail = false } = claim.linking ?? {}
    const facts: Omit<LinkFacts, 'email'> = {
      account: owner === null ? 'unknown' : holding && isSame(owner, holding.user) ? 'mine' : 'of another',
      signedIn: holding === null ? 'no' : holding.isRecent ? 'of late' : 'long ago',
      emailTrusted: linksByEmail && isEmailVerified,
    }
    const { email } = claim.user
    const isUndecided = facts.account === 'unknown' && holding === null
    const namesake = isUndecided && email ? await directory.byEmail(email) : null
    const taken = namesake?.emailVerified ? 'confirmed' : 'unconfirmed'
    switch (decideLink({ ...facts, email: namesake === null ? 'free' : taken })) {
      case 'sign-in':
        return directory.resolved(claim, owner && (await confirmation.byProvider(owner, claim)), false)
      case 'link-to-session':
        return linkTo(claim, holding, holder)
      case 'ask-again':
        throw signInAgain(claim.account)
      case 'link-by-email':
        return directory.resolved(
          claim,
          await directory.link(claim, namesake, accountToStore(claim), async () => true),
          false,
        )
      case 'create':
        return create(claim)
      case 'refuse':
        return refuse(claim, namesake)
    }
  }

  const linkTo = async (claim: Claim, holding: Holding | null, holder: HolderLookup): Promise<ResolvedUser> => {
    if (!holding) throw notLinked(claim.account)
    const { user } = holding
    const isStillGood = () => directory.isStillHeld(user, holder)
    const owner = await directory.link(claim, user, accountToStore(claim), isStillGood)
    if (!isSame(owner, user)) throw notLinked(claim.account)
    return directory.added(claim, holding)
  }

  /** Makes the user and links the account. Two first sign-ins at once end with one user: whoever comes second finds the first's. */
  const create = async (claim: Claim): Promise<ResolvedUser> => {
    // Before the user is made, so that one who cannot have the account is not made either.
    const account = accountToStore(claim)
    const email = claim.user.email ?? null
    const emailVerified = email !== null && claim.linking?.isEmailVerified ? new Date(now()) : null
    const fields = { ...claim.user, email, emailVerified } as unknown as AdapterUser
    let begun: BegunSignUp
    try {
      begun = await signUps.begin(claim, { fields, account })
    } catch (error) {
      const first = await appearing(claim.account, RACE_WAITS_MS)
      if (!first) throw error
      return directory.resolved(claim, first, false)
    }
    const owner = await begun.complete()
    return directory.resolved(claim, owner, isSame(owner, begun.made))
  }

  /**
   * Refuses, unless the user with the address was made by a sign-up of this account. That may be one that broke off,
   * and is finished here, or a parallel one that has yet to link it.
   */
  const refuse = async (claim: Claim, namesake: AdapterUser | null): Promise<ResolvedUser> => {
    const resumed = namesake && (await signUps.resume(claim, namesake))
    if (resumed) return directory.resolved(claim, resumed, true)
    const confirmedAt = namesake?.emailVerified ? new Date(namesake.emailVerified).getTime() : Number.POSITIVE_INFINITY
    const mayBeNew = namesake !== null && confirmedAt > now() - NEW_USER_MS
    const first = mayBeNew ? await appearing(claim.account, REFUSAL_WAITS_MS) : null
    if (!first) throw notLinked(claim.account)
    return directory.resolved(claim, first, false)
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
