import type { AdapterUser } from '../adapters/adapter.js'
import { AdapterError, AuthError, EmailNotConfirmed, withoutDetails } from '../errors.js'
import type { Awaitable } from '../providers/provider.js'
import { isRecent } from '../sessions/recent-auth.js'
import { createConfirmationMarks } from './confirmation-marks.js'
import { type Directory, isSame, type ResolverSettings } from './directory.js'
import type { Identity, PrincipalReader } from './identity.js'
import { createWaysIn, type RemainingWay } from './ways-in.js'

/** What the `confirmEmail` callback is given. */
export interface ConfirmEmailParams {
  /** The stored user with the address, which nobody has confirmed before. */
  user: AdapterUser
  /** What the user can come in by and Latchkey cannot end. Empty when there is nothing of the kind. */
  remaining: readonly RemainingWay[]
}

/**
 * Asked before somebody who is not signed in as a user confirms that user's address. It ends what remains, and gives true. With
 * anything else the address is not confirmed, and nobody signed in. Where something remains, it is asked once more when the
 * address is stored as confirmed: what came in between has to end as well.
 */
export type ConfirmEmailCallback = (params: ConfirmEmailParams) => Awaitable<boolean>

/** Confirms addresses that nobody has confirmed yet. Both give the user as stored. */
export interface EmailConfirmation {
  /**
   * Confirms the address for whoever follows a mailed link. All that the user could come in by before ends first, since somebody else may have taken the address (ACCT-05);
   * not so for somebody who is signed in as that user, and was of late.
   *
   * @throws {EmailNotConfirmed} when something would remain, or the application refuses; nothing has changed then
   * @throws {AdapterError} when the store fails; the address is not confirmed then, and another link completes what was begun
   */
  byLink(user: AdapterUser, readPrincipal: PrincipalReader): Promise<AdapterUser>
  /**
   * For whoever follows a mailed link to an address that is stored as confirmed. A confirmation that was stored late, or whose
   * process died, is completed: all that the user could come in by ends first.
   *
   * @throws {EmailNotConfirmed} when something would remain, or the application refuses
   * @throws {AdapterError} when the store fails; another link completes it then
   */
  completed(user: AdapterUser): Promise<void>
  /** Confirms it for whoever comes from a provider that has verified it, where theirs is the only way in. */
  byProvider(user: AdapterUser, identity: Identity): Promise<AdapterUser>
}

/** How each way is ended. */
const CURES: Readonly<Record<RemainingWay, string>> = {
  accounts: 'accounts, which take the methods listAccountsByUserId() and unlinkAccount() of the adapter',
  passkeys: 'passkeys, which take deleteAuthenticator() or unlinkAccount()',
  sessions: 'sessions, which take deleteSessionsByUserId(), or getUser() where they are tokens',
  password: 'passwords, which are the application’s',
}

/** The confirmation over an adapter. */
export function createEmailConfirmation(directory: Directory, settings: ResolverSettings): EmailConfirmation {
  const { adapter, confirmEmail, recentAuthAge, emit, logger, now } = settings
  const ways = createWaysIn(settings)
  const marks = createConfirmationMarks(settings)
  const { users } = directory

  const isOwn = async (user: AdapterUser, readPrincipal: PrincipalReader): Promise<boolean> => {
    const held = await readPrincipal()
    // A session of long ago proves little, and one that somebody planted in this browser looks like it (ACCT-05).
    return held !== null && isSame(held, user) && isRecent(held, recentAuthAge, now)
  }

  /**
   * @param remaining what Latchkey cannot end
   * @throws {EmailNotConfirmed} unless nothing remains, or the application says that it has ended it
   */
  const askApplication = async (user: AdapterUser, remaining: readonly RemainingWay[]): Promise<void> => {
    if (!confirmEmail) {
      if (remaining.length === 0) return
      throw new EmailNotConfirmed(
        `A mailed link would have confirmed the address of a user who never did. Nothing ends what they sign in with: ${remaining.map((way) => CURES[way]).join('; ')}. Set callbacks.confirmEmail, which ends it, or use an adapter with the methods.`,
      )
    }
    let verdict: boolean
    try {
      verdict = await confirmEmail({ user, remaining })
    } catch (error) {
      if (error instanceof AuthError) throw error
      throw new EmailNotConfirmed('The confirmEmail callback threw.', { err: withoutDetails(error) })
    }
    if (verdict !== true) throw new EmailNotConfirmed('The confirmEmail callback did not give true.')
  }

  /** Ends the ways in, and says how many there were: whoever runs the application is asked why an account is gone. */
  const endWays = async ({ id }: AdapterUser): Promise<void> => {
    const ended = await ways.end(id)
    if (ended.accounts + ended.passkeys > 0) logger.warn('accounts-ended', ended)
  }

  const record = async ({ id }: AdapterUser): Promise<AdapterUser> =>
    users.updateUser({ id, emailVerified: new Date(now()) })

  const takeBack = async ({ id }: AdapterUser): Promise<void> => {
    try {
      await users.updateUser({ id, emailVerified: null })
    } catch (error) {
      logger.error(new AdapterError('A confirmation could not be taken back.', { err: withoutDetails(error) }))
    }
  }

  /**
   * The second half, when the address is stored as confirmed. Whoever was about to add a way in has added it by now, or finds the
   * address confirmed and takes it back.
   */
  const complete = async (user: AdapterUser): Promise<void> => {
    try {
      await endWays(user)
      const remaining = await ways.remaining(user.id)
      if (remaining.length > 0) await askApplication(user, remaining)
    } catch (error) {
      await takeBack(user)
      throw error
    }
    await marks.take(user)
  }

  return {
    async byLink(user, readPrincipal) {
      if (await isOwn(user, readPrincipal)) {
        // What an earlier link began is over: its owner keeps the ways in.
        await marks.take(user)
        return record(user)
      }
      await askApplication(user, await ways.remaining(user.id))
      await endWays(user)
      // Before the address is stored as confirmed: that may be done late, when nobody is there any more to look again.
      await marks.leave(user)
      const confirmed = await record(user)
      await complete(confirmed)
      return confirmed
    },

    async completed(user) {
      if (!(await marks.take(user))) return
      // It breaks off no better than the first time. Where no mark can be left, what it stands for is done all the same.
      await marks.leave(user).catch(() => {})
      try {
        await complete(user)
      } catch (error) {
        await marks.leave(user)
        throw error
      }
    },

    async byProvider(user, { account, user: told, linking }) {
      const isVerified = linking?.isEmailVerified === true && user.email !== null && user.email === told.email
      if (user.emailVerified || !isVerified || !adapter.updateUser) return user
      if (!(await ways.isOnlyWay(account, user.id))) return user
      const confirmed = await record(user)
      if (!(await ways.isOnlyWay(account, user.id))) {
        await takeBack(user)
        return user
      }
      await ways.endSessions(user.id)
      await emit.updateUser(confirmed)
      return confirmed
    },
  }
}
