import type { Adapter, AdapterUser } from '../adapters/adapter.js'
import { adapterCalls } from '../adapters/adapter-calls.js'
import { isTimeout } from '../adapters/timeouts.js'
import { keyedDigest } from '../crypto/keyed-digest.js'
import { type LoggerInstance, once } from '../logger.js'
import type { Account } from '../providers/provider.js'

/** What a mark is of: the account that signs up, and the user who is made for it. */
export interface MarkedSignUp {
  readonly account: Pick<Account, 'provider' | 'providerAccountId'>
  readonly user: Pick<AdapterUser, 'id' | 'email' | 'emailVerified'>
}

/** Marks of sign-ups that are made step by step, so that the same account can finish one that broke off. */
export interface SignUpMarks {
  /**
   * Leaves a mark, for a day unless told. Without an address nothing is kept from anybody, and none is left.
   * Where none can be left, the log is told once.
   */
  leave(signUp: MarkedSignUp, expires?: Date): Promise<void>
  /**
   * Leaves another mark for a user who was stored otherwise than planned, unless the one that was left finds them as
   * well.
   */
  follow(planned: MarkedSignUp, stored: MarkedSignUp): Promise<void>
  /** Uses the mark up, and gives its end; null when there is none in force. */
  take(signUp: MarkedSignUp): Promise<Date | null>
}

/** How long somebody may come again to finish a sign-up. Whatever happens to the user meanwhile must make the mark worthless. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

const METHODS = ['createVerificationToken', 'useVerificationToken'] as const

const FIX =
  'A sign-up that breaks off half-way leaves a user whom nobody can sign in as. Use an adapter with createUserWithAccount(), or one with createVerificationToken() and useVerificationToken() and their table, so that the same person can finish it.'

/** The marks in the verification tokens of an adapter. */
export function createSignUpMarks({
  adapter,
  secrets,
  logger,
  now,
}: {
  readonly adapter: Adapter
  /** At least one; the newest first. */
  readonly secrets: readonly string[]
  readonly logger: LoggerInstance
  readonly now: () => number
}): SignUpMarks {
  const calls = adapterCalls(adapter, METHODS, 'finishing sign-ups that broke off', logger)
  const newest = secrets[0] ?? ''
  const canMark = METHODS.every((name) => typeof adapter[name] === 'function')

  /** By adapter: a configuration may be made anew for each request. */
  const tellOnce = (metadata: object): void => {
    if (once(adapter, 'unmarked-sign-up')) logger.warn('unmarked-sign-up', { ...metadata, fix: FIX })
  }

  const store = async (row: MarkRow, expires: Date): Promise<void> => {
    try {
      await calls.createVerificationToken({ ...row, expires })
    } catch (error) {
      // It may be there already, of the same sign-up a moment ago: then it is to last as long as this one.
      if (isTimeout(error) || (await calls.useVerificationToken(row)) == null) throw error
      await calls.createVerificationToken({ ...row, expires })
    }
  }

  const leave = async (signUp: MarkedSignUp, expires = new Date(now() + LIFETIME_MS)): Promise<void> => {
    if (!signUp.user.email) return
    if (!canMark) return tellOnce({})
    try {
      await store(markOf(signUp, newest), expires)
    } catch {
      // Many applications that mail no links have no table for them, and their people must be able to sign up.
      tellOnce({ method: 'createVerificationToken' })
    }
  }

  /** Null where there is none. Some adapters throw then; that a table is missing, the log hears when a mark is left. */
  const takeOne = async (row: MarkRow) => {
    try {
      return (await calls.useVerificationToken(row)) ?? null
    } catch {
      return null
    }
  }

  return {
    leave,

    async follow(planned, stored) {
      if (markOf(planned, newest).token !== markOf(stored, newest).token) await leave(stored)
    },

    async take(signUp) {
      if (!signUp.user.email || !canMark) return null
      for (const secret of secrets) {
        const row = await takeOne(markOf(signUp, secret))
        const expires = row && new Date(row.expires)
        if (expires) return expires.getTime() > now() ? expires : null
      }
      return null
    },
  }
}

/**
 * A user as a sign-up with a mark makes them: when their address was confirmed is a whole second. Every store keeps
 * that as it is, and the mark is found by it.
 */
export const asMarked = <User extends Pick<AdapterUser, 'emailVerified'>>(user: User): User =>
  user.emailVerified
    ? { ...user, emailVerified: new Date(Math.floor(new Date(user.emailVerified).getTime() / 1000) * 1000) }
    : user

interface MarkRow {
  readonly identifier: string
  readonly token: string
}

/**
 * The row of a mark. Its identifier is no address, and both texts are digests that nobody makes without the secret. So
 * no mailed link is good for a mark, or a mark for a link.
 *
 * It is bound to the account, the address, and one user: by the id, or where the address was confirmed when the user
 * was made, by when that was. The latter is kept as it was given also where the store chooses the ids. So a user whose
 * address was confirmed since, or changed, and another user with the address, have no mark.
 */
function markOf({ account, user }: MarkedSignUp, secret: string): MarkRow {
  const { provider, providerAccountId } = account
  const subject = [provider, providerAccountId, user.email]
  const verifiedAt = user.emailVerified ? new Date(user.emailVerified).getTime() : null
  const made = verifiedAt === null ? ['id', String(user.id)] : ['confirmed', String(verifiedAt)]
  return {
    identifier: `sign-up:${keyedDigest(secret, 'sign-up', subject)}`,
    token: keyedDigest(secret, 'sign-up-of-user', [...subject, ...made]),
  }
}
