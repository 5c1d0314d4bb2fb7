import type { MaybePromise } from '../awaitable.js'
import { AdapterError } from '../errors.js'
import { foldAddress } from '../providers/mail/address.js'
import type { Adapter, AdapterAccount, AdapterUser, ProviderSession, SessionDetails } from './adapter.js'
import { callMethod } from './call-method.js'
import { beganAt } from './provider-sessions.js'

type Method = keyof Adapter
type Call<Name extends Method> = NonNullable<Adapter[Name]>
type Found<Name extends Method> = NonNullable<Exclude<Awaited<ReturnType<Call<Name>>>, void>>
type AccountName = Pick<AdapterAccount, 'provider' | 'providerAccountId'>

/** By method: whether the row that it gave is the row that it was asked for. */
type Tests<Name extends Method, Verdict> = {
  readonly [Key in Name]: (found: Found<Key>, asked: Parameters<Call<Key>>, adapter: Adapter) => Verdict
}

/** Look-ups whose answer contains the key that it is stored under. */
const LOOK_UPS: Tests<
  | 'getUser'
  | 'getUserByEmail'
  | 'getUserByAccount'
  | 'getAccount'
  | 'getSession'
  | 'getSessionAndUser'
  | 'getTokenSession'
  | 'useVerificationToken'
  | 'getVerificationToken'
  | 'getAuthenticator',
  MaybePromise<boolean>
> = {
  getUser: (user, [id]) => isSame(user.id, id),
  getUserByEmail: (user, [email]) => hasAddress(user, email),
  getUserByAccount: (user, [account], adapter) => ownsAccount(user, account, adapter),
  getAccount: (account, [providerAccountId, provider]) => isAccount(account, { provider, providerAccountId }),
  getSession: (session, [sessionToken]) => isSame(session.sessionToken, sessionToken),
  getSessionAndUser: ({ session, user }, [sessionToken]) =>
    isSame(session.sessionToken, sessionToken) && isSame(user.id, session.userId),
  getTokenSession: (session, [id]) => isSame(session.id, id),
  // Both are digests of what was mailed, so the time that a comparison takes reveals nothing about the token.
  useVerificationToken: (row, [{ identifier, token }]) =>
    isSame(row.identifier, identifier) && isSame(row.token, token),
  getVerificationToken: (row, [{ identifier, token }]) =>
    isSame(row.identifier, identifier) && isSame(row.token, token),
  getAuthenticator: (passkey, [credentialID]) => isSame(passkey.credentialID, credentialID),
}

/**
 * Changes that give the changed row. The caller may sign a person in with that row. The verdict is never a promise: a
 * promise would count as true.
 */
const CHANGES: Tests<
  'createUser' | 'createUserWithAccount' | 'updateUser' | 'updateAuthenticatorCounter' | 'updateAuthenticator',
  boolean
> = {
  // The store may choose the id, so only the address distinguishes a new user from one who existed before.
  createUser: (user, [asked]) => isNewUser(user, asked),
  createUserWithAccount: (user, [asked]) => isNewUser(user, asked.user),
  updateUser: (user, [{ id }]) => isSame(user.id, id),
  updateAuthenticatorCounter: (passkey, [credentialID]) => isSame(passkey.credentialID, credentialID),
  updateAuthenticator: (passkey, [credentialID]) => isSame(passkey.credentialID, credentialID),
}

/** Look-ups that give all rows of one user. */
const LISTS: ReadonlySet<Method> = new Set([
  'listAccountsByUserId',
  'listAuthenticatorsByUserId',
  'listSessionsByUserId',
  'listTokenSessionsByUserId',
])

/** Look-ups that give the sessions of one provider. */
const PROVIDER_LISTS: ReadonlySet<Method> = new Set(['listSessionsByProvider', 'listTokenSessionsByProvider'])

type AnyTest<Verdict> = (found: unknown, asked: readonly unknown[], adapter: Adapter) => Verdict

const testOf = <Verdict>(tests: Tests<never, Verdict>, name: Method) =>
  (tests as Readonly<Partial<Record<Method, AnyTest<Verdict>>>>)[name]

/** Gives the part of an answer that counts: the answer itself, or the rows of it that were asked for. */
export type RowCheck = (answer: unknown, asked: readonly unknown[]) => MaybePromise<unknown>

/**
 * Compares the answers of a method with what it was asked for. Some columns ignore case, accents, or spaces at the end:
 * those of MySQL and MariaDB do by default. A look-up in such a column can find the row of another person. The same
 * happens in a key-value store that cuts long keys. Such a row counts as no row, and a change that gives such a row
 * fails.
 *
 * An adapter that gives the key it was asked for, in place of the stored key, hides the difference.
 *
 * @returns null for a method whose answers contain no key
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
  if (LISTS.has(name)) return only((row, [userId]) => isSame(row.userId, userId))
  if (!PROVIDER_LISTS.has(name)) return null
  return only((row, [at]) => beganAt(row, at as ProviderSession))
}

/** Keeps the rows of a list that were asked for. */
const only =
  (isAsked: (row: Row, asked: readonly unknown[]) => boolean): RowCheck =>
  (answer, asked) => {
    if (!Array.isArray(answer)) return answer
    const own = answer.filter((row) => typeof row === 'object' && row !== null && isAsked(row, asked))
    return own.length === answer.length ? answer : own
  }

type Row = SessionDetails & { readonly userId?: unknown }

const isNothing = (answer: unknown) => answer === null || answer === undefined

const unless = (isForeign: boolean, answer: unknown) => (isForeign ? null : answer)

/** Whether two keys are equal. Some stores number their rows, and some callers have the number as text. */
const isSame = (stored: unknown, asked: unknown): boolean =>
  stored === asked || (!isNothing(stored) && !isNothing(asked) && String(stored) === String(asked))

/** An application may have stored the address as it was typed. The address that is looked up is folded. */
const hasAddress = ({ email }: AdapterUser, asked: string): boolean =>
  typeof email === 'string' && (email === asked || foldAddress(email) === asked)

const isNewUser = ({ email: stored }: AdapterUser, { email }: AdapterUser): boolean =>
  !email || !stored || stored === email || foldAddress(stored) === foldAddress(email)

const isAccount = (stored: AccountName, asked: AccountName): boolean =>
  isSame(stored.provider, asked.provider) && isSame(stored.providerAccountId, asked.providerAccountId)

/**
 * The row of a user does not show by which account the user was found. So the account is looked up as well, if the
 * adapter has `getAccount`. Adapters made for Auth.js were asked for an account only with passkeys, and some leave
 * members out. A missing provider or user is accepted. The id at the provider must be present: another person can
 * choose it.
 */
async function ownsAccount(user: AdapterUser, asked: AccountName, adapter: Adapter): Promise<boolean> {
  if (typeof adapter.getAccount !== 'function') return true
  const account = await callMethod(adapter, 'getAccount', [asked.providerAccountId, asked.provider])
  if (!account) return false
  const { provider = asked.provider, providerAccountId, userId = user.id } = account as AdapterAccount
  return isAccount({ provider, providerAccountId }, asked) && isSame(userId, user.id)
}
