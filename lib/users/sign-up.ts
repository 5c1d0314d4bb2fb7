import type { Adapter, AdapterAccount, AdapterUser, SignUp } from '../adapters/adapter.js'
import { isTimeout, isUnsupportedError } from '../adapters/failures.js'
import { keyedDigest } from '../kernel/digest.js'
import { isFirstTime } from '../kernel/logger.js'
import type { Account } from '../providers/provider.js'
import { askSignUp } from './ask-sign-up.js'
import type { UserDependencies } from './dependencies.js'
import type { Identity, NewPasskey } from './identity.js'
import { accountToStore, type LinkAccount } from './link-account.js'
import { notLinked } from './refusals.js'
import type { Rollback } from './rollback.js'
import { isSameUser, type StoredUsers } from './stored-users.js'
import type { UserAccess } from './user-access.js'

/** A user that is to be created, with the account and perhaps the passkey of the sign-up. */
export interface NewUser {
  readonly fields: AdapterUser
  readonly account: Account
  readonly passkey?: NewPasskey
}

/** A sign-up whose user is created. */
export interface BegunSignUp {
  /** The user as the store has them. */
  readonly created: AdapterUser
  /**
   * The second half: stores the account and the passkey where they are not stored yet, checks that nobody has signed in as the user
   * in the meantime, and emits the events. When that fails, or another sign-in with the account was faster, the user is deleted again.
   *
   * @returns the owner of the account: another user than the created one when a concurrent sign-in was faster
   * @throws {OAuthAccountNotLinked} when another person signed in as the user; {@link AccountNotLinked} for a passkey
   */
  complete(): Promise<AdapterUser>
}

export type SignUps = ReturnType<typeof createSignUps>

/** Adapters that turned out to be unable to store a sign-up at once, for example over a driver without transactions. */
const withoutTransactions = new WeakSet<Adapter>()

/** Creates users who have an account from the beginning. */
export function createSignUps(
  dependencies: UserDependencies & {
    readonly users: StoredUsers
    readonly access: UserAccess
    readonly linkAccount: LinkAccount
    readonly rollback: Rollback
  },
) {
  const { users, access, linkAccount, rollback, store, accountTokens, emit } = dependencies
  // Checked at each call, since an application may replace a method of its adapter at any time.
  const canStoreAtOnce = () => !withoutTransactions.has(store.adapter) && store.has('createUserWithAccount')
  const markers = createSignUpMarkers(dependencies)

  const linkFirstAccount = async (
    identity: Identity,
    user: AdapterUser,
    { account, passkey }: Pick<NewUser, 'account' | 'passkey'>,
  ): Promise<AdapterUser> => {
    let isEmitted = false
    const isStillAllowed = async () => {
      isEmitted = true
      await emit('createUser', { user }, identity.source)
      return users.isStillNew(user)
    }
    const owner = await linkAccount({ identity, account, user, passkey, isStillAllowed })
    if (!isEmitted && isSameUser(owner, user)) await emit('createUser', { user }, identity.source)
    return owner
  }

  /** Null where the adapter cannot store everything at once; nothing is stored then. */
  const beginAtOnce = async (identity: Identity, newUser: NewUser): Promise<BegunSignUp | null> => {
    if (!canStoreAtOnce()) return null
    const { fields, account, passkey } = newUser
    const stored = (await accountTokens?.toStore(account)) ?? account
    const row = { user: fields, account: stored as AdapterAccount, ...(passkey && { authenticator: passkey }) }
    try {
      const created = await store.createUserWithAccount(row satisfies SignUp)
      return { created, complete: () => completeStored(identity, created, newUser) }
    } catch (error) {
      if (!isUnsupportedError(error)) throw error
      withoutTransactions.add(store.adapter)
      return null
    }
  }

  const completeStored = async (
    identity: Identity,
    created: AdapterUser,
    { account, passkey }: NewUser,
  ): Promise<AdapterUser> => {
    await emit('createUser', { user: created }, identity.source)
    try {
      if (!(await users.isStillNew(created))) throw notLinked(identity.account)
    } catch (error) {
      await rollback.deleteSignUp(created, account, passkey?.credentialID ?? null, identity.source)
      throw error
    }
    await emit('linkAccount', { user: created, account, profile: passkey ? created : identity.user }, identity.source)
    return created
  }

  /**
   * The marker is stored before the user, so that a process that dies at any moment leaves no user without a marker. There is none
   * with a passkey: nobody could prove later that the passkey of the broken-off sign-up was theirs.
   */
  const beginInSteps = async (identity: Identity, newUser: NewUser): Promise<BegunSignUp> => {
    const fields = withWholeSeconds(newUser.fields)
    const planned = markedSignUp(identity, fields, newUser.passkey ? null : fields.email)
    await markers.put(planned)
    const created = await store.createUser(fields)
    // A store may choose the ids itself.
    const stored = { ...planned, user: { ...planned.user, id: created.id } }
    await markers.putStored(planned, stored)
    return { created, complete: () => completeSteps(identity, created, newUser, stored) }
  }

  const completeSteps = async (
    identity: Identity,
    created: AdapterUser,
    newUser: NewUser,
    marked: MarkedSignUp,
  ): Promise<AdapterUser> => {
    let owner: AdapterUser | undefined
    try {
      owner = await linkFirstAccount(identity, created, newUser)
    } finally {
      // Without the account nobody could sign in as this user, and the user would block the address for the next sign-up.
      const isWithoutAccount = !owner || !isSameUser(owner, created)
      // The store may give the id to another user later, and the marker must not fit that user.
      if (isWithoutAccount && (await rollback.deleteUser(created, identity.source))) await markers.consume(marked)
    }
    if (isSameUser(owner, created)) await markers.consume(marked)
    return owner
  }

  return {
    /** The first half, after which the user exists. Throws {@link AccessDenied} if nobody new may come, and what the store throws. */
    async begin(identity: Identity, newUser: NewUser): Promise<BegunSignUp> {
      const { fields, givingBackIfItFails } = await askSignUp(dependencies, identity, newUser.fields)
      const admitted = { ...newUser, fields }
      const { created, complete } = await givingBackIfItFails(
        async () => (await beginAtOnce(identity, admitted)) ?? beginInSteps(identity, admitted),
      )
      return { created, complete: () => givingBackIfItFails(complete) }
    },

    /**
     * Finishes a sign-up of the same account that broke off between the halves.
     *
     * @param userByEmail the user who has the address of the identity
     * @returns the owner of the account; null when that sign-up did not create this user, or there may be access to the user already
     */
    async resume(identity: Identity, userByEmail: AdapterUser): Promise<AdapterUser | null> {
      if (canStoreAtOnce()) return null
      const marked = markedSignUp(identity, userByEmail, identity.user.email ?? null)
      const expires = await markers.consume(marked)
      if (!expires || (await access.mayExist(userByEmail))) return null
      // If this breaks off as well, the next sign-in has to find the marker.
      await markers.put(marked, expires)
      const owner = await linkFirstAccount(identity, userByEmail, { account: accountToStore(identity) })
      await markers.consume(marked)
      return owner
    },
  }
}

/** What the marker of a sign-up is bound to. */
const markedSignUp = (
  { account }: Identity,
  { id, emailVerified }: AdapterUser,
  email: string | null,
): MarkedSignUp => ({ account, user: { id, emailVerified, email: email ?? '' } })

/** What a marker is bound to: the account that signs up, and the user who is created for it. */
export interface MarkedSignUp {
  readonly account: Pick<Account, 'provider' | 'providerAccountId'>
  readonly user: Pick<AdapterUser, 'id' | 'email' | 'emailVerified'>
}

/** How long the visitor can come again to finish a sign-up. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

const METHODS = ['createVerificationToken', 'useVerificationToken'] as const

const FIX =
  'A sign-up that breaks off half-way leaves a user whom nobody can sign in as. Use an adapter with createUserWithAccount(), or one with createVerificationToken() and useVerificationToken() and their table, so that the same person can finish it.'

/**
 * Markers of sign-ups that are stored in steps, kept as verification tokens. With a marker, the same account can finish a sign-up
 * that broke off. A user without an address needs no marker, since such a user does not block an address.
 */
function createSignUpMarkers({
  store,
  secrets,
  logger,
  now,
}: Pick<UserDependencies, 'store' | 'secrets' | 'logger' | 'now'>) {
  const newest = secrets[0] ?? ''
  const canStore = METHODS.every((name) => store.has(name))

  /** Once for an adapter and not for a configuration: an application may make a configuration for each request. */
  const warnOnce = (metadata: object): void => {
    if (isFirstTime(store.adapter, 'unmarked-sign-up')) logger.warn('unmarked-sign-up', { ...metadata, fix: FIX })
  }

  const putRow = async (row: MarkerRow, expires: Date): Promise<void> => {
    try {
      await store.createVerificationToken({ ...row, expires })
    } catch (error) {
      // The same sign-up may have stored it a moment ago. Then it is replaced, so that it expires as late as this one.
      if (isTimeout(error) || (await store.useVerificationToken(row)) == null) throw error
      await store.createVerificationToken({ ...row, expires })
    }
  }

  /**
   * Stores a marker. Where the store cannot, a warning is logged once, and the sign-up goes on.
   *
   * @param expires a day from now by default
   */
  const put = async (signUp: MarkedSignUp, expires = new Date(now() + LIFETIME_MS)): Promise<void> => {
    if (!signUp.user.email) return
    if (!canStore) return warnOnce({})
    try {
      await putRow(markerOf(signUp, newest), expires)
    } catch {
      // Many applications that mail no links have no table for verification tokens, and visitors must be able to sign up there.
      warnOnce({ method: 'createVerificationToken' })
    }
  }

  /** Null where there is none. Some adapters throw then. A missing table is logged when a marker is stored. */
  const consumeRow = async (row: MarkerRow) => {
    try {
      return (await store.useVerificationToken(row)) ?? null
    } catch {
      return null
    }
  }

  return {
    put,

    /**
     * Stores a second marker, if the store created the user with another id than planned, so that the planned marker does not
     * fit that user.
     */
    async putStored(planned: MarkedSignUp, stored: MarkedSignUp): Promise<void> {
      if (markerOf(planned, newest).token !== markerOf(stored, newest).token) await put(stored)
    },

    /** Uses a marker up, and returns its expiry; null when there is none, or it has expired. */
    async consume(signUp: MarkedSignUp): Promise<Date | null> {
      if (!signUp.user.email || !canStore) return null
      for (const secret of secrets) {
        const row = await consumeRow(markerOf(signUp, secret))
        const expires = row && new Date(row.expires)
        if (expires) return expires.getTime() > now() ? expires : null
      }
      return null
    },
  }
}

/**
 * A user as a sign-up with a marker creates them: the time of the confirmation is a whole second. Every store keeps such a time
 * unchanged, and the marker is found by it.
 */
const withWholeSeconds = <User extends Pick<AdapterUser, 'emailVerified'>>(user: User): User =>
  user.emailVerified
    ? { ...user, emailVerified: new Date(Math.floor(new Date(user.emailVerified).getTime() / 1000) * 1000) }
    : user

interface MarkerRow {
  readonly identifier: string
  readonly token: string
}

/**
 * The row of a marker. Its identifier is no address, and nobody can make either text without the secret. So a mailed link cannot be
 * used as a marker, nor a marker as a mailed link.
 *
 * It is bound to the account, the address and one user. A user whose address was confirmed at creation is named by the time of that
 * confirmation, which stays the same where the store chooses the ids; any other user is named by the id. So there is no marker for
 * a user whose address was confirmed or changed later, nor for another user with the address.
 */
function markerOf({ account, user }: MarkedSignUp, secret: string): MarkerRow {
  const { provider, providerAccountId } = account
  const subject = [provider, providerAccountId, user.email]
  const verifiedAt = user.emailVerified ? new Date(user.emailVerified).getTime() : null
  const name = verifiedAt === null ? ['id', String(user.id)] : ['confirmed', String(verifiedAt)]
  return {
    identifier: `sign-up:${keyedDigest(secret, 'sign-up')(subject)}`,
    token: keyedDigest(secret, 'sign-up-of-user')([...subject, ...name]),
  }
}
