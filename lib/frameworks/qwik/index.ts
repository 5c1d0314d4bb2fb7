import { _serializeData, inlinedQrl } from '@builder.io/qwik'
import { z, zodQrl } from '@builder.io/qwik-city'
import type { AuthConfig } from '../../config/options.js'
import { type HookWork, useSession, useSignIn, useSignOut } from './client.js'
import { hookWork } from './operations.js'
import { handlersOf, type QwikAuthSource, type QwikHandlers } from './qwik-auth.js'

export { AuthError, CredentialsSignin, MissingCSRF } from '../../kernel/errors.js'
export { customFetch } from '../../providers/oauth-config.js'
export type { Account, Profile, User } from '../../providers/provider.js'
export type { DefaultSession, Session } from '../../sessions/session.js'
export type { AuthorizationParams, Visitor, VisitorOfRequest } from '../web/index.js'
export type {
  ActionFailure,
  ActionResult,
  FieldErrors,
  SignInFailure,
  SignInInput,
  SignOutFailure,
  SignOutInput,
} from './client.js'
export type { QwikActionEvent, QwikEvent, QwikHandlerEvent } from './event.js'
export {
  getSession,
  type RedirectOptions,
  type SignInOptions,
  signIn,
  signOut,
  updateSession,
  visitor,
} from './operations.js'
export type { QwikAuthSource, QwikHandler, QwikHandlers } from './qwik-auth.js'

/** The options of Latchkey. */
export type QwikAuthConfig = AuthConfig

/** The checks of Qwik City itself, so that an application gets its texts in its form. */
const inputChecks = (): HookWork['checks'] => ({
  signIn: check('signInInput', {
    providerId: z.string().nullish(),
    redirectTo: z.string().optional(),
    options: z.object({ redirectTo: z.string().optional() }).passthrough().optional(),
    authorizationParams: z.union([z.string(), z.instanceof(URLSearchParams), z.record(z.string())]).optional(),
  }),
  signOut: check('signOutInput', { redirectTo: z.string().optional(), endSession: z.string().optional() }),
})

const check = (name: string, shape: object) => zodQrl(inlinedQrl(shape, `latchkey_${name}`))

const work = hookWork({ serialize: (data) => _serializeData(data, true), checks: inputChecks() })

/** The handlers of a configuration, and the hooks, which Qwik City must find beside them. */
export interface QwikAuthResult extends QwikHandlers {
  readonly useSession: typeof useSession
  readonly useSignIn: typeof useSignIn
  readonly useSignOut: typeof useSignOut
}

/**
 * Authentication for a Qwik City application. Export all of it from `src/routes/plugin@auth.ts`. Components import the
 * hooks from `latchkey/qwik/client` and not from that file, because it has the configuration.
 *
 * @throws {AuthError} at the first request, when the options cannot work: Qwik City loads this while it builds the
 *   application, and then there may be no secret
 */
export const QwikAuth = (config: QwikAuthSource): QwikAuthResult => ({
  ...handlersOf(config, work),
  useSession,
  useSignIn,
  useSignOut,
})
