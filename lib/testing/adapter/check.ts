import assert from 'node:assert/strict'
import type { Adapter } from '../../adapters/adapter.js'
import type { Samples } from './samples.js'

/** Name of a method of the contract. */
export type Method = keyof Adapter

/** How much is demanded. */
export type Level = 'authjs' | 'strict'

/** An adapter as the checks call it: each method gives a promise, however the adapter gives or throws. */
export type AdapterCalls = {
  readonly [Name in Method]-?: (
    ...args: Parameters<NonNullable<Adapter[Name]>>
  ) => Promise<Awaited<ReturnType<NonNullable<Adapter[Name]>>>>
}

/** What a check may know of the suite it runs in. */
export interface SuiteLimits {
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

/** The methods of an adapter, as {@link AdapterCalls}. A missing one rejects with its name. */
export function callsOf(adapter: Adapter): AdapterCalls {
  return new Proxy({} as AdapterCalls, {
    get: (_, name: Method) => async (argument: never, second: never) => {
      const method = adapter[name] as ((...args: unknown[]) => unknown) | undefined
      assert.ok(method, `The adapter has no ${name}(). Name it in \`skip\` if that is by design.`)
      return method.call(adapter, argument, second)
    },
    has: (_, name) => typeof adapter[name as Method] === 'function',
  })
}

/**
 * That a stored row has every member of what was given: dates to the millisecond, and null or nothing for what was absent.
 * Further members, such as a row number, are the adapter's own affair.
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

/** That a call gave nothing: null, as the contract has it where a row is asked for. */
export function assertNull(actual: unknown): void {
  assert.equal(actual, null)
}

/** That a call gave nothing: null or undefined, either of which the contract allows of methods that change rows. */
export function assertNothing(actual: unknown): void {
  assert.ok(actual === null || actual === undefined, 'expected null or undefined')
}

/** That a call fails. With which error is the adapter's affair; that it does not pass silently is the contract. */
export async function assertRefused(call: Promise<unknown>, what: string): Promise<void> {
  const outcome = await Promise.allSettled([call])
  assert.equal(outcome[0].status, 'rejected', `expected a failure: ${what}`)
}

/** Starts `count` calls at once and gives what became of each. */
export const atOnce = <T>(count: number, call: (index: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> =>
  Promise.allSettled(Array.from({ length: count }, (_, index) => call(index)))

/** The values of the calls that succeeded. */
export const fulfilled = <T>(outcomes: readonly PromiseSettledResult<T>[]): T[] =>
  outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value)
