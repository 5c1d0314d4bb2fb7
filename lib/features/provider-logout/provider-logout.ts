import type { CookieChange } from '../../kernel/cookies.js'
import { isCrossSite, isTopNavigation } from '../../kernel/csrf.js'
import { equalInConstantTime, sha256Base64url } from '../../kernel/digest.js'
import { AuthError, ownError, RequestRefused, withoutDetails } from '../../kernel/errors.js'
import { randomToken } from '../../kernel/random.js'
import type { EndSessionEndpoint } from '../../oauth/logout-token.js'
import { siteOf, withParams } from '../../pages/action-urls.js'
import { providerLogoutPage } from '../../pages/signout.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import { isStandardLogout, needsIdTokenHint } from '../../providers/resolve-endpoints.js'
import { ownReading } from '../../sessions/session.js'
import type { SignOutElsewhere } from '../../sign-in/feature.js'
import { FLOWS } from '../../sign-in/flow.js'
import { type Outcome, page, redirect } from '../../sign-in/outcome.js'
import { lookAtSession, type Visit } from '../../sign-in/visit.js'
import {
  type EndableSession,
  endableSessionOf,
  LOGOUT_TRANSACTION,
  PROVIDER_LOGOUT,
  type SessionOfProvider,
  settingsOf,
} from './service.js'

/** Seconds in which a visitor can come back from a provider to the return target. */
const LIFETIME_SECONDS = 5 * 60
/** Keeps the cookie within the 4096 bytes that browsers take. */
const MAX_RETURN_TARGET_LENGTH = 1500

/** Servers refuse URLs of more than 8 kB. */
const MAX_HINT_LENGTH = 6000

/** What the browser keeps, encrypted, while the visitor signs out at a provider. */
interface LogoutState extends SessionOfProvider {
  /** Made at, in milliseconds since the epoch. */
  readonly t: number
  /** The `state` parameter; null if the endpoint takes none. */
  readonly state: string | null
  readonly returnTarget: string
}

/** As {@link SignOutElsewhere.leave}. */
export const leave: SignOutElsewhere['leave'] = async (visit) => {
  const reading = await lookAtSession(visit, 'read')
  const session = reading && endableSessionOf(visit.config, ownReading(reading))
  if (!session || !isWanted(visit, session)) return null
  return (returnTarget) => leaveForProvider(visit, session, returnTarget)
}

/** A route of the application that answers itself says `false`: the visitor goes nowhere then. */
function isWanted({ fields: { endSession } }: Visit, { settings }: EndableSession): boolean {
  if (endSession === 'false' || endSession === false) return false
  return settings.endSession === 'always' || endSession === 'true' || endSession === true
}

/**
 * Sends a visitor whose session here has ended to the logout of the provider. Null if the provider has none, or its metadata
 * cannot be read.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2, §3
 */
async function leaveForProvider(
  visit: Visit,
  { settings, at, userId }: EndableSession,
  returnTarget: string,
): Promise<Extract<Outcome, { kind: 'redirect' }> | null> {
  const { config, urls, origin } = visit
  const endpoint = await endpointOf(visit, settings.id)
  if (endpoint === null) return null
  const isStandard = isStandardLogout(endpoint.returnParam)
  const state = isStandard ? randomToken() : null
  const cookies = keepState(visit, { at, userId, state, returnTarget })
  // Through a page of the mount: code and scripts of the application get its address, and no ID token.
  const to = isStandard
    ? withParams(urls.action('signout'), { endSession: settings.id }, origin)
    : withFields(endpoint.url, fieldsOf(visit, settings, endpoint, state, null)).href
  config.logger.debug('provider-logout', { provider: settings.id }, visit.source)
  return { kind: 'redirect', to, cookies }
}

/**
 * GET signout?endSession: goes to the provider, the first time with the ID token: the next person at this browser gets none. Null
 * if no sign-out of this browser leads there, if a script asks, or another site sends the browser, and if somebody is signed in, or
 * may be: the sign-out under way was perhaps that of another person.
 */
export async function goOn(visit: Visit): Promise<Outcome | null> {
  const { config, query, origin } = visit
  const header = (name: string) => visit.incoming.header(name)
  const isVisit = !isCrossSite(header, origin) && (header('sec-fetch-dest') === undefined || isTopNavigation(header))
  const settings = settingsOf(config.providers.get(query.get('endSession') ?? ''))
  if (!settings || !isVisit) return null
  const { kept, deletions } = findState(visit, settings.id)
  if (!kept) return null
  const reading = await lookAtSession(visit, 'read')
  if (reading === null || reading.session !== null) return null
  const endpoint = await endpointOf(visit, settings.id)
  if (endpoint === null) return redirect(kept.returnTarget, deletions)
  const { hint, lack } = await hintOf(visit, settings, kept)
  if (lack) config.logger.warn('no-id-token-hint', { provider: settings.id, ...lack }, visit.source)
  const cookies = keepState(visit, { ...kept, userId: null })
  const fields = fieldsOf(visit, settings, endpoint, kept.state, hint)
  if (hint === null || settings.endSessionMethod === 'get')
    return redirect(withFields(endpoint.url, fields).href, cookies)
  return page(
    providerLogoutPage({
      name: settings.name,
      action: endpoint.url.href,
      fields,
      stayUrl: kept.returnTarget,
      insecure: siteOf(origin).insecure,
    }),
    cookies,
  )
}

/**
 * GET signout/{provider}: the visitor comes back from the provider. The return target is in the cookie. Without the right state
 * the visitor goes to the public origin, and nothing of the request says where to (LOGOUT-04).
 */
export async function comeBack(visit: Visit): Promise<Outcome> {
  const { provider, query, origin } = visit
  const settings = settingsOf(provider)
  if (!settings) throw new RequestRefused(404, 'Nobody comes back from a sign-out at this provider.')
  const { kept, deletions } = findState(visit, settings.id)
  const isRight = kept !== null && (kept.state === null || equalInConstantTime(kept.state, query.get('state') ?? ''))
  return isRight ? redirect(kept.returnTarget, deletions) : redirect(origin)
}

async function endpointOf({ config, source }: Visit, id: string): Promise<EndSessionEndpoint | null> {
  const steps = await config.services.get(FLOWS).get(id)?.logoutCalls?.()
  try {
    const endpoint = (await steps?.endSessionEndpoint()) ?? null
    if (endpoint === null) config.logger.warn('no-logout-endpoint', { provider: id, fix: SET_ENDPOINT }, source)
    return endpoint
  } catch (error) {
    config.logger.error(new AuthError(NO_METADATA, { err: withoutDetails(error), provider: id }), source)
    return null
  }
}

/**
 * The ID token, or what the log has to say of its absence. Many providers ask the visitor without it. So a failure of the store
 * does not keep anybody from signing out.
 */
async function hintOf(
  { config, source }: Visit,
  { endSessionMethod }: ResolvedOAuthProvider,
  { at, userId }: SessionOfProvider,
): Promise<{ readonly hint: string | null; readonly lack?: { readonly reason: string; readonly fix: string } }> {
  try {
    const hint =
      userId === null ? undefined : await config.services.get(PROVIDER_LOGOUT).tokens.leaveSession(userId, at, source)
    if (!hint) return hint === null ? { hint, lack: NOT_STORED } : { hint: null }
    const isLong = endSessionMethod === 'get' && hint.length > MAX_HINT_LENGTH
    return isLong ? { hint: null, lack: TOO_LONG } : { hint }
  } catch (error) {
    config.logger.error(ownError(error, NO_HINT), source)
    return { hint: null, lack: NOT_READ }
  }
}

const fieldsOf = (
  { urls }: Visit,
  settings: ResolvedOAuthProvider,
  { returnParam }: EndSessionEndpoint,
  state: string | null,
  hint: string | null,
): Record<string, string> => ({
  ...(hint !== null && { id_token_hint: hint }),
  client_id: settings.clientId,
  ...((hint !== null || !needsIdTokenHint(settings)) && {
    ...(returnParam !== null && { [returnParam]: urls.action('signout', settings.id) }),
    ...(state !== null && { state }),
  }),
})

function withFields(endpoint: URL, fields: Readonly<Record<string, string>>): URL {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  return url
}

/** The sign-out at a provider: a browser has one at each. */
const referenceTo = (provider: string) => ({ kind: LOGOUT_TRANSACTION, id: sha256Base64url(provider) })

/** A return target that makes the cookie too long for browsers is left out. */
function keepState(visit: Visit, { returnTarget, ...state }: Omit<LogoutState, 't'>): readonly CookieChange[] {
  const { config, origin } = visit
  const target = returnTarget.length > MAX_RETURN_TARGET_LENGTH ? origin : returnTarget
  const content: LogoutState = { ...state, returnTarget: target, t: config.now() }
  return config.transactions.open(visit, {
    ...referenceTo(state.at.provider),
    contents: { logoutState: content },
    lifetimeSeconds: LIFETIME_SECONDS,
    maxAge: LIFETIME_SECONDS,
  })
}

function findState(visit: Visit, provider: string) {
  const { readings, deletions } = visit.config.transactions.find(visit, referenceTo(provider))
  const { logoutState: reading } = readings
  const state = reading?.state === 'valid' ? (reading.content as LogoutState) : null
  return { kept: state?.at.provider === provider ? state : null, deletions }
}

const TOO_LONG = {
  reason: 'it is too long for a URL',
  fix: "If the session cookie of the provider is SameSite=None, set endSessionMethod: 'post'. Or let the provider put less into ID tokens, such as fewer groups.",
}
const NOT_STORED = {
  reason: 'none is stored of the session that ended',
  fix: 'The adapter has no records, so it keeps that of the newest sign-in, perhaps in another browser, or account() of the provider leaves it out.',
}
const NOT_READ = { reason: 'the store failed', fix: 'The error before this one says why.' }
const NO_METADATA = 'The logout endpoint of a provider could not be found. The visitor is signed out here only.'
const NO_HINT = 'The ID token of somebody who signs out at a provider could not be read.'
const SET_ENDPOINT =
  'Its metadata have no end_session_endpoint that tokens may be sent to. Leave endSession out, or set tokenFacts: { endSession: { url, returnParam } }.'
