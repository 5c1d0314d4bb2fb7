import type { AdapterUser } from '../adapters/adapter.js'
import { isTimeout } from '../adapters/failures.js'
import { keyedDigest } from '../kernel/digest.js'
import { isFirstTime } from '../kernel/logger.js'
import type { Account } from '../providers/provider.js'
import type { AccountsDependencies } from './dependencies.js'

/** What a marker is bound to: the account that signs up, and the user who is created for it. */
export interface MarkedSignUp {
  readonly account: Pick<Account, 'provider' | 'providerAccountId'>
  readonly user: Pick<AdapterUser, 'id' | 'email' | 'emailVerified'>
}

/**
 * Markers of sign-ups that are stored in steps. With a marker, the same account can finish a sign-up that broke off. A user without
 * an address needs no marker, since such a user does not block an address.
 */
interface SignUpMarkers {
  /**
   * Stores a marker. Where the store cannot, a warning is logged once, and the sign-up goes on.
   *
   * @param expires a day from now by default
   */
  put(signUp: MarkedSignUp, expires?: Date): Promise<void>
  /**
   * Stores a second marker, if the store created the user with another id than planned, so that the planned marker does not
   * fit that user.
   */
  putStored(planned: MarkedSignUp, stored: MarkedSignUp): Promise<void>
  /** Uses a marker up, and returns its expiry; null when there is none, or it has expired. */
  consume(signUp: MarkedSignUp): Promise<Date | null>
}

/** How long the visitor can come again to finish a sign-up. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

const METHODS = ['createVerificationToken', 'useVerificationToken'] as const

const FIX =
  'A sign-up that breaks off half-way leaves a user whom nobody can sign in as. Use an adapter with createUserWithAccount(), or one with createVerificationToken() and useVerificationToken() and their table, so that the same person can finish it.'

/** Keeps the markers as verification tokens of an adapter. */
export function createSignUpMarkers({
  store,
  secrets,
  logger,
  now,
}: Pick<AccountsDependencies, 'store' | 'secrets' | 'logger' | 'now'>): SignUpMarkers {
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

    async putStored(planned, stored) {
      if (markerOf(planned, newest).token !== markerOf(stored, newest).token) await put(stored)
    },

    async consume(signUp) {
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
export const withWholeSeconds = <User extends Pick<AdapterUser, 'emailVerified'>>(user: User): User =>
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
    identifier: `sign-up:${keyedDigest(secret, 'sign-up', subject)}`,
    token: keyedDigest(secret, 'sign-up-of-user', [...subject, ...name]),
  }
}
