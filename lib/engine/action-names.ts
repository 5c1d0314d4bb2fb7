import { FEATURES } from '../compose.js'
import type { Route } from '../sign-in/feature.js'
import { file } from '../sign-in/outcome.js'

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

/** The style sheet has no hash in its path: the application writes it into its pages. */
const STYLES: Route = {
  GET: async ({ config }) =>
    file(await config.renderer.styles(), {
      'content-type': 'text/css; charset=utf-8',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      // A function of the application may choose the theme for each visitor.
      'cache-control': 'private, max-age=3600',
    }),
}

/** What is served beside the actions. Clients have no names for it. */
export const FILES = [{ path: /^\/assets\/pages\.css$/, route: STYLES }, ...FEATURES.flatMap(({ files = [] }) => files)]

/** Whether a path under the mount is one that is served: an action's, with whatever follows it, or that of a file. */
export const isServedPath = (path: string): boolean =>
  isAuthAction(path.split('/').find(Boolean) ?? '') || FILES.some((file) => file.path.test(path))
