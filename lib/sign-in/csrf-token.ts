import { comesWithBearer } from '../kernel/bearer-token.js'
import type { CookieChange } from '../kernel/cookies.js'
import { isCrossSite, isSafeMethod, isSameOrigin } from '../kernel/csrf.js'
import { MissingCSRF, RequestRefused } from '../kernel/errors.js'
import { isFromFrontEnd } from '../kernel/front-end-origins.js'
import type { Visit } from './visit.js'

/** The CSRF token for a form, and its cookie if the browser needs it. The token is empty if the protection is turned off. */
export const csrfTokenOf = ({
  config,
  cookies,
  specs,
}: Visit): { readonly token: string; readonly cookies: readonly CookieChange[] } =>
  config.csrf?.handOut(cookies, specs.csrfToken) ?? { token: '', cookies: [] }

/**
 * Checks what the browser says of a form that is sent to the mount, before its body is read: another site must not use up the tries of
 * its visitors.
 *
 * @throws {MissingCSRF} if another site has sent it
 */
export function refuseOtherSites(request: Visit): void {
  if (request.config.csrf) refuseCrossSite(request)
}

/**
 * Checks the CSRF token of a form that is sent to the mount.
 *
 * @throws {MissingCSRF} if the token is missing or wrong
 */
export function checkCsrfToken({ config, cookies, specs, fields }: Visit): void {
  if (!config.csrf) return
  if (config.csrf.verify(cookies, specs.csrfToken, fields['csrfToken'])) return
  const isOfOther = config.csrf.mayBeOfOtherSecret(cookies, specs.csrfToken)
  throw new MissingCSRF(
    isOfOther
      ? 'The CSRF cookie was made with a secret that this process does not have.'
      : 'The CSRF token of the form is missing, or is not that of the cookie.',
  )
}

/** A request for which code of the application changes something. */
export interface SentRequest extends Pick<Visit, 'config' | 'header' | 'origin'>, Partial<Pick<Visit, 'source'>> {
  /** Undefined where the framework does not say it. */
  readonly method: string | undefined
}

/**
 * Checks where a request comes from in which code of the application does what a form of ours would do, whatever the
 * framework. Such a request has no CSRF token: the framework may have one of its own, or none, so the browser must say that
 * a page of this origin sent it. This holds for the start of a sign-in, too: it may add an account to the user who is signed
 * in, and it may send a mail. A request with a bearer token needs no such proof, because no browser sends one by itself.
 *
 * Where the method is not known, the request may be a link. Browsers send `Origin` with none, so this header must be there.
 *
 * @throws {RequestRefused} 405 for GET and HEAD
 * @throws {MissingCSRF} when the request may come from another site
 */
export function checkSender(request: SentRequest): void {
  const { config, header, origin, method } = request
  refuseLinks(request)
  const isFromHere = isSameOrigin(header, origin) && (method !== undefined || header('origin') === origin)
  if (isFromHere || comesWithBearer({ config, header })) return
  warnAboutSender(request)
  throw new MissingCSRF(
    `Nothing shows that a page of ${origin} sent the request: sign in and out, change or end sessions and issue tokens in answer to a form or an action of your own pages. If that is not the public origin, set AUTH_URL.`,
  )
}

/**
 * As {@link checkSender}, for code that has another proof than the word of the browser, such as a CSRF token: what the
 * browser says against the request counts.
 */
export function refuseForgeable(request: SentRequest): void {
  refuseLinks(request)
  if (!comesWithBearer(request)) refuseCrossSite(request)
}

function refuseLinks(request: SentRequest): void {
  if (isSafeMethod(request)) throw new RequestRefused(405, CHANGES_NOTHING, { allow: 'POST' })
}

const CHANGES_NOTHING =
  'A GET or HEAD request changes nothing: anybody can write a link, and browsers fetch links ahead. Use POST.'

function refuseCrossSite(request: Omit<SentRequest, 'method'>): void {
  const { config, header, origin } = request
  if (!isCrossSite(header, origin) || isFromFrontEnd(config.origins, header, origin)) return
  warnAboutSender(request)
  throw new MissingCSRF(
    `The browser says that another site sent the form; this one is ${origin}. If that is not its public origin, set AUTH_URL.`,
  )
}

/** A proxy that ends TLS and says so to nobody makes each form look as if the same host had sent it from another site. */
const BEHIND_TLS =
  "The sender is this host with https, so a proxy in front probably ends TLS. Let it send X-Forwarded-Proto and trust it in Express with app.set('trust proxy', …), or set AUTH_URL to the public URL."

function warnAboutSender({ config, header, origin, source }: Omit<SentRequest, 'method'>): void {
  // Nobody is accused of a request that says nothing of its sender, as one of a program.
  if (!isCrossSite(header, origin)) return
  const sent = header('origin') ?? null
  // A client that is no browser can write anything, and the log must not repeat it.
  const sender = sent === null || /^[a-z][a-z0-9+.-]{0,40}:\/\/[\w.:[\]-]{1,255}$/i.test(sent) ? sent : 'no origin'
  const isSameHost = sender !== null && origin.startsWith('http:') && sender === origin.replace('http:', 'https:')
  config.logger.warn(
    'cross-site-post',
    { publicOrigin: origin, sender, ...(isSameHost && { fix: BEHIND_TLS }) },
    source,
  )
}
