import type { Adapter, AdapterAccount, AdapterAuthenticator, AdapterUser, SignUp } from '../adapters/adapter.js'
import { signUpMethod } from '../adapters/sign-up.js'
import { AdapterError } from '../errors.js'
import type { Account } from '../providers/provider.js'
import type { Claim } from './claim.js'
import { accountToStore, type Directory, isSame, notLinked, type ResolverSettings } from './directory.js'
import { createSignUpMarks } from './sign-up-marks.js'
import { createWaysIn } from './ways-in.js'

/** A passkey that somebody signs up with. */
type FirstPasskey = Omit<AdapterAuthenticator, 'userId'>

/** A user that is to be made, with what they are to have. */
export interface NewUser {
  readonly fields: AdapterUser
  readonly account: Account
  readonly passkey?: FirstPasskey
}

/** Makes users who have an account from the beginning. */
export interface SignUps {
  /** Whether the adapter stores all of a sign-up at once. Where it does not, {@link begin} makes the user alone, and the time of a confirmation is to be a whole second. */
  isWhole(): boolean
  /** The first half, after which the user is there. What it throws is the store's. */
  begin(claim: Claim, signUp: NewUser): Promise<AdapterUser>
  /**
   * The second half: the account is linked where it is not yet, it is asked whether nobody came in as the user meanwhile, and the events are told. Gives
   * whose the account is: another user when a parallel sign-in was quicker. Then, and when it fails, the user is removed again.
   *
   * @throws {OAuthAccountNotLinked} when somebody came in as the user; {@link AccountNotLinked} for a passkey
   */
  complete(claim: Claim, made: AdapterUser, signUp: NewUser): Promise<AdapterUser>
  /**
   * Finishes a sign-up of the same account that broke off between the halves. Gives its user; null when the user with the address is not one whom
   * that sign-up made and left alone.
   */
  resume(claim: Claim, namesake: AdapterUser): Promise<AdapterUser | null>
}

/** Adapters that have turned out to be unable to store a sign-up at once, as over a driver without transactions. */
const inSteps = new WeakSet<Adapter>()

/** The sign-ups over an adapter. */
export function createSignUps(directory: Directory, settings: ResolverSettings): SignUps {
  const { adapter, tell } = settings
  // Asked each time: an application may put a method of its own in the place of one at any time.
  const isWhole = () => !inSteps.has(adapter) && signUpMethod(adapter) !== null
  const marks = createSignUpMarks(settings)
  const ways = createWaysIn(settings)

  const markOf = ({ account }: Pick<Claim, 'account'>, { id, emailVerified }: AdapterUser, email: string | null) => ({
    account,
    user: { id, emailVerified, email: email ?? '' },
  })

  /** The mark comes before the user, so that a process that dies at any moment leaves no user without it. */
  const createUserAlone = async (claim: Claim, fields: AdapterUser): Promise<AdapterUser> => {
    await marks.leave(markOf(claim, fields, fields.email))
    const made = await directory.users.createUser(fields)
    // A store may choose the ids itself.
    if (!isSame(made, fields)) await marks.leave(markOf(claim, { ...fields, id: made.id }, fields.email))
    return made
  }

  const linkTo = async (claim: Claim, user: AdapterUser, account: Account): Promise<AdapterUser> => {
    let isTold = false
    const owner = await directory.link(claim, user, account, async () => {
      isTold = true
      await tell.createUser(user)
      return directory.isStillNew(user)
    })
    // It was linked although the store said that it failed.
    if (!isTold && isSame(owner, user)) await tell.createUser(user)
    return owner
  }

  const completeSteps = async (claim: Claim, made: AdapterUser, { account, fields }: NewUser): Promise<AdapterUser> => {
    let owner: AdapterUser | undefined
    try {
      owner = await linkTo(claim, made, account)
    } finally {
      // A user without the account could never sign in, and would keep the address from whoever tries again.
      if (!owner || !isSame(owner, made)) await directory.removeUser(made)
    }
    if (isSame(owner, made)) await marks.take(markOf(claim, { ...fields, id: made.id }, fields.email))
    return owner
  }

  const completeWhole = async (
    claim: Claim,
    made: AdapterUser,
    { account, passkey }: NewUser,
  ): Promise<AdapterUser> => {
    await tell.createUser(made)
    try {
      if (!(await directory.isStillNew(made))) throw notLinked(claim.account)
    } catch (error) {
      await directory.removeSignUp(made, account, passkey?.credentialID ?? null)
      throw error
    }
    await tell.linkAccount(made, account, claim.user)
    return made
  }

  return {
    isWhole,

    async begin(claim, { fields, account, passkey }) {
      if (!isWhole()) return createUserAlone(claim, fields)
      const signUp = { user: fields, account: account as AdapterAccount, ...(passkey && { authenticator: passkey }) }
      try {
        return await directory.users.createUserWithAccount(signUp satisfies SignUp)
      } catch (error) {
        if (!(error instanceof AdapterError && error.cause?.['unsupported'] === true)) throw error
        inSteps.add(adapter)
        return createUserAlone(claim, fields)
      }
    },

    complete: (claim, made, signUp) => (isWhole() ? completeWhole : completeSteps)(claim, made, signUp),

    async resume(claim, namesake) {
      if (isWhole()) return null
      const mark = markOf(claim, namesake, claim.user.email ?? null)
      const expires = await marks.take(mark)
      if (!expires || (await ways.mayBeThere(namesake))) return null
      // It breaks off no better than the first time.
      await marks.leave(mark, expires)
      const owner = await linkTo(claim, namesake, accountToStore(claim))
      await marks.take(mark)
      return owner
    },
  }
}
