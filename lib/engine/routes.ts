import type { Action } from '../actions/action.js'
import { handOutCsrfToken } from '../actions/csrf.js'
import { finishSignIn } from '../actions/finish-signin.js'
import { listProviders } from '../actions/providers.js'
import { readSession, updateSession } from '../actions/session.js'
import { showError, showSignIn, showSignOut, showVerifyRequest } from '../actions/show-page.js'
import { signOut } from '../actions/signout.js'
import { startSignIn } from '../actions/start-signin.js'
import { webAuthnOptions } from '../actions/webauthn-options.js'
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

/** When a POST must bring a CSRF token: always, never, or when the provider's callback is a form of ours. */
type CsrfRule = 'always' | 'by-provider'

/** One action: what each method does, and what it needs. HEAD does as GET, without effect. */
export interface Route {
  readonly GET?: Action
  readonly POST?: Action
  /** Whether a provider's id may follow in the path. */
  readonly takesProvider: boolean
  /** For POST. */
  readonly csrf: CsrfRule
}

const get = (GET: Action): Route => ({ GET, takesProvider: false, csrf: 'always' })

/** Every action there is. */
export const ROUTES: Readonly<Record<AuthAction, Route>> = {
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

/** Whether a text is the name of an action. */
export const isAuthAction = (action: string): action is AuthAction => Object.hasOwn(ROUTES, action)

/** Whether a path under the mount is one that is served: an action's, or that of the script, which is a file and no action. */
export const isServedPath = (path: string): boolean =>
  isAuthAction(path.split('/').find(Boolean) ?? '') || isScriptPath(path)
