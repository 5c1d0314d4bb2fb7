import type { IncomingMessage, ServerResponse } from 'node:http'
import { NO_STORE, RETRY_AFTER } from '../kernel/answer-headers.js'
import type { PageTheme } from './theme.js'
import type { PageView } from './view.js'

/** The headers of a page, for its nonce. */
type PageHeaders = (view: PageView, nonce: string) => Record<string, string>

type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void

/** Stands in the policy where each answer has its own nonce. */
const NONCE = 'nonce-placeholder'

/**
 * Makes the headers of pages. Helmet runs once, here, and not for each page, because two pages of one kind differ only
 * in the nonce. HSTS is not among the headers: only the application can promise https for its whole host.
 */
export async function createPageHeaders(theme: PageTheme): Promise<PageHeaders> {
  const helmet = await import('helmet')
  const common = collect([
    helmet.xContentTypeOptions(),
    helmet.xFrameOptions({ action: 'deny' }),
    helmet.crossOriginOpenerPolicy(),
    helmet.crossOriginResourcePolicy(),
  ])
  // With no-referrer a browser would send "Origin: null" with our own forms, and their origin could not be checked.
  // Pages without a form send no referrer at all: the URL of an error page may contain a code (RFC 9700 §4.2.4).
  const withForm = collect([helmet.referrerPolicy({ policy: 'same-origin' })])
  const withoutForm = collect([helmet.referrerPolicy({ policy: 'no-referrer' })])
  const policy = (formTargets: readonly string[], hasScript = false) => {
    const directives = {
      'default-src': ["'none'"],
      ...(hasScript && { 'script-src': [`'nonce-${NONCE}'`], 'connect-src': ["'self'"] }),
      'style-src': [`'nonce-${NONCE}'`],
      'img-src': ["'self'", 'data:', ...(theme.logo?.origin ? [theme.logo.origin] : [])],
      'form-action': formTargets,
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    }
    const headers = collect([helmet.contentSecurityPolicy({ useDefaults: false, directives })])
    return (headers['content-security-policy'] ?? '').split(NONCE)
  }
  // The answer to a form is a redirect, to a provider or to the application. Chrome applies form-action to every
  // redirect on the way. The hosts are not known here, because a provider's endpoint may come from its metadata.
  const overHttps = policy(["'self'", 'https:'])
  const overHttp = policy(["'self'", 'https:', 'http:'])
  const noForm = policy(["'none'"])
  // The sign-in page has a script, if a visitor can use a passkey there, and so has the page that posts a logout to a
  // provider. No other script can run, and the script can send requests to this origin only.
  const withScript = {
    overHttps: policy(["'self'", 'https:'], true),
    overHttp: policy(["'self'", 'https:', 'http:'], true),
  }
  const shared = { ...NO_STORE, 'content-type': 'text/html; charset=utf-8', ...common }
  const ofForms = { ...shared, ...withForm }
  const ofOthers = { ...shared, ...withoutForm }
  return (view, nonce) => {
    const form = formOf(view)
    const hasForm = form !== null
    const hasScript = view.page === 'provider-logout' || (view.page === 'signin' && view.scriptMount !== null)
    const forms = hasScript ? withScript : { overHttps, overHttp }
    const parts = form === null ? noForm : form.insecure ? forms.overHttp : forms.overHttps
    const isTemporary = view.page === 'error' && view.isTemporary
    return {
      ...(hasForm ? ofForms : ofOthers),
      ...(isTemporary && RETRY_AFTER),
      'content-security-policy': parts.join(nonce),
    }
  }
}

/** The form of a page, or a part of the page that says where its form may lead; null for a page without a form. */
function formOf(view: PageView): { readonly insecure: boolean } | null {
  if (view.page === 'error') return view.sendLink
  if (view.page === 'verify-request') return view.sent?.form ?? null
  return 'insecure' in view ? view : null
}

/** The headers that middlewares set on a response. Names are in lower case, so that each header has one name only. */
function collect(middlewares: readonly Middleware[]): Record<string, string> {
  const headers: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value
    },
  } as unknown as ServerResponse
  for (const run of middlewares) {
    run({} as IncomingMessage, response, (error) => {
      if (error) throw error
    })
  }
  return headers
}
