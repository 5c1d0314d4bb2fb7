import { type MaybePromise, whenReady, within } from '../kernel/awaitable.js'
import { AdapterError, MissingAdapterMethods, withoutDetails } from '../kernel/errors.js'
import { isFirstTime, type Log } from '../kernel/logger.js'
import { foldAddress } from '../providers/mail/address.js'
import {
  type Adapter,
  type AdapterAccount,
  type AdapterUser,
  beganAt,
  type ProviderSession,
  type SessionDetails,
} from './adapter.js'
import { noAnswerOf } from './failures.js'
import {
  ADAPTER_METHODS,
  acceptedArguments,
  isOwn,
  type LookUpName,
  type LookUpOptions,
  signUpMethod,
} from './methods.js'

type Method = keyof Adapter
type Call<Name extends Method> = NonNullable<Adapter[Name]>

/** The arguments of the contract; look-ups of sessions take options after them. */
type Arguments<Name extends Method> = Name extends LookUpName
  ? [...Parameters<Call<Name>>, options?: LookUpOptions]
  : Parameters<Call<Name>>

/**
 * An adapter as the package uses it: each call passes {@link gateway}. Every method can be called. It gives what the
 * adapter gives, without a promise if the adapter gives none. A failure is always a promise that rejects with an
 * {@link AdapterError}, also where the adapter lacks the method.
 */
export type Store = {
  readonly [Name in Method]-?: (...args: Arguments<Name>) => MaybePromise<Awaited<ReturnType<Call<Name>>>>
} & {
  /** The adapter itself, for hooks of the application and for facts that are kept about it. */
  readonly adapter: Adapter
  /** Whether the adapter has a method now. An application may replace a method of its adapter at any time. */
  has(name: Method): boolean
}

/** Seconds that one call of an adapter may take, unless the application says otherwise. */
export const STORE_TIMEOUT = 5

interface StoreSettings {
  /** Seconds that one call may take; `Infinity` for no limit. */
  readonly timeout: number
  readonly logger: Pick<Log, 'warn'>
}

export function openStore(adapter: Adapter, settings: StoreSettings): Store {
  const calls = ADAPTER_METHODS.map((name) => [
    name,
    (...asked: unknown[]) => gateway({ name, asked, adapter, settings }),
  ])
  const has = (name: Method) => methodOf(adapter, name) !== null
  return Object.freeze({ ...Object.fromEntries(calls), adapter, has })
}

/** A call of an adapter. */
interface AdapterCall {
  readonly name: Method
  readonly asked: readonly unknown[]
  readonly adapter: Adapter
  readonly settings: StoreSettings
}

/**
 * Every call of an adapter. What the adapter throws becomes the cause of an {@link AdapterError}, and so does an answer
 * that does not come in time; a later answer is ignored. A row that was not asked for counts as no row
 * ({@link exactAnswer}), and the log has one warning for each method of an adapter that gives such a row.
 */
function gateway(call: AdapterCall): MaybePromise<unknown> {
  try {
    const answer = callMethod(call)
    const outcome = answer instanceof Promise ? answer.then((it) => checked(call, it)) : checked(call, answer)
    return outcome instanceof Promise ? outcome.catch((error: unknown) => refuse(call, error)) : outcome
  } catch (error) {
    return refuse(call, error)
  }
}

const refuse = ({ name }: AdapterCall, error: unknown): Promise<never> => Promise.reject(failureOf(name, error))

function checked(call: AdapterCall, answer: unknown): MaybePromise<unknown> {
  const accepted = exactAnswer(call, answer)
  return accepted === answer ? answer : whenReady(accepted, (it) => noted(call, answer, it))
}

function noted({ name, adapter, settings }: AdapterCall, answer: unknown, accepted: unknown): unknown {
  // Once for each adapter, not for each configuration: an application may make a configuration for each request.
  if (accepted !== answer && isFirstTime(adapter, `inexact-adapter ${name}`)) {
    settings.logger.warn('inexact-adapter', { method: name })
  }
  return accepted
}

/**
 * Calls the method, and waits no longer than the settings say. A promise in the answer may be the promise of another
 * library, and becomes a native one. An answer without a promise is given without a promise, and without a timer.
 */
function callMethod({ name, asked, adapter, settings }: AdapterCall): MaybePromise<unknown> {
  const method = methodOf(adapter, name)
  if (method === null) throw new AdapterError(`The adapter has no ${name}().`, { method: name })
  const accepted = name === 'getSession' || name === 'getSessionAndUser' ? acceptedArguments(method, asked) : asked
  const answer = method.apply(adapter, accepted as unknown[])
  const isPromise = typeof (answer as { then?: unknown } | null | undefined)?.then === 'function'
  if (!isPromise) return answer
  const milliseconds = settings.timeout * 1000
  return within(Promise.resolve(answer), milliseconds, () => noAnswerOf(name, milliseconds))
}

/** A sign-up in one step counts only while the application has replaced none of its steps. */
function methodOf(adapter: Adapter, name: Method): ((...args: unknown[]) => unknown) | null {
  const method = name === 'createUserWithAccount' ? signUpMethod(adapter) : adapter[name]
  return typeof method === 'function' ? (method as (...args: unknown[]) => unknown) : null
}

const failureOf = (method: Method, error: unknown): AdapterError =>
  error instanceof AdapterError
    ? error
    : new AdapterError(`The adapter's ${method}() failed.`, { err: withoutDetails(error), method })

/** The methods of a list that an adapter lacks. */
export const missingMethods = (adapter: Adapter, names: readonly Method[]): Method[] =>
  names.filter((name) => methodOf(adapter, name) === null)

/** Why an adapter cannot keep something of ours; nothing if it can. @param what as the message says it */
export function unkept(adapter: Adapter, names: readonly Method[], what: string): MissingAdapterMethods[] {
  const missing = missingMethods(adapter, names)
  const message = `The adapter lacks ${missing.join(', ')}, in which ${what} are kept. Use an adapter of Latchkey.`
  return missing.length === 0 ? [] : [new MissingAdapterMethods(message)]
}

/**
 * For a check before anything is removed, since a removal that stops half-way is worse than no removal.
 *
 * @param purpose what the methods are needed for, as the message says it
 * @throws {MissingAdapterMethods} when the adapter lacks one
 */
export function requireMethods({ adapter }: Store, names: readonly Method[], purpose: string): void {
  const missing = missingMethods(adapter, names)
  if (missing.length === 0) return
  throw new MissingAdapterMethods(`The adapter has no ${missing.join(', ')}, which ${purpose} needs.`)
}

type Found<Name extends Method> = NonNullable<Exclude<Awaited<ReturnType<Call<Name>>>, void>>
type AccountName = Pick<AdapterAccount, 'provider' | 'providerAccountId'>

type RowTest<Name extends Method, Verdict> = (
  row: Found<Name>,
  asked: Parameters<Call<Name>>,
  call: AdapterCall,
) => Verdict

/** Look-ups whose answer contains the key that it is stored under: whether it is the row that was asked for. */
const LOOK_UPS = {
  getUser: (user, [id]) => isSame(user.id, id),
  getUserByEmail: (user, [email]) => hasAddress(user, email),
  getUserByAccount: (user, [account], call) => ownsAccount(user, account, call),
  getAccount: (account, [providerAccountId, provider]) => isAccount(account, { provider, providerAccountId }),
  getSession: (session, [sessionToken]) => isSame(session.sessionToken, sessionToken),
  getSessionAndUser: ({ session, user }, [sessionToken]) =>
    isSame(session.sessionToken, sessionToken) && isSame(user.id, session.userId),
  getTokenSession: (session, [id]) => isSame(session.id, id),
  getRecord: (record, [kind, key]) => isSame(record.kind, kind) && isSame(record.key, key),
  deleteRecord: (record, [kind, key]) => isSame(record.kind, kind) && isSame(record.key, key),
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

type Row = SessionDetails & { readonly userId?: unknown; readonly owner?: unknown }

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
  listRecordsByOwner: (row: Row, [kind, owner]: readonly unknown[]) =>
    isSame(row.kind, kind) && isSame(row.owner, owner),
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
function exactAnswer(call: AdapterCall, answer: unknown): MaybePromise<unknown> {
  if (isNothing(answer)) return answer
  const { name, asked } = call
  const isFound = (LOOK_UPS as Table<AnyTest<MaybePromise<boolean>>>)[name]
  if (isFound) {
    const verdict = isFound(answer as never, asked as never, call)
    return typeof verdict === 'boolean' ? orNull(verdict, answer) : verdict.then((isIt) => orNull(isIt, answer))
  }
  const isChanged = (CHANGES as Table<AnyTest<boolean>>)[name]
  if (isChanged && !isChanged(answer as never, asked as never, call)) {
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
function ownsAccount(user: AdapterUser, asked: AccountName, call: AdapterCall): MaybePromise<boolean> {
  const { adapter } = call
  if (typeof adapter.getAccount !== 'function') return true
  // An application that replaces one of them may hide accounts.
  if (isOwn(adapter.getUserByAccount) && isOwn(adapter.getAccount)) return true
  return isTheirs(user, asked, call)
}

async function isTheirs(user: AdapterUser, asked: AccountName, call: AdapterCall): Promise<boolean> {
  const account = await callMethod({ ...call, name: 'getAccount', asked: [asked.providerAccountId, asked.provider] })
  if (!account) return false
  const { provider = asked.provider, providerAccountId, userId = user.id } = account as AdapterAccount
  return isAccount({ provider, providerAccountId }, asked) && isSame(userId, user.id)
}
