import type { Adapter, AdapterAccount, AdapterAuthenticator, AdapterUser, SignUp } from '../adapters/adapter.js'
import { isUnsupportedError } from '../adapters/failures.js'
import { signUpMethod } from '../adapters/own-sign-up.js'
import type { Account } from '../providers/provider.js'
import { accountToStore, type Directory, isSame, notLinked, type ResolverSettings } from './directory.js'
import type { Identity } from './identity.js'
import { asMarked, createSignUpMarks, type MarkedSignUp } from './sign-up-marks.js'
import { createWaysIn } from './ways-in.js'

/** A passkey that somebody signs up with. */
type FirstPasskey = Omit<AdapterAuthenticator, 'userId'>

/** A user that is to be made, with what they are to have. */
export interface NewUser {
  readonly fields: AdapterUser
  readonly account: Account
  readonly passkey?: FirstPasskey
}

/** A sign-up whose user is there. */
export interface BegunSignUp {
  /** The user as the store has them. */
  readonly made: AdapterUser
  /**
   * The second half: the account is linked where it is not yet, it is asked whether nobody came in as the user
   * meanwhile, and the events are told. Gives whose the account is: another user when a parallel sign-in was quicker.
   * Then, and when it fails, the user is removed again.
   *
   * @throws {OAuthAccountNotLinked} when somebody came in as the user; {@link AccountNotLinked} for a passkey
   */
  complete(): Promise<AdapterUser>
}

/** Makes users who have an account from the beginning. */
export interface SignUps {
  /** The first half, after which the user is there. What it throws is the store's. */
  begin(identity: Identity, signUp: NewUser): Promise<BegunSignUp>
  /**
   * The same, with all of the sign-up stored at once; null where the adapter cannot do that. Then nothing was stored.
   */
  beginWhole(identity: Identity, signUp: NewUser): Promise<BegunSignUp | null>
  /**
   * Finishes a sign-up of the same account that broke off between the halves. Gives its user; null when the user with the address is not one whom
   * that sign-up made and left alone.
   */
  resume(identity: Identity, namesake: AdapterUser): Promise<AdapterUser | null>
}

/** Adapters that have turned out to be unable to store a sign-up at once, as over a driver without transactions. */
const inSteps = new WeakSet<Adapter>()

/** The sign-ups over an adapter. */
export function createSignUps(directory: Directory, settings: ResolverSettings): SignUps {
  const { adapter, emit } = settings
  // Asked each time: an application may put a method of its own in the place of one at any time.
  const isWhole = () => !inSteps.has(adapter) && signUpMethod(adapter) !== null
  const marks = createSignUpMarks(settings)
  const ways = createWaysIn(settings)

  /** What a mark is of. */
  const markedSignUp = (
    { account }: Identity,
    { id, emailVerified }: AdapterUser,
    email: string | null,
  ): MarkedSignUp => ({
    account,
    user: { id, emailVerified, email: email ?? '' },
  })

  const linkTo = async (identity: Identity, user: AdapterUser, account: Account): Promise<AdapterUser> => {
    let isTold = false
    const owner = await directory.link(identity, user, account, async () => {
      isTold = true
      await emit.createUser(user)
      return directory.isStillNew(user)
    })
    // It was linked although the store said that it failed.
    if (!isTold && isSame(owner, user)) await emit.createUser(user)
    return owner
  }

  /** The mark comes before the user, so that a process that dies at any moment leaves no user without it. */
  const beginInSteps = async (identity: Identity, { fields: given, account }: NewUser): Promise<BegunSignUp> => {
    const fields = asMarked(given)
    const planned = markedSignUp(identity, fields, fields.email)
    await marks.leave(planned)
    const made = await directory.users.createUser(fields)
    const stored = { ...planned, user: { ...planned.user, id: made.id } }
    // A store may choose the ids itself.
    await marks.follow(planned, stored)
    return { made, complete: () => completeSteps(identity, made, account, stored) }
  }

  const completeSteps = async (
    identity: Identity,
    made: AdapterUser,
    account: Account,
    marked: MarkedSignUp,
  ): Promise<AdapterUser> => {
    let owner: AdapterUser | undefined
    try {
      owner = await linkTo(identity, made, account)
    } finally {
      // A user without the account could never sign in, and would keep the address from whoever tries again.
      const isInVain = !owner || !isSame(owner, made)
      // The store may give the id again, to somebody whom the mark is not of.
      if (isInVain && (await directory.removeUser(made))) await marks.take(marked)
    }
    if (isSame(owner, made)) await marks.take(marked)
    return owner
  }

  const beginWhole = async (identity: Identity, signUp: NewUser): Promise<BegunSignUp | null> => {
    if (!isWhole()) return null
    const { fields, account, passkey } = signUp
    const row = { user: fields, account: account as AdapterAccount, ...(passkey && { authenticator: passkey }) }
    try {
      const made = await directory.users.createUserWithAccount(row satisfies SignUp)
      // A passkey comes with no profile: the user is told of as they were made.
      const told = passkey ? { ...identity, user: made } : identity
      return { made, complete: () => completeWhole(told, made, signUp) }
    } catch (error) {
      if (!isUnsupportedError(error)) throw error
      inSteps.add(adapter)
      return null
    }
  }

  const completeWhole = async (
    identity: Identity,
    made: AdapterUser,
    { account, passkey }: NewUser,
  ): Promise<AdapterUser> => {
    await emit.createUser(made)
    try {
      if (!(await directory.isStillNew(made))) throw notLinked(identity.account)
    } catch (error) {
      await directory.removeSignUp(made, account, passkey?.credentialID ?? null)
      throw error
    }
    await emit.linkAccount(made, account, identity.user)
    return made
  }

  return {
    beginWhole,

    begin: async (identity, signUp) => (await beginWhole(identity, signUp)) ?? beginInSteps(identity, signUp),

    async resume(identity, namesake) {
      if (isWhole()) return null
      const marked = markedSignUp(identity, namesake, identity.user.email ?? null)
      const expires = await marks.take(marked)
      if (!expires || (await ways.mayBeThere(namesake))) return null
      // It breaks off no better than the first time.
      await marks.leave(marked, expires)
      const owner = await linkTo(identity, namesake, accountToStore(identity))
      await marks.take(marked)
      return owner
    },
  }
}
