import type { ConfiguredProvider } from '../config/config.js'
import type { FlowQuestion } from '../flows/flow.js'
import { confirmPage } from '../pages/confirm.js'
import { errorPage } from '../pages/error.js'
import { signInPage } from '../pages/signin.js'
import { signOutPage } from '../pages/signout.js'
import { verifyRequestPage } from '../pages/verify-request.js'
import { type Action, type ActionContext, type Outcome, page, redirect } from './action.js'
import { callbackUrlCookie } from './callback-url-cookie.js'
import { withParams } from './urls.js'

/** GET signin: the sign-in page, or the application's own. */
export const showSignIn: Action = (context) => {
  const { config, urls, query, provider, callbackUrl } = context
  const error = text(query['error'])
  const remembered = callbackUrlCookie(context)
  // A sign-in starts with a POST only; a link to one provider shows the page where that POST is one press away.
  if (provider) return redirect(withParams(urls.action('signin'), { callbackUrl }, urls.origin), remembered)
  if (config.pages.signIn) {
    return redirect(withParams(config.pages.signIn, { callbackUrl, error }, urls.origin), remembered)
  }
  const configured = [...config.providers.values()]
  const form = csrfFor(context)
  const view = signInPage({
    providers: configured.map(({ provider }) => provider),
    urls: { signIn: (id) => urls.action('signin', id), callback: (id) => urls.action('callback', id) },
    csrfToken: form.token,
    callbackUrl,
    error,
    code: text(query['code']),
    email: text(query['email']),
    host: new URL(urls.origin).host,
    insecure: isInsecure(urls.origin) || configured.some(leadsToHttp),
  })
  return page(view, [...form.cookies, ...remembered])
}

/** GET signout: asks whether to sign out. */
export const showSignOut: Action = (context) => {
  const { config, urls, callbackUrl } = context
  if (config.pages.signOut) return redirect(config.pages.signOut)
  const form = csrfFor(context)
  const view = signOutPage({
    action: urls.action('signout'),
    csrfToken: form.token,
    callbackUrl,
    host: new URL(urls.origin).host,
    insecure: isInsecure(urls.origin),
  })
  return page(view, [...form.cookies, ...callbackUrlCookie(context)])
}

/** GET verify-request: tells that a mail is on its way. */
export const showVerifyRequest: Action = ({ config, urls, rawQuery }) =>
  config.pages.verifyRequest
    ? redirect(withParams(config.pages.verifyRequest, Object.fromEntries(rawQuery), urls.origin))
    : page(verifyRequestPage({ signInUrl: urls.action('signin') }))

/** GET error: tells of a failure. */
export const showError: Action = ({ config, urls, query }) => {
  const error = text(query['error'])
  return config.pages.error
    ? redirect(withParams(config.pages.error, { error }, urls.origin))
    : page(errorPage({ error, signInUrl: urls.action('signin') }))
}

/** A callback's page with one button, for a link that must not be used up by whoever merely looks at it. */
export function showConfirm(context: ActionContext, providerId: string, question: FlowQuestion): Outcome {
  const { urls, callbackUrl } = context
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
