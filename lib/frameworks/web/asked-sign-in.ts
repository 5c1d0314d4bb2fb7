import type { Engine } from '../../engine/engine.js'
import type { SubmitOptions } from '../../engine/routes.js'
import type { CookieChange } from '../../kernel/cookies.js'
import { isSafeMethod, isSameOrigin, isTopNavigation } from '../../kernel/csrf.js'
import { InvalidConfiguration, RequestRefused } from '../../kernel/errors.js'
import type { Incoming } from '../../kernel/incoming.js'
import { withoutTrailingSlash } from '../../kernel/path-readings.js'
import type { RequestContext } from '../../kernel/request-context.js'
import { parseReturnTarget, returnTargetCookie } from '../../kernel/return-target.js'
import { signInPageUrl } from '../../pages/action-urls.js'
import { isOAuthProvider, type ResolvedProvider } from '../../providers/provider.js'
import { mappedTarget } from '../../sign-in/find-return-target.js'
import type { Redirection } from '../../sign-in/outcome.js'
import { isPage } from './guard-answers.js'
import { isServedAt } from './web-request.js'

/** A request whose code begins a sign-in. */
interface SignInRoute {
  readonly engine: Engine
  /** Public origin. */
  readonly origin: string
  readonly incoming: Omit<RequestContext, 'origin'> & Pick<Incoming, 'target'> & Pick<SubmitOptions, 'method'>
}

/**
 * A redirect in place of a sign-in that nobody may have asked for: to the sign-in page, where a button begins it. Null if the
 * sign-in may begin: then `Engine.submit` decides what it may do. A GET request begins one only if a person goes to the
 * address from a page of this origin.
 *
 * @param redirectTo where the visitor goes in the end
 * @throws {RequestRefused} 405 where a GET request can never begin the sign-in
 * @throws {AuthError} as {@link toSignInPage}, or if the session cannot be read
 */
export async function askInPlaceOf(
  route: SignInRoute,
  provider: ResolvedProvider,
  redirectTo: unknown,
  { fromAnywhere = false }: { readonly fromAnywhere?: boolean | undefined } = {},
): Promise<Redirection | null> {
  const { engine, incoming, origin } = route
  if (!isSafeMethod(incoming)) return null
  const { type } = provider
  if (type === 'credentials' || type === 'email') {
    throw new RequestRefused(405, 'A link must neither sign in with credentials nor send a mail: use POST.', {
      allow: 'POST',
    })
  }
  if (!isOAuthProvider(provider) || !isVisited(incoming)) return toSignInPage(route, redirectTo)
  if (fromAnywhere) return null
  if (!isSameOrigin(incoming.header, origin)) return toSignInPage(route, redirectTo)
  if (!isLedByMount(route)) return null
  const target = new URL(await mappedTarget(redirectTo, engine.config, origin))
  // Whoever has just signed in goes on, but not in a circle: not to the mount, and not here.
  const isElsewhere = !isServedAt(target.pathname, engine.config.basePath) && !isHere(route, target)
  const goesOn = isElsewhere && (await engine.readSession({ ...incoming, origin })).session !== null
  return goesOn ? { url: target.href, cookies: keptTarget(route, target.href) } : toSignInPage(route, redirectTo)
}

/** Whether a person goes to the address. HEAD sets no cookies, so nothing could end what it begins. */
const isVisited = ({ method, header }: SignInRoute['incoming']): boolean => method !== 'HEAD' && isTopNavigation(header)

/**
 * Whether the mount has led the browser here, by a redirect or by a link in one of its pages. Another site can have named
 * this address as the return target, and after a sign-in the browser says that the request comes from this origin. An own
 * sign-in page may send no `Referer`, so the cookie counts, in which the mount keeps the target that it leads to.
 */
function isLedByMount(route: SignInRoute): boolean {
  const {
    engine: { config },
    incoming: { cookies, header },
    origin,
  } = route
  const kept = parseReturnTarget(cookies.get(config.schemeFor(origin).specs.callbackUrl.name), origin)
  const page = parseReturnTarget(header('referer'), origin)
  return (page !== null && isServedAt(page.pathname, config.basePath)) || (kept !== null && isHere(route, kept))
}

/** Frameworks redirect to the spelling of a path that they like best, and may take parameters out. */
function isHere({ incoming, origin }: SignInRoute, target: URL): boolean {
  const spelling = ({ pathname }: URL) => withoutTrailingSlash(pathname).toLowerCase()
  const here = parseReturnTarget(incoming.target, origin)
  return here !== null && target.origin === origin && spelling(target) === spelling(here)
}

/** From now on, a link that leads here is one that the visitor has chosen. */
function keptTarget(route: SignInRoute, target: string): readonly CookieChange[] {
  const { engine, incoming, origin } = route
  if (!isVisited(incoming) || !isLedByMount(route)) return []
  return returnTargetCookie(incoming.cookies, engine.config.schemeFor(origin).specs.callbackUrl, target)
}

/**
 * The redirect to the sign-in page. Where the route itself is that page, the visitor would go in a circle.
 *
 * @throws {InvalidConfiguration} then; RequestRefused 403 if nobody has gone to the address, as with HEAD
 */
export async function toSignInPage(route: SignInRoute, redirectTo: unknown): Promise<Redirection> {
  const {
    engine: { config },
    incoming,
    origin,
  } = route
  const page = config.pages.signIn ?? `${config.basePath}/signin`
  const asked = parseReturnTarget(incoming.target, origin)
  if (isSafeMethod(incoming) && asked !== null && isPage(asked, new URL(page, origin))) {
    throw isVisited(incoming)
      ? new InvalidConfiguration(OWN_PAGE)
      : new RequestRefused(403, 'Only a visitor who goes to this address begins a sign-in.')
  }
  const target = await mappedTarget(redirectTo, config, origin)
  return { url: signInPageUrl(page, target, origin), cookies: keptTarget(route, target) }
}

const OWN_PAGE =
  'The route at `pages.signIn` began a sign-in for a link of another site, a bookmark or the redirect of a guard, and such a ' +
  'visitor is sent to the sign-in page, which is the route itself. Show a page there that has a form, or call startSignIn ' +
  'of Express with `fromAnywhere: true`.'
