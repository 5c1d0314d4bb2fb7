import type { AdapterUser } from '../adapters/adapter.js'
import { isTimeout } from '../adapters/failures.js'
import type { Store } from '../adapters/gateway.js'
import { AccessDenied, AdapterError, AuthError, withoutDetails } from '../kernel/errors.js'
import type { Log } from '../kernel/logger.js'
import type { Account, Awaitable, Profile } from '../providers/provider.js'
import type { Identity } from './identity.js'

/** Who is about to become a user. */
export interface SignUpCallbackParams {
  /** As they will be stored. `emailVerified` says whether the address is proven. */
  user: Omit<AdapterUser, 'id'>
  account: Account
  /** The provider's own profile; only OAuth and OpenID Connect have one. */
  profile?: Profile
}

/** Who becomes a user by signing in: everybody, whom code of the application has invited, or nobody. */
export type SignUpMode = 'open' | 'invited' | 'closed'

/** Whether somebody new may become a user: only true lets them. */
export type SignUpCallback = (params: SignUpCallbackParams) => Awaitable<boolean>

/**
 * Lets somebody in who would become a user: null in its place lets everybody in.
 *
 * @param user `emailVerified` is set if their sign-in has confirmed the address
 * @throws {AccessDenied} if they may not
 */
export type Admit = (user: Omit<AdapterUser, 'id'>) => Promise<Admission>

/** The `code` of the page for somebody who is new, where not everybody may become a user. */
export const NO_SIGN_UP = 'NoSignUp'

/** Another request has the invitation of the address: the same person may be signing up there. */
export class InvitationTaken extends AccessDenied {}

/** That somebody may become a user, once. */
export interface Admission {
  /** Further members of the user, such as a role. Those that say who it is are not among them. */
  readonly fields: object
  /** For somebody who has not become a user: they may come again, unless it was taken back meanwhile. */
  giveBack(): Promise<unknown>
}

/** What decides who becomes a user. */
interface SignUpRules {
  readonly admit?: Admit | null
  readonly signUp?: SignUpCallback | undefined
  readonly store: Pick<Store, 'getUserByEmail'>
  readonly logger: Log
}

/** Somebody who may become a user. */
interface Admitted {
  /** What is to be stored of them. */
  readonly fields: AdapterUser
  /** Does what makes them a user. If it fails, they may come again. */
  givingBackIfItFails<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Asks whether somebody may become a user, before anything of them is stored.
 *
 * @param given as they will be stored
 * @throws {AccessDenied} unless they may; errors of Latchkey's own classes are thrown unchanged
 */
export async function askSignUp(
  { admit, signUp, store, logger }: SignUpRules,
  identity: Identity,
  given: AdapterUser,
): Promise<Admitted> {
  const admission = await admit?.(given)
  const fields = { ...given, ...admission?.fields }
  const givingBackIfItFails: Admitted['givingBackIfItFails'] = async (work) => {
    try {
      return await work()
    } catch (error) {
      // A user who could not be removed, or whom a store makes late, comes in without it. With it, another one could as well.
      const mayBeMade = async () => isTimeout(error) || Boolean(await store.getUserByEmail(fields.email))
      try {
        if (admission && !(await mayBeMade())) await admission.giveBack()
      } catch (fault) {
        const err = withoutDetails(fault)
        logger.error(new AdapterError('An invitation was used up in vain.', { err }), identity.source)
      }
      throw error
    }
  }
  await givingBackIfItFails(() => askCallback(signUp, identity, fields))
  return { fields, givingBackIfItFails }
}

/** @param callback undefined when the application has none: then everybody may */
async function askCallback(
  callback: SignUpCallback | undefined,
  { account, profile }: Identity,
  { id: _id, ...user }: AdapterUser,
): Promise<void> {
  if (!callback) return
  let verdict: boolean
  try {
    verdict = await callback({ user, account, ...(profile && { profile }) })
  } catch (error) {
    if (error instanceof AuthError) throw error
    const err = withoutDetails(error)
    throw new AccessDenied(err.message, { err })
  }
  if (verdict !== true) throw new AccessDenied('The signUp callback did not give true.')
}
