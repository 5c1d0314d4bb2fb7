import { type MaybePromise, whenReady } from '../awaitable.js'
import type { Config, ConfiguredProvider } from '../config/config.js'
import type { PagesOptions } from '../config/options.js'
import { createRecentCache, type RecentCache } from '../crypto/recent-cache.js'
import type { FlowQuestion } from '../flows/flow.js'
import { confirmPage } from '../pages/confirm.js'
import { errorPage } from '../pages/error.js'
import { loadMarks } from '../pages/marks.js'
import { type SignInPageInput, signInPage } from '../pages/signin.js'
import { signOutPage } from '../pages/signout.js'
import { verifyRequestPage } from '../pages/verify-request.js'
import type { SignInView } from '../pages/view.js'
import { type Action, type ActionContext, json, type Outcome, page, redirect } from './action.js'
import { callbackUrlCookie } from './callback-url-cookie.js'
import { withParams } from './urls.js'

/** GET signin: the sign-in page, or the application's own. */
export const showSignIn: Action = (context) => {
  const { urls, query, provider, callbackUrl } = context
  const error = text(query['error'])
  const remembered = callbackUrlCookie(context)
  // A sign-in starts with a POST only; a link to one provider shows the page where that POST is one press away.
  if (provider) return redirect(withParams(urls.action('signin'), { callbackUrl }, urls.origin), remembered)
  const form = csrfFor(context)
  const cookies = [...form.cookies, ...remembered]
  const own = ownPage(context, 'signIn', 'signin')
  // A page that the application renders reads the token out of the cookie.
  if (own) return redirect(withParams(own, { callbackUrl, error }, urls.origin), cookies)
  return whenReady(signInPattern(context, error), (pattern) =>
    page({ ...pattern, csrfToken: form.token, callbackUrl }, cookies),
  )
}

/** Sign-in pages that were made before, by the URL of the mount. Whoever asks may choose the host, so there are but a few. */
const patterns = new WeakMap<Config, RecentCache<string, SignInView>>()

/** The sign-in page but for what each visitor has of their own. Nearly everybody asks for the one without an error and without an address. */
function signInPattern(context: ActionContext, error: string | undefined): MaybePromise<SignInView> {
  const { config, urls, query } = context
  const email = text(query['email'])
  if (error !== undefined || email !== undefined) return makeSignInPage(context, { error, email })
  const known = patternsOf(config)
  return (
    known.get(urls.mount) ??
    makeSignInPage(context, {}).then((view) => {
      const pattern = { ...view, pattern: {} }
      known.set(urls.mount, pattern)
      return pattern
    })
  )
}

const PATTERNS = 16

function patternsOf(config: Config): RecentCache<string, SignInView> {
  const known = patterns.get(config)
  if (known) return known
  const made = createRecentCache<string, SignInView>(PATTERNS)
  patterns.set(config, made)
  return made
}

async function makeSignInPage(
  { config, urls, query }: ActionContext,
  told: Pick<SignInPageInput, 'error' | 'email'>,
): Promise<SignInView> {
  const configured = [...config.providers.values()]
  return signInPage({
    providers: configured.map(({ provider }) => provider),
    urls: { signIn: (id) => urls.action('signin', id), callback: (id) => urls.action('callback', id) },
    csrfToken: '',
    callbackUrl: '',
    ...told,
    code: text(query['code']),
    host: new URL(urls.origin).host,
    insecure: isInsecure(urls.origin) || configured.some(leadsToHttp),
    marks: await loadMarks(),
  })
}

/** GET signout: asks whether to sign out. */
export const showSignOut: Action = (context) => {
  const { urls, query, callbackUrl } = context
  const error = text(query['error'])
  const form = csrfFor(context)
  const own = ownPage(context, 'signOut', 'signout')
  if (own) return redirect(withParams(own, { error }, urls.origin), form.cookies)
  const view = signOutPage({
    action: urls.action('signout'),
    csrfToken: form.token,
    callbackUrl,
    host: new URL(urls.origin).host,
    insecure: isInsecure(urls.origin),
    error,
  })
  return page(view, [...form.cookies, ...callbackUrlCookie(context)])
}

/** GET verify-request: tells that a mail is on its way. */
export const showVerifyRequest: Action = (context) => {
  const { urls, query, callbackUrl } = context
  const own = ownPage(context, 'verifyRequest', 'verify-request')
  if (!own) return page(verifyRequestPage({ signInUrl: urls.action('signin') }))
  // The page of the application is handed the target that passed the redirect callback, never the one that was asked for.
  const checked = query['callbackUrl'] === undefined ? {} : { callbackUrl }
  return redirect(withParams(own, { ...(query as Record<string, string>), ...checked }, urls.origin))
}

/** GET error: tells of a failure. */
export const showError: Action = (context) => {
  const { urls, query, callbackUrl } = context
  const error = text(query['error'])
  const code = text(query['code'])
  const own = ownPage(context, 'error', 'error')
  if (own) return redirect(withParams(own, { error, code }, urls.origin))
  const target = callbackUrl === urls.origin ? {} : { callbackUrl }
  return page(errorPage({ error, code, signInUrl: withParams(urls.action('signin'), target, urls.origin) }))
}

/** The application's own page in place of a built-in one. An address that is the built-in one itself would lead round for ever. */
function ownPage({ config, urls }: ActionContext, name: keyof PagesOptions, action: string): string | undefined {
  const own = config.pages[name]
  if (own === undefined) return undefined
  const { origin, pathname } = new URL(own, urls.origin)
  const isBuiltIn = (origin + pathname).replace(/\/+$/, '') === urls.action(action)
  return isBuiltIn ? undefined : own
}

/**
 * A callback's page with one button, for a link that must not be used up by whoever merely looks at it. A script is given its address: it cannot press the
 * button, and a browser that it sends there shows it.
 */
export function showConfirm(context: ActionContext, providerId: string, question: FlowQuestion): Outcome {
  const { urls, callbackUrl, incoming, rawQuery } = context
  if (incoming.header('x-auth-return-redirect')) {
    return json({ url: `${urls.action('callback', providerId)}?${rawQuery}`, confirm: true })
  }
  const form = csrfFor(context)
  const view = confirmPage({
    action: urls.action('callback', providerId),
    fields: question.fields,
    identifier: question.identifier,
    csrfToken: form.token,
    callbackUrl,
    host: new URL(urls.origin).host,
    insecure: isInsecure(urls.origin),
  })
  return page(view, [...form.cookies, ...callbackUrlCookie(context)])
}

function csrfFor({ config, cookies, scheme }: ActionContext) {
  return config.csrf?.handOut(cookies, scheme.specs.csrfToken) ?? { token: '', cookies: [] }
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const isInsecure = (url: string) => url.startsWith('http:')

const leadsToHttp = ({ provider }: ConfiguredProvider) =>
  'authorization' in provider &&
  (provider.authorization.url?.protocol === 'http:' || provider.discoveryUrl?.protocol === 'http:')
