import type { Action } from '../actions/action.js'
import { handOutCsrfToken } from '../actions/csrf.js'
import { finishSignIn } from '../actions/finish-signin.js'
import { listProviders } from '../actions/providers.js'
import { serveScript } from '../actions/script.js'
import { readSession, updateSession } from '../actions/session.js'
import { showError, showSignIn, showSignOut, showVerifyRequest } from '../actions/show-page.js'
import { signOut } from '../actions/signout.js'
import { startSignIn } from '../actions/start-signin.js'
import { webAuthnOptions } from '../actions/webauthn-options.js'
import type { Config } from '../config/config.js'
import { isScriptPath } from '../pages/served-script.js'

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

/** What stands under one path: what each method does, and what it needs. HEAD does as GET, without effect. */
export interface Route {
  readonly GET?: Action
  readonly POST?: Action
  /** Whether a provider's id may follow in the path. */
  readonly takesProvider: boolean
  /** For POST. */
  readonly csrf: CsrfRule
  /** Whether a configuration serves it; left out where every configuration does. */
  readonly isServedBy?: (config: Config) => boolean
}

const get = (GET: Action): Route => ({ GET, takesProvider: false, csrf: 'always' })

/** Every action there is. */
const ACTIONS: Readonly<Record<AuthAction, Route>> = {
  callback: { GET: finishSignIn, POST: finishSignIn, takesProvider: true, csrf: 'by-provider' },
  csrf: get(handOutCsrfToken),
  error: get(showError),
  providers: get(listProviders),
  session: { GET: readSession, POST: updateSession, takesProvider: false, csrf: 'always' },
  signin: { GET: showSignIn, POST: startSignIn, takesProvider: true, csrf: 'always' },
  signout: { GET: showSignOut, POST: signOut, takesProvider: false, csrf: 'always' },
  'verify-request': get(showVerifyRequest),
  'webauthn-options': { GET: webAuthnOptions, takesProvider: true, csrf: 'always' },
}

/** The script of the sign-in page. It is a file, and no action that a client may name. */
const SCRIPT: Route = {
  ...get(serveScript),
  isServedBy: ({ providers }) => [...providers.values()].some(({ provider }) => provider.type === 'webauthn'),
}

/** Where a path under the mount leads. */
export interface RoutePath {
  /** Null for what is no action: the script, and what is not served. */
  readonly action: AuthAction | null
  readonly providerId: string | null
  /** Null when nothing is served there. */
  readonly route: Route | null
}

const NOTHING: RoutePath = { action: null, providerId: null, route: null }

/**
 * Reads a path, without a query. It never throws.
 *
 * @param basePath of the mount, without a trailing slash
 */
export function readPath(path: string, basePath: string): RoutePath {
  if (basePath !== '' && path !== basePath && !path.startsWith(`${basePath}/`)) return NOTHING
  const below = path.slice(basePath.length)
  if (isScriptPath(below)) return { ...NOTHING, route: SCRIPT }
  const [action, providerId = null, ...more] = below.split('/').filter(Boolean)
  if (action === undefined || more.length > 0 || !isAuthAction(action)) return NOTHING
  // Some clients write the id of no provider as "undefined"; Auth.js takes it for none.
  return { action, providerId: providerId === 'undefined' ? null : providerId, route: ACTIONS[action] }
}

/** Whether a text is the name of an action. */
export const isAuthAction = (action: string): action is AuthAction => Object.hasOwn(ACTIONS, action)

/** Whether a path under the mount is one that is served: an action's, with whatever follows it, or that of the script. */
export const isServedPath = (path: string): boolean =>
  isAuthAction(path.split('/').find(Boolean) ?? '') || isScriptPath(path)
