import { redirect } from '@sveltejs/kit'
import type { AuthConfig } from '../../config/options.js'
import type { SvelteKitEvent } from './event.js'
import { type SvelteKitAuthResult, type SvelteKitSource, svelteKitAuthWith } from './sveltekit-auth.js'

export { AuthError, CredentialsSignin } from '../../kernel/errors.js'
export { customFetch } from '../../providers/oauth-config.js'
export type { Account, Profile, User } from '../../providers/provider.js'
export type { CurrentSession, DefaultSession, Session } from '../../sessions/session.js'
export type {
  AuthLocals,
  HandleInput,
  RedirectOptions,
  SignInOptions,
  SvelteKitEvent,
  SvelteKitHandle,
} from './event.js'
export type { ActionAnswer, SvelteKitAction, SvelteKitAuthResult } from './sveltekit-auth.js'

/** The options of Latchkey. */
export type SvelteKitAuthConfig = AuthConfig

/**
 * Authentication for a SvelteKit application. Export `handle` from `src/hooks.server.ts`.
 *
 * @param config the options, or a function that returns them for an event. It should return the same object for the same
 *   tenant, because each object is resolved once
 * @throws {AuthError} at the first request, when the options cannot work: SvelteKit loads this while it builds the
 *   application, and then there may be no secret
 */
export const SvelteKitAuth: <Event extends SvelteKitEvent = SvelteKitEvent>(
  config: SvelteKitSource<Event>,
) => SvelteKitAuthResult = svelteKitAuthWith(redirect)
