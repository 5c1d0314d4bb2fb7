import { randomHex, randomId } from '../../crypto/random.js'
import { AdapterError } from '../../errors.js'
import type { AdapterAccount, AdapterAuthenticator, AdapterUser, SignUp } from '../adapter.js'
import { duplicateError } from '../failures.js'
import type { Means, RedisClient } from './client.js'
import type { createEmails } from './emails.js'
import { decodeRow, encodeRow, encodeValue, stored } from './row.js'
import * as scripts from './scripts.js'
import { createStanding } from './standing.js'

/** How long what is not settled yet may stand. Nobody has been told of it until then. */
export const UNSETTLED_MS = '60000'

/** How often a sign-up begins anew when something in its way turns out to be nobody's. */
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
 * On one server that is one script. On a cluster the rows lie in several slots, so none spans them. There the user is under way until all else is written: nobody
 * finds them, whoever wants the same address or account waits, and makes them give way if nothing more is heard of them, and what was written leaves by itself.
 * The last step makes the user stay. An account or passkey that was made to stay just before and whose user went counts for nothing, as that of a deleted user.
 */
export function createSignUps(means: Means, emails: ReturnType<typeof createEmails>) {
  const { client, keys, run } = means
  const stands = createStanding({ keys, run })

  /** The rows that a script writes, and what it writes them to. */
  const atOnce = async ({ user, account, passkey }: Rows): Promise<void> => {
    const accountKey = keys.account(account.provider, account.providerAccountId)
    const passkeyKey = keys.authenticator(passkey?.credentialID ?? '')
    const rows = [user, account, passkey ?? {}].map(encodeRow)
    const counts = rows.slice(0, 2).map(({ length }) => String(length))
    const scriptKeys = [
      keys.user(user.id),
      accountKey,
      keys.accountsOf(user.id),
      keys.email(user.email ?? ''),
      passkeyKey,
      keys.authenticatorsOf(user.id),
    ]
    const claim = user.email ? `${randomHex(8)}:${user.id}` : ''
    let expected = ''
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const args = [expected, claim, passkey?.credentialID ?? '', ...counts, ...rows.flat()]
      const [inTheWay, present = ''] = (await run(scripts.SIGN_UP, scriptKeys, args)) as string[]
      if (inTheWay === 'done') return
      if (inTheWay === 'user') throw duplicateError('Another user has this id.')
      if (inTheWay === 'account' && !(await makeRoom(accountKey)))
        throw duplicateError('This account is linked already.')
      if (inTheWay === 'passkey' && !(await makeRoom(passkeyKey)))
        throw duplicateError('This passkey is registered already.')
      if (inTheWay === 'claim') {
        if (present !== '' && (await emails.isHeld(user.email, present))) throw emailTaken()
        expected = present
      }
    }
    throw new AdapterError('Others signed up with the same address or account at the same moment.')
  }

  /** Deletes a row whose user is gone. Gives false for one that is somebody's. */
  const makeRoom = async (key: string, goesOn?: () => Promise<void>): Promise<boolean> => {
    const present = decodeRow<{ userId: string }>(await client.hGetAll(key))
    if (!present) return true
    if (await stands(present.userId, goesOn)) return false
    await run(scripts.DELETE_OWNED, [key], [encodeValue(present.userId)])
    return true
  }

  /** Writes a row that leaves by itself, unless it is kept. */
  const insertOwned = async (
    key: string,
    row: AdapterAccount | AdapterAuthenticator,
    goesOn: () => Promise<void>,
  ): Promise<boolean> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await run(scripts.INSERT, [key], ['PEXPIRE', UNSETTLED_MS, ...encodeRow(row)])) return true
      if (!(await makeRoom(key, goesOn))) return false
    }
    return false
  }

  const stepByStep = async ({ user, account, passkey }: Rows): Promise<void> => {
    const userKey = keys.user(user.id)
    const accountKey = keys.account(account.provider, account.providerAccountId)
    const passkeyKey = passkey && keys.authenticator(passkey.credentialID)
    const ofUser = [userKey, keys.accountsOf(user.id), keys.authenticatorsOf(user.id)]
    const owner = encodeValue(user.id)
    const underWay = [...encodeRow(user), scripts.UNDER_WAY, String(Date.now())]
    if (!(await run(scripts.INSERT, [userKey], ['PEXPIRE', UNSETTLED_MS, ...underWay]))) {
      throw duplicateError('Another user has this id.')
    }
    const goesOn = async () => requireStanding(await run(scripts.RENEW, [userKey], [String(Date.now()), UNSETTLED_MS]))
    let claimed: string | null = null
    try {
      claimed = user.email ? await emails.claim(user.email, user.id, goesOn) : null
      if (user.email && !claimed) throw emailTaken()
      requireStanding(await run(scripts.NOTE_OWNED, ofUser, [UNSETTLED_MS, accountKey, passkey?.credentialID ?? '']))
      if (!(await insertOwned(accountKey, account, goesOn))) throw duplicateError('This account is linked already.')
      if (passkey && passkeyKey && !(await insertOwned(passkeyKey, passkey, goesOn))) {
        throw duplicateError('This passkey is registered already.')
      }
      requireStanding(await run(scripts.KEEP_OWNED, [accountKey], [owner]))
      if (passkeyKey) requireStanding(await run(scripts.KEEP_OWNED, [passkeyKey], [owner]))
      requireStanding(await run(scripts.END_SIGN_UP, ofUser, encodeRow(user)))
    } catch (error) {
      await withdraw({ user, account, passkey }, claimed)
      throw error
    }
  }

  /** Takes back what is there of a sign-up; what stays when the server is away leaves by itself, or counts for nothing. */
  const withdraw = async ({ user, account, passkey }: Rows, claimed: string | null): Promise<void> => {
    const owner = encodeValue(user.id)
    try {
      // Unless the last step was done after all, and only its answer got lost.
      if (await run(scripts.STANDS, [keys.user(user.id)], [NO_TIME_LEFT])) return
      if (user.email && claimed) await emails.release(user.email, claimed)
      await run(scripts.DELETE_OWNED, [keys.account(account.provider, account.providerAccountId)], [owner])
      if (passkey) await run(scripts.DELETE_OWNED, [keys.authenticator(passkey.credentialID)], [owner])
    } catch {
      // What went wrong first is what is told.
    }
  }

  return async ({ user: given, account, authenticator }: SignUp): Promise<AdapterUser> => {
    const user = { ...given, id: given.id || randomId() }
    const passkey = authenticator ? { ...authenticator, userId: user.id } : null
    const rows: Rows = { user, account: { ...account, userId: user.id }, passkey }
    if (!clusters.has(client)) {
      try {
        await atOnce(rows)
        return stored(user)
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('CROSSSLOT'))) throw error
        clusters.add(client)
      }
    }
    await stepByStep(rows)
    return stored(user)
  }
}

/** As the time since which a sign-up may be under way: none is spared. */
const NO_TIME_LEFT = String(Number.MAX_SAFE_INTEGER)

const emailTaken = () => duplicateError('Another user has this e-mail address.')

function requireStanding(reply: unknown): void {
  if (!reply)
    throw new AdapterError('The sign-up took too long, or somebody else signed up with the same address or account.')
}
