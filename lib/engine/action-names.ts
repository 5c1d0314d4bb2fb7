import { FEATURES } from '../compose.js'

/** The names of the actions. Each has a route, also those of features. */
export const NAMES = [
  'account',
  'accounts',
  'act-as',
  'address',
  'backchannel-logout',
  'callback',
  'csrf',
  'delete',
  'error',
  'export',
  'frontchannel-logout',
  'jwks',
  'language',
  'link',
  'passkeys',
  'password',
  'providers',
  'second-factor',
  'session',
  'sessions',
  'signin',
  'signout',
  'verify-request',
  'webauthn-options',
] as const

/** What Latchkey does over HTTP; each is a path under the mount. */
export type AuthAction = (typeof NAMES)[number]

/** Whether a text is the name of an action. */
export const isAuthAction = (action: string): action is AuthAction => (NAMES as readonly string[]).includes(action)

/**
 * Whether a path under the mount is one that is served: an action's, with whatever follows it, or that of a script.
 */
export const isServedPath = (path: string): boolean =>
  isAuthAction(path.split('/').find(Boolean) ?? '') ||
  FEATURES.some(({ files = [] }) => files.some((file) => file.path.test(path)))
