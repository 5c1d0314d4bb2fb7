import { given, type MaybePromise, whenReady } from '../awaitable.js'
import { AdapterError } from '../errors.js'
import { foldAddress } from '../providers/mail/address.js'
import type { Adapter, AdapterAccount, AdapterUser } from './adapter.js'

type Method = keyof Adapter
type Call<Name extends Method> = NonNullable<Adapter[Name]>
type Found<Name extends Method> = NonNullable<Exclude<Awaited<ReturnType<Call<Name>>>, void>>
type AccountKey = Pick<AdapterAccount, 'provider' | 'providerAccountId'>

/** Whether what a method gave is what it was asked for. */
type Tests<Name extends Method> = {
  readonly [Key in Name]: (found: Found<Key>, asked: Parameters<Call<Key>>, adapter: Adapter) => MaybePromise<boolean>
}

/** Look-ups whose answer tells the key that it stands under. */
const LOOK_UPS: Tests<
  | 'getUser'
  | 'getUserByEmail'
  | 'getUserByAccount'
  | 'getAccount'
  | 'getSession'
  | 'getSessionAndUser'
  | 'useVerificationToken'
  | 'getAuthenticator'
> = {
  getUser: (user, [id]) => isSame(user.id, id),
  getUserByEmail: (user, [email]) => hasAddress(user, email),
  getUserByAccount: (user, [account], adapter) => ownsAccount(user, account, adapter),
  getAccount: (account, [providerAccountId, provider]) => isAccount(account, { provider, providerAccountId }),
  getSession: (session, [sessionToken]) => isSame(session.sessionToken, sessionToken),
  getSessionAndUser: ({ session, user }, [sessionToken]) =>
    isSame(session.sessionToken, sessionToken) && isSame(user.id, session.userId),
  // Both are digests of what was mailed, so the time that a comparison takes tells nothing of the token.
  useVerificationToken: (row, [{ identifier, token }]) =>
    isSame(row.identifier, identifier) && isSame(row.token, token),
  getAuthenticator: (passkey, [credentialID]) => isSame(passkey.credentialID, credentialID),
}

/** Changes that give the row as it stands then: somebody may be signed in by it. */
const CHANGES: Tests<
  'createUser' | 'createUserWithAccount' | 'updateUser' | 'updateAuthenticatorCounter' | 'updateAuthenticator'
> = {
  // The store may choose the id, so the address is all that tells a new user from one who was there.
  createUser: (user, [asked]) => isNewUser(user, asked),
  createUserWithAccount: (user, [asked]) => isNewUser(user, asked.user),
  updateUser: (user, [{ id }]) => isSame(user.id, id),
  updateAuthenticatorCounter: (passkey, [credentialID]) => isSame(passkey.credentialID, credentialID),
  updateAuthenticator: (passkey, [credentialID]) => isSame(passkey.credentialID, credentialID),
}

/** Look-ups that give the rows of one user. */
const LISTS: ReadonlySet<Method> = new Set(['listAccountsByUserId', 'listAuthenticatorsByUserId'])

type AnyTest = (found: unknown, asked: readonly unknown[], adapter: Adapter) => MaybePromise<boolean>

const testOf = (tests: object, name: Method) => (tests as Readonly<Partial<Record<Method, AnyTest>>>)[name]

/** Gives what of an answer counts: the answer itself, or what is left of it. */
export type RowCheck = (answer: unknown, asked: readonly unknown[]) => MaybePromise<unknown>

/**
 * Holds the answers of a method against what it was asked for. A column that takes capitals, accents or blanks at the end for nothing, as those of
 * MySQL and MariaDB do unless they are told otherwise, finds the row of somebody else, and so does a key-value store that cuts its keys. Such a row
 * counts as none, and a change that gives one fails.
 *
 * An adapter that repeats the key it was asked for, in place of the one that is stored, hides the difference.
 *
 * @returns null for a method whose answers name no key
 */
export function rowCheckOf(name: Method, adapter: Adapter): RowCheck | null {
  const isFound = testOf(LOOK_UPS, name)
  if (isFound) {
    return (answer, asked) => {
      if (isNothing(answer)) return answer
      const verdict = isFound(answer, asked, adapter)
      return typeof verdict === 'boolean' ? unless(!verdict, answer) : verdict.then((isIt) => unless(!isIt, answer))
    }
  }
  const isChanged = testOf(CHANGES, name)
  if (isChanged) {
    return (answer, asked) => {
      if (isNothing(answer) || isChanged(answer, asked, adapter)) return answer
      throw new AdapterError(`The adapter's ${name}() gave a row that it was not asked for.`, { method: name })
    }
  }
  if (!LISTS.has(name)) return null
  return (answer, [userId]) => {
    if (!Array.isArray(answer)) return answer
    const own = answer.filter((row) => isSame(row?.userId, userId))
    return own.length === answer.length ? answer : own
  }
}

const isNothing = (answer: unknown) => answer === null || answer === undefined

const unless = (isForeign: boolean, answer: unknown) => (isForeign ? null : answer)

/** Whether two keys are one. Some stores number their rows, and some callers have the number as text. */
const isSame = (stored: unknown, asked: unknown): boolean =>
  stored === asked || (!isNothing(stored) && !isNothing(asked) && String(stored) === String(asked))

/** An application may have stored the address as it was typed; what it is asked for has been folded. */
const hasAddress = ({ email }: AdapterUser, asked: string): boolean =>
  typeof email === 'string' && (email === asked || foldAddress(email) === asked)

const isNewUser = ({ email: stored }: AdapterUser, { email }: AdapterUser): boolean =>
  !email || !stored || foldAddress(stored) === foldAddress(email)

const isAccount = (stored: AccountKey, asked: AccountKey): boolean =>
  isSame(stored.provider, asked.provider) && isSame(stored.providerAccountId, asked.providerAccountId)

/**
 * A user does not tell by which account they were found, so the account is looked up as well, where the adapter can do that. Nothing but passkeys
 * asked adapters for it before, and some leave members out: those say nothing, but the id at the provider, which is what somebody else may choose, must be there.
 */
function ownsAccount(user: AdapterUser, asked: AccountKey, adapter: Adapter): MaybePromise<boolean> {
  if (typeof adapter.getAccount !== 'function') return true
  return whenReady(given(adapter.getAccount(asked.providerAccountId, asked.provider)), (account) => {
    if (!account) return false
    const { provider = asked.provider, providerAccountId, userId = user.id } = account
    return isAccount({ provider, providerAccountId }, asked) && isSame(userId, user.id)
  })
}
