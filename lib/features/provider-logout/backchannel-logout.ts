import type { ProviderSession } from '../../adapters/adapter.js'
import { NO_STORE } from '../../kernel/answer-headers.js'
import { ownError, RequestRefused } from '../../kernel/errors.js'
import { ProviderFault, ProviderOutage } from '../../oauth/faults.js'
import type { LogoutClaims } from '../../oauth/logout-token.js'
import { PROVIDER_CLOCK_TOLERANCE_SECONDS } from '../../oauth/times.js'
import { ownerOfAccount } from '../../sessions/jwt-claims.js'
import { ownReading } from '../../sessions/session.js'
import type { EndedElsewhere, LogoutCounts } from '../../sessions/session-manager.js'
import { flowOf } from '../../sign-in/flow.js'
import { happened } from '../../sign-in/happened.js'
import { file, json, type Outcome } from '../../sign-in/outcome.js'
import { signOutHere } from '../../sign-in/sign-out-here.js'
import { type Action, type Visit, withoutRequest } from '../../sign-in/visit.js'
import { LogoutTokenError } from './errors.js'
import { PROVIDER_LOGOUT, type SessionOfProvider } from './service.js'

/**
 * POST backchannel-logout: ends the sessions that a logout token of a provider names. The provider sends it, not a browser, so
 * it comes without cookies and without a CSRF token. The signature of the token says who sent it.
 *
 * The answer is 200 once all of them have ended, 503 if the keys or the metadata of the provider cannot be fetched at the
 * moment, and 400 otherwise, also if the store failed. After 503 and a failure of the store, the provider may send the token
 * again.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 §2.5 to §2.8
 */
export const backChannelLogout: Action = async (visit) => {
  const provider = requireBackChannel(visit)
  const { config, source } = visit
  const { used } = config.services.get(PROVIDER_LOGOUT)
  try {
    const claims = await verify(visit)
    const { subject, sid, tokenId, issuedAt, refusedFrom } = claims
    const token = { provider, tokenId }
    if (await used.has(token, refusedFrom)) return refuse(visit, provider, new ProviderFault(REPLAYED))
    const at = { provider, ...(subject !== undefined && { subject }), ...(sid !== undefined && { sid }) }
    const { ended, left } = await endSessionsBegunAt(visit, at, issuedAt + PROVIDER_CLOCK_TOLERANCE_SECONDS * 1000)
    // Last: after a failure, the provider can send the same token again.
    await used.add(token, refusedFrom)
    if (ended === 0 || left > 0)
      config.logger.error(new LogoutTokenError(resultOf(provider, ended, left), { provider }), source)
    return json(undefined)
  } catch (error) {
    if (error instanceof ProviderFault) return refuse(visit, provider, error)
    config.logger.error(ownError(error, NOT_ENDED), source)
    return json({ error: 'logout_failed', error_description: TRY_AGAIN }, [], 400)
  }
}

/** The id of the provider in the path, if the configuration accepts its logout tokens. */
function requireBackChannel({ provider }: Visit): string {
  if (provider?.type === 'oidc' && provider.backChannelLogout) return provider.id
  const why =
    provider?.type === 'oidc' ? `Provider "${provider.id}" has no \`backChannelLogout: true\`` : 'No such provider'
  throw new RequestRefused(404, `${why}, so no logout token is accepted here.`)
}

async function verify({ config, provider, fields }: Visit): Promise<LogoutClaims> {
  const token = fields['logout_token']
  const steps = await (provider && flowOf(config, provider).logoutCalls?.())
  if (typeof token !== 'string' || token === '' || !steps) {
    throw new ProviderFault(`Provider "${provider?.id}": the request has no logout_token.`)
  }
  return steps.verifyLogoutToken(token)
}

/** Anybody can send a request, so the answer does not say what is wrong with the token. The log does. */
function refuse({ config, source }: Visit, provider: string, err: ProviderFault): Outcome {
  const isOutage = err instanceof ProviderOutage
  config.logger.error(new LogoutTokenError(err.message, { err, provider, isFault: isOutage }), source)
  return isOutage
    ? json({ error: 'temporarily_unavailable', error_description: NOT_CHECKED }, [], 503)
    : json({ error: 'invalid_request', error_description: REFUSED }, [], 400)
}

const resultOf = (provider: string, ended: number, left: number): string =>
  left === 0
    ? `Provider "${provider}": a logout token ended no session. None with its sub or sid is known here; it may have ended before.`
    : `Provider "${provider}": a logout token ended ${ended} sessions, and left ${left} that began more than a minute after it. If they should have ended, the clock of this machine may be fast.`

const REPLAYED = 'A logout token was used already. It is good once.'
const REFUSED = 'The logout token was refused. The log of the application says why.'
const NOT_CHECKED = 'The logout token cannot be checked at the moment. Send it again.'
const TRY_AGAIN = 'Not all sessions could be ended. Send the logout token again.'
const NOT_ENDED = 'Not all sessions of a logout at a provider could be ended.'

/**
 * Ends all sessions that a logout at a provider is about, drops refresh tokens, and tells the application. It can be
 * called again after a failure: it then ends the rest.
 *
 * @param beganUntil as {@link ProviderLogout.beganUntil}
 * @throws {AuthError} when a session may not have ended
 */
async function endSessionsBegunAt(
  { config, sessions, source }: Pick<Visit, 'config' | 'sessions' | 'source'>,
  at: ProviderSession,
  beganUntil: number,
): Promise<LogoutCounts> {
  const { tokens } = config.services.get(PROVIDER_LOGOUT)
  const ended: EndedElsewhere[] = []
  const owner = await ownerOf(config, at)
  let counts: LogoutCounts
  try {
    counts = await sessions.revokeAllAt({ at, beganUntil, owner, userId: config.store && owner, source }, (session) =>
      ended.push(session),
    )
  } finally {
    // The request is not that of the user, so it says nothing about their browser.
    const place = withoutRequest(config, source)
    for (const { message, userId } of ended) {
      // Without a store, the session names an account, and no user.
      await happened.ended(place, { message, kind: 'session-ended', userId: config.store && userId, at })
    }
  }
  // The owner too: after a failure here, their sessions have ended already.
  const endedAt = { ...at, hasNewer: counts.left > 0 }
  if (owner !== null) await tokens.dropRefreshTokens(owner, endedAt)
  for (const { userId, subject = at.subject } of ended) {
    if (userId === owner && subject === at.subject) continue
    // A logout by `sid` alone does not name the account. The row of the session does.
    await tokens.dropRefreshTokens(userId, { ...endedAt, ...(subject !== undefined && { subject }) })
  }
  return counts
}

/** Who the subject is here; null if nobody is. */
async function ownerOf({ store }: Visit['config'], { provider, subject }: ProviderSession): Promise<string | null> {
  if (subject === undefined) return null
  const account = { provider, providerAccountId: subject }
  if (store === null) return ownerOfAccount(account)
  return (await store.getUserByAccount(account))?.id ?? null
}

/**
 * GET frontchannel-logout: ends the sessions of a session at a provider, from a frame in a page of the provider. Whoever
 * knows the `sid` can do so, and nobody but the provider and its clients knows it. The answer is the same whether or not
 * there was such a session.
 *
 * @see OpenID Connect Front-Channel Logout 1.0 §2, §3
 */
export const frontChannelLogout: Action = async (visit) => {
  const { provider, sid, origin } = await requireFrontChannel(visit)
  const own = await readOwn(visit, provider, sid)
  try {
    await endAll(visit, { provider, sid })
  } finally {
    if (own) await endOwn(visit, own)
  }
  return file(PAGE, headersFor(origin))
}

/** The session of the request, if it is that one. Browsers send its cookie only to a frame of the same site. */
async function readOwn(visit: Visit, provider: string, sid: string): Promise<SessionOfProvider | null> {
  const { providerSession: at, userId } = ownReading(await visit.sessions.read(visit))
  return at?.provider === provider && at.sid === sid ? { at, userId } : null
}

async function endAll({ config, sessions, source }: Visit, at: ProviderSession): Promise<void> {
  if (config.services.get(PROVIDER_LOGOUT).endsSessions)
    await endSessionsBegunAt({ config, sessions, source }, at, config.now())
}

/** Ends the session of the request also where no store lists it. Its cookies are deleted although something fails. */
async function endOwn(visit: Visit, { at, userId }: SessionOfProvider): Promise<void> {
  const { cookies, fault } = await signOutHere(visit, visit.config)
  visit.keep.always('session', cookies)
  if (fault) throw fault
  if (userId !== null) await visit.config.services.get(PROVIDER_LOGOUT).tokens.dropRefreshTokens(userId, at)
}

async function requireFrontChannel({ config, provider, query }: Visit) {
  if (provider?.type !== 'oidc' || !provider.frontChannelLogout) {
    throw new RequestRefused(404, 'No provider signs people out here.')
  }
  const [iss, sid] = [query.get('iss'), query.get('sid')]
  const steps = await flowOf(config, provider).logoutCalls?.()
  const origin = iss === null ? null : await steps?.originOfIssuer(iss)
  if (!origin || !sid) throw new RequestRefused(400, 'A logout needs the parameters iss, of the provider, and sid.')
  return { provider: provider.id, sid, origin }
}

/** Only a page of the provider may have it in a frame (LOGOUT-10). */
const headersFor = (origin: string) => ({
  ...NO_STORE,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; frame-ancestors ${origin}`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})

const PAGE = '<!doctype html><title>Signed out</title>'
