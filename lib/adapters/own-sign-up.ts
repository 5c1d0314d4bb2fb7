import type { Adapter } from './adapter.js'

/** The type of {@link Adapter.createUserWithAccount}. */
export type SignUpMethod = NonNullable<Adapter['createUserWithAccount']>

/** The methods that store a sign-up step by step. */
const STEPS = ['createUser', 'linkAccount', 'createAuthenticator'] as const

type Steps = Pick<Adapter, (typeof STEPS)[number]>

/** The steps that a method replaces, by the method. */
const stepsOf = new WeakMap<SignUpMethod, Steps>()

/**
 * Records that the `createUserWithAccount` of an adapter does the same as the adapter's own steps. {@link signUpMethod}
 * has to know that.
 */
export function withOwnSignUp<Of extends Adapter>(adapter: Of): Of {
  const { createUserWithAccount: method, createUser, linkAccount, createAuthenticator } = adapter
  if (method) stepsOf.set(method, { createUser, linkAccount, createAuthenticator } as Steps)
  return adapter
}

/**
 * The method that stores a whole sign-up at once. Null if the adapter has none, or if the application has replaced one
 * of the steps: an application that spreads an adapter and adds a `createUser` of its own expects that its function is
 * called.
 */
export function signUpMethod(adapter: Adapter): SignUpMethod | null {
  const method = adapter.createUserWithAccount
  if (typeof method !== 'function') return null
  const own = stepsOf.get(method)
  return !own || STEPS.every((name) => own[name] === adapter[name]) ? method : null
}
