import type { Adapter } from './adapter.js'

/** {@link Adapter.createUserWithAccount}, where there is one. */
export type SignUpMethod = NonNullable<Adapter['createUserWithAccount']>

/** What a sign-up is made of where it is made step by step. */
const STEPS = ['createUser', 'linkAccount', 'createAuthenticator'] as const

type Steps = Pick<Adapter, (typeof STEPS)[number]>

/** The steps that a method stands for, by the method. */
const stepsOf = new WeakMap<SignUpMethod, Steps>()

/** An adapter whose `createUserWithAccount` does what its own steps do, as {@link signUpMethod} has to know. */
export function withOwnSignUp<Of extends Adapter>(adapter: Of): Of {
  const { createUserWithAccount: method, createUser, linkAccount, createAuthenticator } = adapter
  if (method) stepsOf.set(method, { createUser, linkAccount, createAuthenticator } as Steps)
  return adapter
}

/**
 * The method that stores all of a sign-up at once; null where the adapter has none, or where one of the steps is not the one that the method stands for: an application that
 * spreads an adapter and puts a `createUser` of its own in place of the adapter's must have it called.
 */
export function signUpMethod(adapter: Adapter): SignUpMethod | null {
  const method = adapter.createUserWithAccount
  if (typeof method !== 'function') return null
  const own = stepsOf.get(method)
  return !own || STEPS.every((name) => own[name] === adapter[name]) ? method : null
}
