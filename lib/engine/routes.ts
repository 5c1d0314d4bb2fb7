import { FEATURES } from '../compose.js'
import { callback } from '../sign-in/callback.js'
import { showError } from '../sign-in/error.js'
import type { Route } from '../sign-in/feature.js'
import { getCsrfToken, getSession, listProviders, postSession } from '../sign-in/session.js'
import { listSessions, revokeSessions } from '../sign-in/session-actions.js'
import { enterMount, postSignIn, showSignIn } from '../sign-in/sign-in.js'
import { postSignOut, showSignOut } from '../sign-in/sign-out.js'
import { type AuthAction, isAuthAction } from './action-names.js'

const sessionFails = { leadsBack: true, again: 'EndSessions' } as const

/** The paths that need no feature. */
const CORE: Readonly<Record<string, Route>> = {
  callback: { GET: callback, getHasEffect: true, POST: callback, takesProvider: true, csrf: 'by-provider' },
  csrf: { GET: getCsrfToken },
  error: { GET: showError, fails: { asPage: true } },
  providers: { GET: listProviders, bearer: ['GET'] },
  session: { GET: getSession, getHasEffect: true, POST: postSession, bearer: ['GET'] },
  sessions: {
    GET: listSessions,
    getHasEffect: true,
    bearer: ['GET'],
    fails: sessionFails,
    below: { revoke: { POST: revokeSessions, bearer: ['POST'], fails: sessionFails } },
  },
  // A sign-in request may repeat parameters that it passes on to the provider (RFC 8707 §2, `resource`).
  signin: {
    GET: showSignIn,
    POST: postSignIn,
    takesProvider: true,
    mayRepeatParameters: true,
    fails: { asPage: true },
  },
  signout: { GET: showSignOut, POST: postSignOut, takesProvider: true, bearer: ['POST'], fails: { asPage: true } },
}

const ROUTES: Readonly<Record<string, Route>> = Object.assign({}, CORE, ...FEATURES.map(({ routes }) => routes))

const FILES = FEATURES.flatMap(({ files = [] }) => files)

/** The mount itself. It is no action, so it has no name that clients use. */
const MOUNT: Route = { GET: enterMount }

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
  const file = FILES.find(({ path }) => path.test(below))
  if (file) return { ...NOTHING, route: file.route }
  const [action, providerId = null, ...more] = below.split('/').filter(Boolean)
  if (action === undefined || more.length > 0 || !isAuthAction(action)) return NOTHING
  const route = ROUTES[action]
  if (route === undefined) return NOTHING
  if (providerId !== null && route.below && Object.hasOwn(route.below, providerId)) {
    return { action, providerId: null, route: route.below[providerId] ?? null }
  }
  // Some clients send "undefined" if they have no provider. Auth.js treats it as a missing id.
  return { action, providerId: providerId === 'undefined' ? null : providerId, route }
}
