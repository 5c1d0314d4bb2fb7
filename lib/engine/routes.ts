import { postLink, showLink } from '../features/linking/link-action.js'
import { getWebAuthnOptions, serveButtonsScript, serveScript } from '../features/passkeys/passkey-actions.js'
import { backChannelLogout } from '../features/provider-logout/backchannel-logout.js'
import { frontChannelLogout } from '../features/provider-logout/frontchannel-logout.js'
import { BUTTONS_PATH, SCRIPT_PATH } from '../pages/loaded-assets.js'
import { callback } from '../sign-in/callback.js'
import type { Config } from '../sign-in/config.js'
import { showError } from '../sign-in/error.js'
import { showVerifyRequest } from '../sign-in/send-link-form.js'
import { getCsrfToken, getSession, hasPublishedKeys, listProviders, postSession, showKeys } from '../sign-in/session.js'
import { enterMount, postSignIn, showSignIn } from '../sign-in/sign-in.js'
import { postSignOut, showSignOut } from '../sign-in/sign-out.js'
import type { Action } from '../sign-in/visit.js'
import {
  listAccounts,
  listPasskeys,
  listSessions,
  removePasskey,
  renamePasskey,
  revokeSessions,
  unlinkAccount,
  type VisitorAction,
} from '../visitor/visitor-actions.js'
import { type AuthAction, isAuthAction } from './action-names.js'

/**
 * When a POST must have a CSRF token: always; if a form of Latchkey is sent to the callback of the provider; or never, because
 * no browser sends it.
 */
type CsrfRule = 'always' | 'by-provider' | 'never'

/** A path of the mount: what each method does, and what it needs. */
export interface Route {
  readonly GET?: Action
  readonly POST?: Action
  /**
   * Whether GET uses something up, changes or asks the store, or calls functions of the application. HEAD does nothing
   * then: its answer sets no cookie, so the result of a renewal or of the `jwt` callback would be lost, and a program that
   * checks links must not use one up. Absent: HEAD does the same as GET.
   */
  readonly getHasEffect?: true
  /** Whether a provider's id may follow in the path. */
  readonly takesProvider: boolean
  /** For POST. */
  readonly csrf: CsrfRule
  /**
   * The methods that a request with a bearer token may use. Absent: none, because a program begins no sign-in, links no
   * account and adds no passkey.
   */
  readonly bearer?: readonly ('GET' | 'POST')[]
  /** Whether a POST may have a parameter more than once in its query; no other request may. */
  readonly mayRepeatParameters?: boolean
  /** Routes of fixed paths below this one, by the segment that follows. */
  readonly below?: Readonly<Record<string, Route>>
  /** Whether a configuration serves this path. Absent: every configuration does. */
  readonly isServedBy?: (config: Config) => boolean
}

const get = (GET: Action): Route => ({ GET, takesProvider: false, csrf: 'always' })

/** What people have: GET lists it, and each path below changes one. */
const own = (
  list: VisitorAction,
  changes: Readonly<Record<string, VisitorAction>>,
  condition: Pick<Route, 'isServedBy'> = {},
): Route => ({
  ...get(list.action),
  ...condition,
  getHasEffect: true,
  ...(list.bearer && { bearer: ['GET'] }),
  below: Object.fromEntries(
    Object.entries(changes).map(([path, { action, bearer }]): [string, Route] => [
      path,
      { POST: action, ...condition, takesProvider: false, csrf: 'always', ...(bearer && { bearer: ['POST'] }) },
    ]),
  ),
})

const hasPasskeys = ({ providers }: Config): boolean =>
  [...providers.values()].some(({ settings }) => settings.type === 'webauthn')

/** Every action there is. */
const ACTIONS: Readonly<Record<AuthAction, Route>> = {
  'backchannel-logout': { POST: backChannelLogout, takesProvider: true, csrf: 'never' },
  'frontchannel-logout': { GET: frontChannelLogout, getHasEffect: true, takesProvider: true, csrf: 'always' },
  jwks: { ...get(showKeys), isServedBy: hasPublishedKeys },
  accounts: own(listAccounts, { unlink: unlinkAccount }),
  callback: { GET: callback, getHasEffect: true, POST: callback, takesProvider: true, csrf: 'by-provider' },
  csrf: get(getCsrfToken),
  error: get(showError),
  link: { GET: showLink, getHasEffect: true, POST: postLink, takesProvider: true, csrf: 'always' },
  passkeys: own(listPasskeys, { rename: renamePasskey, remove: removePasskey }, { isServedBy: hasPasskeys }),
  providers: { ...get(listProviders), bearer: ['GET'] },
  session: {
    GET: getSession,
    getHasEffect: true,
    POST: postSession,
    takesProvider: false,
    csrf: 'always',
    bearer: ['GET'],
  },
  sessions: own(listSessions, { revoke: revokeSessions }),
  // A sign-in request may repeat parameters that it passes on to the provider (RFC 8707 §2, `resource`).
  signin: { GET: showSignIn, POST: postSignIn, takesProvider: true, csrf: 'always', mayRepeatParameters: true },
  signout: { GET: showSignOut, POST: postSignOut, takesProvider: true, csrf: 'always', bearer: ['POST'] },
  'verify-request': get(showVerifyRequest),
  'webauthn-options': { GET: getWebAuthnOptions, getHasEffect: true, takesProvider: true, csrf: 'always' },
}

/** The scripts of the sign-in page and for pages of the application. They are files and not actions, so clients have no names for them. */
const SCRIPT: Route = { ...get(serveScript), isServedBy: hasPasskeys }
const BUTTONS: Route = { ...get(serveButtonsScript), isServedBy: hasPasskeys }

/** The mount itself. It is no action, so it has no name that clients use. */
const MOUNT: Route = get(enterMount)

/** The meaning of a path under the mount. */
export interface RouteFound {
  /** Null for a script, for the mount itself, and for a path that is not served. */
  readonly action: AuthAction | null
  readonly providerId: string | null
  /** Null if the path is not served. */
  readonly route: Route | null
}

const NOTHING: RouteFound = { action: null, providerId: null, route: null }

/**
 * Finds the meaning of a path. It never throws.
 *
 * @param basePath of the mount, without a trailing slash
 */
export function findRoute(path: string, basePath: string): RouteFound {
  if (basePath !== '' && path !== basePath && !path.startsWith(`${basePath}/`)) return NOTHING
  const below = path.slice(basePath.length)
  // A mount at the root has no path of its own: `/` is the first page of the application.
  if (basePath !== '' && /^\/*$/.test(below)) return { ...NOTHING, route: MOUNT }
  if (SCRIPT_PATH.test(below)) return { ...NOTHING, route: SCRIPT }
  if (below === BUTTONS_PATH) return { ...NOTHING, route: BUTTONS }
  const [action, providerId = null, ...more] = below.split('/').filter(Boolean)
  if (action === undefined || more.length > 0 || !isAuthAction(action)) return NOTHING
  const route = ACTIONS[action]
  if (providerId !== null && route.below && Object.hasOwn(route.below, providerId)) {
    return { action, providerId: null, route: route.below[providerId] ?? null }
  }
  // Some clients send "undefined" if they have no provider. Auth.js treats it as a missing id.
  return { action, providerId: providerId === 'undefined' ? null : providerId, route }
}
