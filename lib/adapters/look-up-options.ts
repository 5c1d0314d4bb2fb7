import type { Adapter } from './adapter.js'

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
const NAMES = ['getSession', 'getSessionAndUser'] as const
export type LookUpName = (typeof NAMES)[number]

type AnyMethod = (...args: never[]) => unknown

const accepting = new WeakSet<AnyMethod>()

const isLookUp = (name: keyof Adapter): boolean => (NAMES as readonly string[]).includes(name)

/** Declares that methods with the names of look-ups take {@link LookUpOptions}. */
export function acceptOptions<Methods extends Partial<Record<LookUpName, AnyMethod>>>(methods: Methods): Methods {
  for (const name of NAMES) {
    const method = methods[name]
    if (method) accepting.add(method)
  }
  return methods
}

/**
 * Whether a method takes {@link LookUpOptions}. A function that an application puts around the method of an adapter
 * does not.
 */
export const acceptsOptions = (method: AnyMethod): boolean => accepting.has(method)

/**
 * The arguments that a method can be called with: without {@link LookUpOptions}, unless the method takes them. Adapters
 * made for Auth.js do not expect a further argument, which could change what they do.
 */
export const acceptedArguments = (name: keyof Adapter, method: AnyMethod, args: unknown[]): unknown[] =>
  args.length > 1 && isLookUp(name) && !accepting.has(method) ? args.slice(0, 1) : args
