import type { ConfigSource } from '../../config/options.js'
import { isSafeMethod } from '../../kernel/csrf.js'
import { targetOf } from '../../kernel/node-request.js'
import { object } from '../../kernel/object-shape.js'
import { parseReturnTarget } from '../../kernel/return-target.js'
import { anything } from '../../kernel/shape.js'
import { signInPageUrl } from '../../pages/action-urls.js'
import { checkCallOptions } from '../../sessions/check-call-options.js'
import type { Config } from '../../sign-in/config.js'
import { homeOf, mappedTarget } from '../../sign-in/find-return-target.js'
import { noProvider } from '../../sign-in/sign-in-form.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest } from './middleware.js'
import { requireOrigin } from './public-origin.js'

/** Where a link to the sign-in page leads. */
export interface SignInUrlOptions {
  /**
   * Where the visitor goes afterwards: a path or URL, which the `redirect` callback maps. By default, it is the page that
   * was asked for. A request that is not GET or HEAD leads to the public origin, because the browser cannot repeat it.
   */
  readonly redirectTo?: string | undefined
  /**
   * Id of a provider, for its own address under the mount. It shows the sign-in page, because a link must not begin a
   * sign-in.
   */
  readonly provider?: string | undefined
}

const CALL = 'signInUrl(req, config, options)'

/** What a visitor may have sent is judged as theirs: a value that is no target counts as the origin. */
const OPTIONS = object<SignInUrlOptions>({ redirectTo: anything, provider: anything })

/**
 * The URL of the sign-in page, which leads back afterwards: for a link in a page of the application. It is the URL to
 * which `requireAuth` redirects: `pages.signIn`, or else the page under `basePath`, with `callbackUrl`.
 *
 * @returns an absolute URL. In HTML, it must be escaped as any other text
 * @throws {RequestRefused} 404 when there is no such provider
 * @throws {InvalidConfiguration} when an option is unknown
 * @throws {AuthError} when the configuration cannot work, or the public origin is not known
 */
export async function signInUrl(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  options: SignInUrlOptions = {},
): Promise<string> {
  checkCallOptions(options, OPTIONS, CALL)
  const engine = await engineOf(req, config, CALL)
  const origin = requireOrigin(req, engine.config)
  const { redirectTo, provider } = options
  if (provider !== undefined && !engine.config.providers.has(provider))
    throw noProvider(provider, engine.config.providers)
  const target =
    redirectTo === undefined
      ? askedFor(req, engine.config, origin)
      : await mappedTarget(redirectTo, engine.config, origin)
  return signInPageUrl(pageOf(engine.config, provider), target, origin)
}

/** Path or URL of the page to sign in at. */
const pageOf = ({ pages, basePath }: Config, provider?: string): string =>
  provider === undefined ? (pages.signIn ?? `${basePath}/signin`) : `${basePath}/signin/${encodeURIComponent(provider)}`

/** The page that was asked for, if it can be asked for again. */
function askedFor(req: MiddlewareRequest, config: Config, origin: string): string {
  return (
    (isSafeMethod(req) ? parseReturnTarget(config.strippedPrefix + targetOf(req), origin)?.href : undefined) ??
    homeOf(config, origin)
  )
}
