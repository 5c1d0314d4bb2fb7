import assert from 'node:assert/strict'
import type {
  Adapter,
  AdapterAccount,
  AdapterAuthenticator,
  AdapterSession,
  AdapterTokenSession,
} from '../../adapters/adapter.js'
import type { Samples } from './samples.js'

/** Name of a method of the contract. */
export type Method = keyof Adapter

/** How strict the suite is. */
export type Level = 'authjs' | 'strict'

/** An adapter as the checks call it: each method gives a promise, which rejects if the adapter throws. */
export type AdapterCalls = {
  readonly [Name in Method]-?: (
    ...args: Parameters<NonNullable<Adapter[Name]>>
  ) => Promise<Awaited<ReturnType<NonNullable<Adapter[Name]>>>>
}

/** What a check may know about the suite in which it runs. */
interface SuiteLimits {
  readonly skip: readonly Method[]
  readonly level: Level
}

/** One promise of the contract. */
export interface Check {
  readonly title: string
  /** The lowest level that demands it. */
  readonly level: Level
  /** The methods it calls; it is left out when one of them is skipped. */
  readonly needs: readonly Method[]
  run(adapter: AdapterCalls, samples: Samples, limits: SuiteLimits): Promise<void>
}

/** Collects the checks of one topic: `strict(title, needs, run)` and `authjs(title, needs, run)`. */
export function createChecks() {
  const checks: Check[] = []
  const at =
    (level: Level) =>
    (title: string, needs: readonly Method[], run: Check['run']): void => {
      checks.push({ title, level, needs, run })
    }
  return { checks: checks as readonly Check[], authjs: at('authjs'), strict: at('strict') }
}

/** What {@link createChecks} gives. */
export type Checks = ReturnType<typeof createChecks>

const ACCOUNT_KEY = ['provider', 'providerAccountId']
const TOKEN_KEY = ['identifier', 'token']

/** Methods that find a row by the members of their first argument. Some adapters, such as Prisma's, refuse any others. */
const KEYS: Readonly<Partial<Record<Method, readonly string[]>>> = {
  getUserByAccount: ACCOUNT_KEY,
  unlinkAccount: ACCOUNT_KEY,
  updateAccount: ACCOUNT_KEY,
  useVerificationToken: TOKEN_KEY,
  getVerificationToken: TOKEN_KEY,
}

/** The arguments as Latchkey gives them: tests give whole rows where a key is enough. */
function asGiven(name: Method, [first, ...others]: unknown[]): unknown[] {
  const key = KEYS[name]
  if (!key) return [first, ...others]
  const members = Object.entries(first as object).filter(([member]) => key.includes(member))
  return [Object.fromEntries(members), ...others]
}

/** The methods of an adapter, as {@link AdapterCalls}. A missing one rejects with its name. */
export function callsOf(adapter: Adapter): AdapterCalls {
  return new Proxy({} as AdapterCalls, {
    get:
      (_, name: Method) =>
      async (...args: unknown[]) => {
        const method = adapter[name] as ((...args: unknown[]) => unknown) | undefined
        assert.ok(method, `The adapter has no ${name}(). Name it in \`skip\` if that is by design.`)
        return method.apply(adapter, asGiven(name, args))
      },
    has: (_, name) => typeof adapter[name as Method] === 'function',
  })
}

/**
 * Asserts that a stored row has every member that was given: dates to the millisecond, and null or nothing for absent
 * members. The row may have further members, such as a row number.
 */
export function assertKept(actual: object | null | undefined | void, given: object): void {
  assert.ok(actual, 'expected a row, and there is none')
  const row = actual as Record<string, unknown>
  for (const [name, value] of Object.entries(given)) {
    if (value instanceof Date) {
      assert.ok(row[name] instanceof Date, `${name} is not a Date`)
      assert.equal(row[name].toISOString(), value.toISOString(), name)
    } else if (value === null || value === undefined) {
      assert.ok(row[name] === null || row[name] === undefined, `${name} was absent and has a value`)
    } else {
      assert.deepEqual(row[name], value, name)
    }
  }
}

/** Asserts that a list has exactly these rows, in any order, and each as it was given. */
export function assertListed<Row extends object, Key extends keyof Row>(
  found: readonly Row[],
  given: readonly Row[],
  key: Key,
  message?: string,
): void {
  const keysOf = (rows: readonly Row[]) => rows.map((row) => row[key]).sort()
  assert.deepEqual(keysOf(found), keysOf(given), message)
  for (const row of given) {
    assertKept(
      found.find((one) => one[key] === row[key]),
      row,
    )
  }
}

/** Asserts that a call gave null, which the contract demands of look-ups that find no row. */
export function assertNull(actual: unknown): void {
  assert.equal(actual, null)
}

/** Asserts that a call gave null or undefined. The contract allows both for methods that change rows. */
export function assertNothing(actual: unknown): void {
  assert.ok(actual === null || actual === undefined, 'expected null or undefined')
}

/** Asserts that a call fails. The contract demands a failure, and allows every error. */
export async function assertRefused(call: Promise<unknown>, what: string): Promise<void> {
  const outcome = await Promise.allSettled([call])
  assert.equal(outcome[0].status, 'rejected', `expected a failure: ${what}`)
}

/** Starts `count` calls at once and gives the outcome of each. */
export const atOnce = <T>(count: number, call: (index: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> =>
  Promise.allSettled(Array.from({ length: count }, (_, index) => call(index)))

/** The values of the calls that succeeded. */
export const fulfilled = <T>(outcomes: readonly PromiseSettledResult<T>[]): T[] =>
  outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value)

/** Starts `count` calls at once, asserts that none fails, and gives their values. */
export async function allAtOnce<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  const values = fulfilled(await atOnce(count, call))
  assert.equal(values.length, count, 'number of calls that did not fail')
  return values
}

/** Stores a row that is made of samples and of these members, and gives it. */
type StoreRow<Row> = (adapter: AdapterCalls, samples: Samples, members?: Partial<Row>) => Promise<Row>

/** Stores a user, and gives the id. */
export const newUserId = async (adapter: AdapterCalls, samples: Samples) =>
  (await adapter.createUser(samples.user())).id

/** Stores a session of a new user. */
export const storedSession: StoreRow<AdapterSession> = async (adapter, samples, members) => {
  const session = samples.session(await newUserId(adapter, samples), members)
  await adapter.createSession(session)
  return session
}

/** Stores a token session of a user of whom the store knows nothing else. */
export const storedTokenSession: StoreRow<AdapterTokenSession> = async (adapter, samples, members) => {
  const session = samples.tokenSession(samples.tokenSession('').id, members)
  await adapter.createTokenSession(session)
  return session
}

/** Links an account to a new user. */
export const storedAccount: StoreRow<AdapterAccount> = async (adapter, samples, members) => {
  const account = samples.account(await newUserId(adapter, samples), members)
  await adapter.linkAccount(account)
  return account
}

/** Stores a passkey of a new user. */
export const storedPasskey: StoreRow<AdapterAuthenticator> = async (adapter, samples, members) => {
  const passkey = samples.authenticator(await newUserId(adapter, samples), members)
  await adapter.createAuthenticator(passkey)
  return passkey
}
