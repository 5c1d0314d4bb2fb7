import { underEach } from '../kernel/objects.js'
import type { Adapter, AdapterUser } from './adapter.js'

/** What one adapter may keep for another: the parts of `combineAdapters`. */
export const PARTS = ['sessions', 'verificationTokens', 'authenticators'] as const

export type Part = (typeof PARTS)[number]

/** What is known of a method of the contract. */
interface MethodFacts {
  /**
   * The part that takes the method over. The method of another store would look for rows that are not there, or keep rows
   * that nobody looks for there.
   */
  readonly part?: Part
  /** Whether its part must have it. */
  readonly needed?: true
  /** Whether adapters made for Auth.js do not know it. */
  readonly ours?: true
}

/** The methods that revocable token sessions need. */
export const REVOCATION_METHODS = [
  'createTokenSession',
  'getTokenSession',
  'updateTokenSession',
  'revokeTokenSession',
  'listTokenSessionsByUserId',
] as const satisfies readonly (keyof Adapter)[]

/** The methods of records. */
export const RECORD_METHODS = [
  'createRecord',
  'getRecord',
  'updateRecord',
  'deleteRecord',
  'listRecordsByOwner',
] as const satisfies readonly (keyof Adapter)[]

const METHODS: Readonly<Record<keyof Adapter, MethodFacts>> = {
  createUser: {},
  createUserWithAccount: { ours: true },
  ...underEach(['getUser', 'getUserByEmail', 'getUserByAccount', 'updateUser', 'deleteUser'], {}),
  ...underEach(['linkAccount', 'unlinkAccount', 'getAccount'], {}),
  updateAccount: { ours: true },
  createSession: { part: 'sessions', needed: true },
  getSessionAndUser: {},
  getSession: { part: 'sessions', needed: true, ours: true },
  updateSession: { part: 'sessions', needed: true },
  changeSessionToken: { part: 'sessions', ours: true },
  deleteSession: { part: 'sessions', needed: true },
  ...underEach(['deleteSessionsByUserId', 'listSessionsByUserId', 'listSessionsByProvider'], {
    part: 'sessions',
    ours: true,
  }),
  ...underEach([...REVOCATION_METHODS, 'listTokenSessionsByProvider'], { part: 'sessions', ours: true }),
  ...underEach(RECORD_METHODS, { ours: true }),
  createVerificationToken: { part: 'verificationTokens', needed: true },
  useVerificationToken: { part: 'verificationTokens', needed: true },
  getVerificationToken: { part: 'verificationTokens', ours: true },
  createAuthenticator: { part: 'authenticators', needed: true },
  getAuthenticator: { part: 'authenticators', needed: true },
  listAuthenticatorsByUserId: { part: 'authenticators', needed: true },
  updateAuthenticatorCounter: { part: 'authenticators', needed: true },
  updateAuthenticator: { part: 'authenticators', ours: true },
  deleteAuthenticator: { part: 'authenticators', ours: true },
  listAccountsByUserId: { ours: true },
  deleteExpired: { ours: true },
}

/** The methods of a store that gives out and refreshes the tokens of accounts. */
export const ACCOUNT_TOKEN_METHODS = [
  'getAccount',
  'listAccountsByUserId',
  'updateAccount',
] as const satisfies readonly (keyof Adapter)[]

/** The names of all methods of the contract. */
export const ADAPTER_METHODS = Object.keys(METHODS) as readonly (keyof Adapter)[]

/** Methods that adapters made for Auth.js do not know. */
export const BEYOND_AUTHJS = ADAPTER_METHODS.filter((name) => METHODS[name].ours)

/** The methods that a part takes over, and those of them that it must have. */
export function methodsOf(part: Part) {
  const all = ADAPTER_METHODS.filter((name) => METHODS[name].part === part)
  return { all, needed: all.filter((name) => METHODS[name].needed) }
}

type AnyMethod = (...args: never[]) => unknown

/** The type of {@link Adapter.createUserWithAccount}. */
export type SignUpMethod = NonNullable<Adapter['createUserWithAccount']>

/** The methods that store a sign-up step by step. */
const STEPS = ['createUser', 'linkAccount', 'createAuthenticator'] as const

/** The methods that store a sign-up, at once or step by step. */
export const SIGN_UP_METHODS = ['createUserWithAccount', ...STEPS] as const

/** The methods of the adapters of this package, each with the adapter that it was made for. */
const adapterOf = new WeakMap<AnyMethod, Adapter>()

/**
 * Marks methods as methods of this package. Three things follow from it, and all of them end for a method that an
 * application has replaced:
 *
 * - look-ups of sessions are given {@link LookUpOptions}
 * - the user that `getUserByAccount` gives is the owner of exactly the account that was asked for
 * - `createUserWithAccount` does the same as the adapter's own steps ({@link signUpMethod})
 */
export function markOwn<Of extends Adapter>(adapter: Of, names = Object.keys(adapter)): Of {
  for (const name of names) {
    const method = adapter[name as keyof Adapter]
    if (typeof method === 'function') adapterOf.set(method, adapter)
  }
  return adapter
}

export const isOwn = (method: AnyMethod | undefined): boolean => method !== undefined && adapterOf.has(method)

/**
 * The method that stores a whole sign-up at once. Null if the adapter has none, or if the application has replaced one
 * of the steps: an application that spreads an adapter and adds a `createUser` of its own expects that its function is
 * called.
 */
export function signUpMethod(adapter: Adapter): SignUpMethod | null {
  const method = adapter.createUserWithAccount
  if (typeof method !== 'function') return null
  const owner = adapterOf.get(method)
  const isReplaced = (step: AnyMethod | undefined) => step !== undefined && adapterOf.get(step) !== owner
  return owner && STEPS.some((name) => isReplaced(adapter[name])) ? null : method
}

/** Whether somebody still waits for the result of a look-up. */
export type IsWanted = () => boolean

/** Options of the look-ups of sessions. Adapters of this package take them after the argument of the contract. */
export interface LookUpOptions {
  /**
   * Called before a statement is sent, for instance after the wait for a connection. If it gives false, the statement
   * is not sent, and the look-up fails with `unwantedError`.
   */
  readonly isWanted?: IsWanted | undefined
}

/** The look-ups that may take {@link LookUpOptions}. Each has one argument in the contract. */
export type LookUpName = 'getSession' | 'getSessionAndUser'

/**
 * The arguments that a look-up can be called with. Adapters made for Auth.js do not expect a further argument, which
 * could change what they do.
 */
export const acceptedArguments = <Args extends readonly unknown[]>(
  method: AnyMethod,
  args: Args,
): readonly unknown[] => (args.length > 1 && !isOwn(method) ? args.slice(0, 1) : args)

/** The users who were created as confirmed, numbered in the order in which this process created them. */
const confirmed = new WeakMap<object, number>()
let created = 0

/** How many users this process has created as confirmed, for {@link isCreatedConfirmed}. */
export const createdSoFar = (): number => created

/** Called by an adapter of Latchkey with the user whom it gives back after it has stored them. Gives the same user. */
export function noteCreatedUser(user: AdapterUser): AdapterUser {
  if (user.emailVerified) {
    created += 1
    confirmed.set(user, created)
  }
  return user
}

/**
 * Whether `createUser` of an adapter of Latchkey gave this very object meanwhile, for a user whose address counted as confirmed
 * from the beginning. Of an object that the application had before, nobody knows what became of the user.
 *
 * @param before what {@link createdSoFar} gave
 */
export const isCreatedConfirmed = (user: object, before: number): boolean => (confirmed.get(user) ?? 0) > before

const inMemory = new WeakSet<AnyMethod>()

/** Records that an adapter loses its token sessions in a restart. The mark is on a method, so that a spread keeps it. */
export function markInMemory<Of extends Adapter>(adapter: Of): Of {
  if (adapter.revokeTokenSession) inMemory.add(adapter.revokeTokenSession)
  return adapter
}

/** Whether a restart of the process loses the token sessions of an adapter, and which of them were revoked. */
export const losesRevocations = ({ revokeTokenSession }: Adapter): boolean =>
  revokeTokenSession !== undefined && inMemory.has(revokeTokenSession)
