import { isError } from '../../kernel/describe-value.js'
import { AdapterError } from '../../kernel/errors.js'
import { membersOf } from '../../kernel/objects.js'
import { randomHex, randomId } from '../../kernel/random.js'
import type { AdapterAccount, AdapterAuthenticator, AdapterUser, SignUp } from '../adapter.js'
import { duplicateError } from '../failures.js'
import type { SignUpMethod } from '../methods.js'
import type { RedisClient } from './client.js'
import { encodeRow, encodeValue, type RedisDependencies, stored, UNSETTLED, UNSETTLED_MS } from './rows.js'
import * as scripts from './scripts.js'
import type { Emails, IsSettled } from './users.js'

/** How often a sign-up begins again after it has removed a row that belonged to nobody. */
const ATTEMPTS = 5

/** Clients of servers that take no script with keys of several slots. */
const clusters = new WeakSet<RedisClient>()

/** The rows of a sign-up, with the user's id in each. */
interface Rows {
  readonly user: AdapterUser
  readonly account: AdapterAccount
  readonly passkey: AdapterAuthenticator | null
}

/**
 * Stores a user with the account and the passkey by which they sign in.
 *
 * On one server that is one script. On a cluster the rows lie in several slots, so several steps are needed. Until the
 * last step the user is marked as unfinished: no look-up finds the user. Another sign-up with the same address or
 * account waits, and deletes the user when there is no sign of life. All rows expire. The last step makes the user
 * permanent. An account or passkey that became permanent just before its user was deleted counts for nothing, like
 * those of any deleted user.
 */
export function createWholeSignUp(
  { client, keys, run, rows }: RedisDependencies,
  emails: Emails,
  isSettled: IsSettled,
): SignUpMethod {
  /** Stores all rows by one script. */
  const atOnce = async ({ user, account, passkey }: Rows): Promise<void> => {
    const accountKey = keys.account(account.provider, account.providerAccountId)
    const passkeyKey = keys.authenticator(passkey?.credentialID ?? '')
    const encoded = [user, account, passkey ?? {}].map(encodeRow)
    const counts = encoded.slice(0, 2).map(({ length }) => String(length))
    const scriptKeys = [
      keys.user(user.id),
      accountKey,
      keys.accountsOf(user.id),
      keys.email(user.email ?? ''),
      passkeyKey,
      keys.authenticatorsOf(user.id),
    ]
    const reservation = user.email ? `${randomHex(8)}:${user.id}` : ''
    let expected = ''
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const args = [expected, reservation, passkey?.credentialID ?? '', ...counts, ...encoded.flat()]
      const [inTheWay, present = ''] = (await run(scripts.SIGN_UP, scriptKeys, args)) as string[]
      if (inTheWay === 'done') return
      if (inTheWay === 'user') throw duplicateError('Another user has this id.')
      if (inTheWay === 'account' && !(await makeRoom(accountKey)))
        throw duplicateError('This account is linked already.')
      if (inTheWay === 'passkey' && !(await makeRoom(passkeyKey)))
        throw duplicateError('This passkey is registered already.')
      if (inTheWay === 'reservation') {
        if (present !== '' && (await emails.isHeld(user.email, present))) throw emailTaken()
        expected = present
      }
    }
    throw new AdapterError('Others signed up with the same address or account at the same moment.')
  }

  /** Deletes a row whose user does not exist. Gives false when the row belongs to a user. */
  const makeRoom = async (key: string, renew?: () => Promise<void>): Promise<boolean> => {
    const present = await rows.find<{ userId: string }>(key)
    if (!present) return true
    if (await isSettled(present.userId, renew)) return false
    await rows.deleteOwned(key, present.userId)
    return true
  }

  /** Writes a row that expires, unless its expiry is removed later. */
  const insertOwned = async (
    key: string,
    row: AdapterAccount | AdapterAuthenticator,
    renew: () => Promise<void>,
  ): Promise<boolean> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await rows.insert(key, row, UNSETTLED)) return true
      if (!(await makeRoom(key, renew))) return false
    }
    return false
  }

  const stepByStep = async ({ user, account, passkey }: Rows): Promise<void> => {
    const userKey = keys.user(user.id)
    const accountKey = keys.account(account.provider, account.providerAccountId)
    const passkeyKey = passkey && keys.authenticator(passkey.credentialID)
    const ofUser = [userKey, keys.accountsOf(user.id), keys.authenticatorsOf(user.id)]
    const keep = async (key: string) =>
      requireUnfinished(await run(scripts.KEEP, [key], ['userId', encodeValue(user.id)]))
    const unfinished = { ...user, [scripts.UNFINISHED]: Date.now() }
    if (!(await rows.insert(userKey, unfinished, UNSETTLED))) {
      throw duplicateError('Another user has this id.')
    }
    const renew = async () => requireUnfinished(await run(scripts.RENEW, [userKey], [String(Date.now()), UNSETTLED_MS]))
    let reserved: string | null = null
    try {
      reserved = user.email ? await emails.reserve(user.email, user.id, renew) : null
      if (user.email && !reserved) throw emailTaken()
      requireUnfinished(await run(scripts.NOTE_OWNED, ofUser, [UNSETTLED_MS, accountKey, passkey?.credentialID ?? '']))
      if (!(await insertOwned(accountKey, account, renew))) throw duplicateError('This account is linked already.')
      if (passkey && passkeyKey && !(await insertOwned(passkeyKey, passkey, renew))) {
        throw duplicateError('This passkey is registered already.')
      }
      await keep(accountKey)
      if (passkeyKey) await keep(passkeyKey)
      requireUnfinished(await run(scripts.END_SIGN_UP, ofUser, encodeRow(user)))
    } catch (error) {
      await withdraw({ user, account, passkey }, reserved)
      throw error
    }
  }

  /**
   * Deletes the rows of a sign-up that failed. Rows that stay because the server is away expire, or count for nothing.
   */
  const withdraw = async ({ user, account, passkey }: Rows, reserved: string | null): Promise<void> => {
    try {
      // The last step may have been done, and only its answer was lost.
      if (await run(scripts.IS_SETTLED, [keys.user(user.id)], [NO_TIME_LEFT])) return
      if (user.email && reserved) await emails.release(user.email, reserved)
      await rows.deleteOwned(keys.account(account.provider, account.providerAccountId), user.id)
      if (passkey) await rows.deleteOwned(keys.authenticator(passkey.credentialID), user.id)
    } catch {
      // The caller gets the first failure.
    }
  }

  return async ({ user: given, account, authenticator }: SignUp): Promise<AdapterUser> => {
    const user = { ...membersOf(given), id: given.id || randomId() }
    const passkey = authenticator ? { ...authenticator, userId: user.id } : null
    const signUp: Rows = { user, account: { ...account, userId: user.id }, passkey }
    if (!clusters.has(client)) {
      try {
        await atOnce(signUp)
        return stored(user)
      } catch (error) {
        if (!(isError(error) && error.message.startsWith('CROSSSLOT'))) throw error
        clusters.add(client)
      }
    }
    await stepByStep(signUp)
    return stored(user)
  }
}

/** A time limit that deletes every unfinished sign-up. */
const NO_TIME_LEFT = String(Number.MAX_SAFE_INTEGER)

const emailTaken = () => duplicateError('Another user has this e-mail address.')

function requireUnfinished(reply: unknown): void {
  if (!reply)
    throw new AdapterError('The sign-up took too long, or somebody else signed up with the same address or account.')
}
