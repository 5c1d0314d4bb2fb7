import { isRecord } from '../kernel/describe-value.js'
import { InvalidConfiguration, MissingAdapterMethods } from '../kernel/errors.js'
import { object } from '../kernel/object-shape.js'
import { underEach } from '../kernel/objects.js'
import { randomId } from '../kernel/random.js'
import { anything, type Shape } from '../kernel/shape.js'
import type { Adapter, AdapterUser, DeleteExpiredOptions, SignUp } from './adapter.js'
import { argumentProblems } from './check-argument.js'
import { deleteExpiredFrom } from './expired.js'
import { isDuplicateError, isUnsupportedError } from './failures.js'
import { missingMethods } from './gateway.js'
import {
  ADAPTER_METHODS,
  acceptedArguments,
  isOwn,
  markOwn,
  methodsOf,
  PARTS,
  type Part,
  RECORD_METHODS,
  SIGN_UP_METHODS,
  type SignUpMethod,
  signUpMethod,
} from './methods.js'

type Method = keyof Adapter

/** Which adapter keeps what. */
export interface AdapterParts {
  /**
   * Keeps sessions and token sessions, and records if `rest` has no place for them. It needs `getSession`, as its store
   * holds no users. If it lacks the methods that list sessions or keep token sessions, the combination lacks them too.
   */
  sessions?: Adapter
  /** Keeps the tokens of mailed links. */
  verificationTokens?: Adapter
  /** Keeps passkeys. */
  authenticators?: Adapter
  /**
   * Keeps everything else. Instead of it, the methods of that adapter can stand beside the parts:
   * `{ sessions, ...adapter }`.
   */
  rest?: Adapter
}

/** An adapter whose stores can be closed. */
export interface CombinedAdapter extends Adapter {
  /**
   * Closes each part that can be closed, once. If one of them fails, the others are closed, and then the call fails.
   */
  close(): Promise<void>
}

const AN_ADAPTER: Shape<Adapter> = { expected: 'an adapter', fits: isRecord }

/** Unknown members may be beside the parts, unless they are adapters. */
const GIVEN: Shape = object<AdapterParts & Adapter>(
  {
    ...underEach([...PARTS, 'rest'], AN_ADAPTER),
    ...underEach(ADAPTER_METHODS, anything),
  },
  { others: 'unless-near' },
)

const KNOWN: ReadonlySet<string> = new Set(Object.keys(GIVEN.members ?? {}))

/**
 * One adapter out of several: for instance users in PostgreSQL and sessions in Redis.
 *
 * A session counts while its user exists: each look-up takes the session from `sessions` and the user from `rest`.
 * Three methods use several stores. `deleteUser` calls `rest` first, and then every other store that has the method.
 * `deleteExpired` calls all stores. `createUserWithAccount` writes the user and the account in one step of `rest`. If
 * passkeys are in another store, it writes the passkey before that: a passkey whose user was never created signs nobody
 * in.
 *
 * @throws {InvalidConfiguration} when a part is not an adapter, or has an unknown name
 * @throws {MissingAdapterMethods} when a part lacks a method that its task needs; the message lists them all
 */
export function combineAdapters(parts: AdapterParts & Adapter): CombinedAdapter {
  checkParts(parts)
  const { sessions, verificationTokens, authenticators, rest = parts } = parts
  const routed: Readonly<Record<Part, Adapter | undefined>> = { sessions, verificationTokens, authenticators }
  requireMethods(routed, rest)

  // Where each method comes from.
  const sources = new Map<Method, Adapter>(ADAPTER_METHODS.map((name) => [name, rest]))
  for (const part of PARTS) {
    const adapter = routed[part]
    if (adapter) for (const name of methodsOf(part).all) sources.set(name, adapter)
  }
  const keepsRecords = (adapter: Adapter) => missingMethods(adapter, RECORD_METHODS).length === 0
  // An adapter made for Auth.js has no place for records.
  if (sessions && !keepsRecords(rest)) for (const name of RECORD_METHODS) sources.set(name, sessions)
  const present = [...sources].filter(([name, adapter]) => typeof adapter[name] === 'function')
  const { createUserWithAccount, ...methods }: Adapter = Object.fromEntries(present.map(boundMethod))
  const signUp = createUserWithAccount && signUpMethod(rest)
  const stores = [...new Set([rest, ...Object.values(routed).filter((adapter) => adapter !== undefined)])]
  const others = stores.filter((adapter) => adapter !== rest)
  const combined = {
    ...methods,
    ...(methods.createUser && { createUser: createUserAcross(methods.createUser, rest, others) }),
    ...(signUp && { createUserWithAccount: signUpAcross(rest, signUp, authenticators, others) }),
    ...(stores.some(({ deleteExpired }) => deleteExpired) && {
      deleteExpired: (options?: DeleteExpiredOptions) => deleteExpiredFrom(stores, options),
    }),
    ...(sessions && { getSessionAndUser: sessionAndUserAcross(sessions, rest) }),
    ...(rest.deleteUser && { deleteUser: (userId: string) => deleteEverywhere(userId, rest, others) }),
    close: () => closeAll(stores),
  }
  const own = present.filter(([name, adapter]) => isOwn(adapter[name])).map(([name]) => name)
  return markOwn(combined, [...own, ...SIGN_UP_METHODS, ...(sessions ? ['getSessionAndUser'] : [])])
}

function checkParts(parts: unknown): void {
  const problems = argumentProblems(parts, GIVEN, {
    subject: 'The parts are',
    form: 'Call it: combineAdapters({ sessions, verificationTokens, authenticators, ...adapter }).',
  })
  if (problems !== null) throw new InvalidConfiguration(problems)
  const stray = Object.entries(parts as object).find(([name, part]) => !KNOWN.has(name) && looksLikeAdapter(part))
  if (!stray) return
  const names = [...PARTS, 'rest'].map((name) => `\`${name}\``).join(', ')
  throw new InvalidConfiguration(`combineAdapters() has no part \`${stray[0]}\`. Its parts are ${names}.`)
}

const looksLikeAdapter = (value: unknown) =>
  isRecord(value) && ADAPTER_METHODS.some((name) => typeof value[name] === 'function')

/** An adapter that may have something to close. */
type Closable = Adapter & { close?: unknown }

/** Closes all stores, also after one of them has failed. */
async function closeAll(stores: readonly Closable[]): Promise<void> {
  // An adapter whose methods are beside the parts may also be one of the parts: then both have the same function.
  const closings = new Map(
    stores.flatMap((store) => {
      const { close } = store
      if (typeof close !== 'function') return []
      return [[Object.hasOwn(store, 'close') ? close : store, async () => close.call(store)] as const]
    }),
  )
  const outcomes = await Promise.allSettled([...closings.values()].map((close) => close()))
  const reasons = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown)
  if (reasons.length > 1) throw new AggregateError(reasons, 'Several stores could not be closed.')
  if (reasons.length === 1) throw reasons[0]
}

/** A method as a function of its own. The method may use `this`. */
function boundMethod([name, adapter]: readonly [Method, Adapter]) {
  const method = adapter[name] as (...args: never[]) => unknown
  return [name, method.bind(adapter)] as const
}

function sessionAndUserAcross(sessions: Adapter, users: Adapter): NonNullable<Adapter['getSessionAndUser']> {
  return async (...args: unknown[]) => {
    const getSession = sessions.getSession as (...args: unknown[]) => ReturnType<NonNullable<Adapter['getSession']>>
    const session = await getSession.apply(sessions, [...acceptedArguments(getSession, args)])
    if (!session) return null
    const user = await users.getUser?.(session.userId)
    // The session is not deleted, because a replica may not have the user yet.
    return user ? { session, user } : null
  }
}

/** As soon as `rest` has deleted the user, none of the user's sessions counts, in any store. */
async function deleteEverywhere(userId: string, rest: Adapter, others: readonly Adapter[]) {
  const user = await rest.deleteUser?.(userId)
  await deleteIn(others, userId)
  return user
}

const deleteIn = (stores: readonly Adapter[], userId: string) =>
  Promise.all(stores.map((adapter) => adapter.deleteUser?.(userId)))

function requireMethods(routed: Readonly<Record<Part, Adapter | undefined>>, rest: Adapter): void {
  const findings = PARTS.flatMap((part) => {
    const adapter = routed[part]
    const missing = adapter ? missingMethods(adapter, methodsOf(part).needed) : []
    return missing.length > 0 ? [`- \`${part}\` has no ${missing.join(', ')}`] : []
  })
  if (routed.sessions && missingMethods(rest, ['getUser']).length > 0) {
    findings.push(
      '- nothing has getUser, which finds the user of a session: add the adapter of the users as `rest`, or `...` its methods' +
        ' (an instance of a class must be `rest`: its methods are not copied)',
    )
  }
  if (findings.length === 0) return
  throw new MissingAdapterMethods(`combineAdapters() cannot work with what it was given:\n${findings.join('\n')}`)
}

type CreateUser = NonNullable<Adapter['createUser']>

const createUserAcross =
  (createUser: CreateUser, rest: Adapter, others: readonly Adapter[]): CreateUser =>
  async (user) =>
    withoutPredecessor(user.id, await createUser(user), rest, others)

/**
 * Deletes what other stores have under the id of a new user. A store that numbers its users may use a number again.
 * Rows of another store under that number belong to a user who was deleted while that store could not be reached. Their
 * passkeys would sign in as the new user.
 *
 * @param asked the id that was asked for
 */
async function withoutPredecessor(
  asked: string | undefined,
  made: AdapterUser,
  rest: Adapter,
  others: readonly Adapter[],
): Promise<AdapterUser> {
  if (!asked || String(made.id) !== String(asked)) await orDelete(rest, made.id, () => deleteIn(others, made.id))
  return made
}

/** Takes a step of a sign-up in another store. If it fails, the new user is deleted. */
async function orDelete(rest: Adapter, userId: string, step: () => Promise<unknown>): Promise<void> {
  try {
    await step()
  } catch (error) {
    await rest.deleteUser?.(userId)
    throw error
  }
}

/**
 * Stores a whole sign-up by the method of `rest`, which has the users and accounts. The passkey may be in another
 * store.
 */
function signUpAcross(
  rest: Adapter,
  method: SignUpMethod,
  passkeys: Adapter | undefined,
  others: readonly Adapter[],
): SignUpMethod {
  const inRest = async (signUp: SignUp) =>
    withoutPredecessor(signUp.user.id, await method.call(rest, signUp), rest, others)
  if (!passkeys) return inRest
  return async ({ authenticator, ...signUp }) => {
    if (!authenticator) return inRest(signUp)
    const { credentialID } = authenticator
    const user = { ...signUp.user, id: signUp.user.id || randomId() }
    // First, since a passkey whose user was never made signs nobody in, and a user without the passkey could never sign
    // in.
    await passkeys.createAuthenticator?.({ ...authenticator, userId: user.id })
    const made = await inRest({ ...signUp, user }).catch(async (error: unknown) => {
      if (hasWrittenNothing(error)) await Promise.allSettled([passkeys.deleteAuthenticator?.(credentialID)])
      throw error
    })
    if (String(made.id) === String(user.id)) return made
    // The store has chosen another id than the one asked for.
    await orDelete(rest, made.id, async () => {
      await passkeys.deleteAuthenticator?.(credentialID)
      await passkeys.createAuthenticator?.({ ...authenticator, userId: made.id })
    })
    return made
  }
}

/** After any other failure the user may have been stored all the same. */
const hasWrittenNothing = (error: unknown): boolean => isDuplicateError(error) || isUnsupportedError(error)
