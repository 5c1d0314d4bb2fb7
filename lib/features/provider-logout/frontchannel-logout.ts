import type { ProviderSession } from '../../adapters/adapter.js'
import { NO_STORE } from '../../kernel/answer-headers.js'
import { RequestRefused } from '../../kernel/errors.js'
import { flowOf } from '../../sign-in/flow.js'
import { file } from '../../sign-in/outcome.js'
import { signOutHere } from '../../sign-in/sign-out-here.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import { endSessionsBegunAt } from './backchannel-logout.js'
import { PROVIDER_LOGOUT, type SessionOfProvider } from './service.js'

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
  const failure = await failureOf(() => endAll(visit, { provider, sid }))
  if (own) await endOwn(visit, own)
  if (failure) throw failure.error
  return file(PAGE, headersFor(origin))
}

/** The session of the request, if it is that one. Browsers send its cookie only to a frame of the same site. */
async function readOwn(visit: Visit, provider: string, sid: string): Promise<SessionOfProvider | null> {
  const reading = await visit.sessions.read(visit)
  const { providerSession: at, userId } = reading
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
  if (userId !== null) await visit.config.services.get(PROVIDER_LOGOUT).dropRefreshTokens(userId, at)
}

/** What some work threw; null if it succeeded. */
const failureOf = (work: () => Promise<void>): Promise<{ readonly error: unknown } | null> =>
  work().then(
    () => null,
    (error: unknown) => ({ error }),
  )

async function requireFrontChannel({ config, provider, query }: Visit) {
  const settings = provider?.settings
  if (settings?.type !== 'oidc' || !settings.frontChannelLogout) {
    throw new RequestRefused(404, 'No provider signs people out here.')
  }
  const [iss, sid] = [query.get('iss'), query.get('sid')]
  const steps = await (provider && flowOf(config, provider).logoutCalls?.())
  const origin = iss === null ? null : await steps?.originOfIssuer(iss)
  if (!origin || !sid) throw new RequestRefused(400, 'A logout needs the parameters iss, of the provider, and sid.')
  return { provider: settings.id, sid, origin }
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
