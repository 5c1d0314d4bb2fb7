import type { MaybePromise } from '../kernel/awaitable.js'
import { AdapterError } from '../kernel/errors.js'
import { foldAddress } from '../providers/mail/address.js'
import {
  type Adapter,
  type AdapterAccount,
  type AdapterUser,
  beganAt,
  type ProviderSession,
  type SessionDetails,
} from './adapter.js'
import { isOwn } from './methods.js'

type Method = keyof Adapter
type Call<Name extends Method> = NonNullable<Adapter[Name]>
type Found<Name extends Method> = NonNullable<Exclude<Awaited<ReturnType<Call<Name>>>, void>>
type AccountName = Pick<AdapterAccount, 'provider' | 'providerAccountId'>

/** An answer of an adapter, with the question. */
export interface Answer {
  readonly name: Method
  readonly answer: unknown
  readonly asked: readonly unknown[]
  readonly adapter: Adapter
  /** Calls `getAccount` of the adapter. */
  accountOf(asked: [providerAccountId: string, provider: string]): unknown
}

type RowTest<Name extends Method, Verdict> = (
  row: Found<Name>,
  asked: Parameters<Call<Name>>,
  more: Pick<Answer, 'adapter' | 'accountOf'>,
) => Verdict

/** Look-ups whose answer contains the key that it is stored under: whether it is the row that was asked for. */
const LOOK_UPS = {
  getUser: (user, [id]) => isSame(user.id, id),
  getUserByEmail: (user, [email]) => hasAddress(user, email),
  getUserByAccount: (user, [account], more) => ownsAccount(user, account, more),
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
} satisfies { readonly [Name in Method]?: RowTest<Name, MaybePromise<boolean>> }

/**
 * Changes that give the changed row. The caller may sign a person in with that row. The verdict is never a promise: a
 * promise would count as true.
 */
const CHANGES = {
  // The store may choose the id, so only the address distinguishes a new user from one who existed before.
  createUser: (user, [asked]) => isNewUser(user, asked),
  createUserWithAccount: (user, [asked]) => isNewUser(user, asked.user),
  updateUser: (user, [{ id }]) => isSame(user.id, id),
  updateAuthenticatorCounter: (passkey, [credentialID]) => isSame(passkey.credentialID, credentialID),
  updateAuthenticator: (passkey, [credentialID]) => isSame(passkey.credentialID, credentialID),
} satisfies { readonly [Name in Method]?: RowTest<Name, boolean> }

type Row = SessionDetails & { readonly userId?: unknown }

const isOfUser = (row: Row, [userId]: readonly unknown[]) => isSame(row.userId, userId)
const isOfProvider = (row: Row, [at]: readonly unknown[]) => beganAt(row, at as ProviderSession)

/** Look-ups that give all rows of one user, or the sessions of one provider: whether a row is one of them. */
const LISTS = {
  listAccountsByUserId: isOfUser,
  listAuthenticatorsByUserId: isOfUser,
  listSessionsByUserId: isOfUser,
  listTokenSessionsByUserId: isOfUser,
  listSessionsByProvider: isOfProvider,
  listTokenSessionsByProvider: isOfProvider,
} satisfies { readonly [Name in Method]?: typeof isOfUser }

type Table<Test> = Readonly<Partial<Record<Method, Test>>>
type AnyTest<Verdict> = RowTest<never, Verdict>

/**
 * Gives the part of an answer that was asked for: the answer itself, null, or some rows of a list. A change that gives
 * another row fails.
 *
 * Some columns ignore case, accents, or spaces at the end: those of MySQL and MariaDB do by default. A look-up in such a
 * column can find the row of another person. The same happens in a key-value store that cuts long keys. An adapter that
 * gives the key it was asked for, in place of the stored key, hides the difference.
 */
export function exactAnswer({ name, answer, asked, ...more }: Answer): MaybePromise<unknown> {
  if (isNothing(answer)) return answer
  const isFound = (LOOK_UPS as Table<AnyTest<MaybePromise<boolean>>>)[name]
  if (isFound) {
    const verdict = isFound(answer as never, asked as never, more)
    return typeof verdict === 'boolean' ? orNull(verdict, answer) : verdict.then((isIt) => orNull(isIt, answer))
  }
  const isChanged = (CHANGES as Table<AnyTest<boolean>>)[name]
  if (isChanged && !isChanged(answer as never, asked as never, more)) {
    throw new AdapterError(`The adapter's ${name}() gave a row that it was not asked for.`, { method: name })
  }
  const isListed = (LISTS as Table<typeof isOfUser>)[name]
  if (!isListed || !Array.isArray(answer)) return answer
  const own = answer.filter((row) => typeof row === 'object' && row !== null && isListed(row, asked))
  return own.length === answer.length ? answer : own
}

const isNothing = (answer: unknown) => answer === null || answer === undefined

const orNull = (isAsked: boolean, answer: unknown) => (isAsked ? answer : null)

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
 * adapter has `getAccount`. Adapters of this package have compared the account themselves. Adapters made for Auth.js
 * were asked for an account only with passkeys, and some leave members out. A missing provider or user is accepted. The
 * id at the provider must be present: another person can choose it.
 */
function ownsAccount(
  user: AdapterUser,
  asked: AccountName,
  { adapter, accountOf }: Pick<Answer, 'adapter' | 'accountOf'>,
): MaybePromise<boolean> {
  if (typeof adapter.getAccount !== 'function') return true
  // An application that replaces one of them may hide accounts.
  if (isOwn(adapter.getUserByAccount) && isOwn(adapter.getAccount)) return true
  return isTheirs(user, asked, accountOf)
}

async function isTheirs(user: AdapterUser, asked: AccountName, accountOf: Answer['accountOf']): Promise<boolean> {
  const account = await accountOf([asked.providerAccountId, asked.provider])
  if (!account) return false
  const { provider = asked.provider, providerAccountId, userId = user.id } = account as AdapterAccount
  return isAccount({ provider, providerAccountId }, asked) && isSame(userId, user.id)
}
