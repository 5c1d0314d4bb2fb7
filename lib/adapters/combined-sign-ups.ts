import { randomId } from '../kernel/random.js'
import type { Adapter, AdapterUser, SignUp } from './adapter.js'
import { isDuplicateError, isUnsupportedError } from './failures.js'
import type { SignUpMethod } from './own-methods.js'

type Passkey = NonNullable<SignUp['authenticator']>

type CreateUser = NonNullable<Adapter['createUser']>

export const createUserAcross =
  (rest: Adapter, others: ReadonlySet<Adapter>): CreateUser =>
  async (user) =>
    withoutPredecessor(user.id, await (rest.createUser as CreateUser)(user), rest, others)

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
  others: ReadonlySet<Adapter>,
): Promise<AdapterUser> {
  if (asked && String(made.id) === String(asked)) return made
  try {
    await Promise.all([...others].map((adapter) => adapter.deleteUser?.(made.id)))
    return made
  } catch (error) {
    await rest.deleteUser?.(made.id)
    throw error
  }
}

/**
 * Stores a whole sign-up by the method of `rest`, which has the users and accounts. The passkey may be in another
 * store.
 */
export function signUpAcross(
  rest: Adapter,
  method: SignUpMethod,
  passkeys: Adapter | undefined,
  others: ReadonlySet<Adapter>,
): SignUpMethod {
  const inRest: SignUpMethod = async (signUp) =>
    withoutPredecessor(signUp.user.id, await method.call(rest, signUp), rest, others)
  if (!passkeys) return inRest
  return async ({ authenticator, ...others }) => {
    if (!authenticator) return inRest(others)
    const user = { ...others.user, id: others.user.id || randomId() }
    // First, since a passkey whose user was never made signs nobody in, and a user without the passkey could never sign
    // in.
    await passkeys.createAuthenticator?.({ ...authenticator, userId: user.id })
    const made = await signUpOrRemove({ ...others, user }, inRest, authenticator, passkeys)
    if (String(made.id) !== String(user.id)) await handOver(authenticator, made.id, rest, passkeys)
    return made
  }
}

/** Stores a sign-up whose passkey is stored already, and deletes the passkey if the sign-up has stored nothing. */
async function signUpOrRemove(
  signUp: SignUp,
  signUpInRest: SignUpMethod,
  { credentialID }: Passkey,
  passkeys: Adapter,
): Promise<AdapterUser> {
  try {
    return await signUpInRest(signUp)
  } catch (error) {
    if (hasWrittenNothing(error)) await Promise.allSettled([passkeys.deleteAuthenticator?.(credentialID)])
    throw error
  }
}

/** Gives a passkey to the new user, when the store has chosen another id than the one asked for. */
async function handOver(passkey: Passkey, userId: string, rest: Adapter, passkeys: Adapter): Promise<void> {
  try {
    await passkeys.deleteAuthenticator?.(passkey.credentialID)
    await passkeys.createAuthenticator?.({ ...passkey, userId })
  } catch (error) {
    await rest.deleteUser?.(userId)
    throw error
  }
}

/** After any other failure the user may have been stored all the same. */
const hasWrittenNothing = (error: unknown): boolean => isDuplicateError(error) || isUnsupportedError(error)
