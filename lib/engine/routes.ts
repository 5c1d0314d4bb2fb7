import { callback, headCallback } from '../actions/callback.js'
import { getCsrfToken } from '../actions/csrf.js'
import { showError } from '../actions/error.js'
import { listProviders } from '../actions/providers.js'
import { serveScript } from '../actions/script.js'
import { getSession, headSession, postSession } from '../actions/session.js'
import { postSignIn, showSignIn } from '../actions/sign-in.js'
import { postSignOut, showSignOut } from '../actions/sign-out.js'
import { showVerifyRequest } from '../actions/verify-request.js'
import { getWebAuthnOptions, headWebAuthnOptions } from '../actions/webauthn-options.js'
import type { Config } from '../config/config.js'
import type { Action } from '../context/action-context.js'
import { SCRIPT_PATH } from '../pages/served-script.js'

/** What Latchkey does over HTTP; each is a path under the mount. */
export type AuthAction =
  | 'callback'
  | 'csrf'
  | 'error'
  | 'providers'
  | 'session'
  | 'signin'
  | 'signout'
  | 'verify-request'
  | 'webauthn-options'

/** When a POST must bring a CSRF token: always, or when the provider's callback is a form of ours. */
type CsrfRule = 'always' | 'by-provider'

/** What stands under one path: what each method does, and what it needs. */
export interface Route {
  readonly GET?: Action
  /**
   * For an action whose GET has an effect, on the store or in a callback of the application: HEAD has none, and its
   * answer sets no cookie, so what a renewal or the `jwt` callback gave would be lost. Left out, HEAD does as GET.
   */
  readonly HEAD?: Action
  readonly POST?: Action
  /** Whether a provider's id may follow in the path. */
  readonly takesProvider: boolean
  /** For POST. */
  readonly csrf: CsrfRule
  /** Whether a POST may have a parameter more than once in its query; no other request may. */
  readonly mayRepeatParameters?: boolean
  /** Whether a configuration serves it; left out where every configuration does. */
  readonly isServedBy?: (config: Config) => boolean
}

const get = (GET: Action): Route => ({ GET, takesProvider: false, csrf: 'always' })

/** Every action there is. */
const ACTIONS: Readonly<Record<AuthAction, Route>> = {
  callback: { GET: callback, HEAD: headCallback, POST: callback, takesProvider: true, csrf: 'by-provider' },
  csrf: get(getCsrfToken),
  error: get(showError),
  providers: get(listProviders),
  session: { GET: getSession, HEAD: headSession, POST: postSession, takesProvider: false, csrf: 'always' },
  // A sign-in request may repeat parameters that it passes on to the provider (RFC 8707 §2, `resource`).
  signin: { GET: showSignIn, POST: postSignIn, takesProvider: true, csrf: 'always', mayRepeatParameters: true },
  signout: { GET: showSignOut, POST: postSignOut, takesProvider: false, csrf: 'always' },
  'verify-request': get(showVerifyRequest),
  'webauthn-options': { GET: getWebAuthnOptions, HEAD: headWebAuthnOptions, takesProvider: true, csrf: 'always' },
}

/** The script of the sign-in page. It is a file, and no action that a client may name. */
const SCRIPT: Route = {
  ...get(serveScript),
  isServedBy: ({ providers }) => [...providers.values()].some(({ provider }) => provider.type === 'webauthn'),
}

/** What a path under the mount names. */
export interface RouteFound {
  /** Null for what is no action: the script, and what is not served. */
  readonly action: AuthAction | null
  readonly providerId: string | null
  /** Null when nothing is served there. */
  readonly route: Route | null
}

const NOTHING: RouteFound = { action: null, providerId: null, route: null }

/**
 * What a path names. It never throws.
 *
 * @param basePath of the mount, without a trailing slash
 */
export function findRoute(path: string, basePath: string): RouteFound {
  if (basePath !== '' && path !== basePath && !path.startsWith(`${basePath}/`)) return NOTHING
  const below = path.slice(basePath.length)
  if (SCRIPT_PATH.test(below)) return { ...NOTHING, route: SCRIPT }
  const [action, providerId = null, ...more] = below.split('/').filter(Boolean)
  if (action === undefined || more.length > 0 || !isAuthAction(action)) return NOTHING
  // Some clients write the id of no provider as "undefined"; Auth.js takes it for none.
  return { action, providerId: providerId === 'undefined' ? null : providerId, route: ACTIONS[action] }
}

/** Whether a text is the name of an action. */
export const isAuthAction = (action: string): action is AuthAction => Object.hasOwn(ACTIONS, action)

/**
 * Whether a path under the mount is one that is served: an action's, with whatever follows it, or that of the script.
 */
export const isServedPath = (path: string): boolean =>
  isAuthAction(path.split('/').find(Boolean) ?? '') || SCRIPT_PATH.test(path)
