import type { Action, ActionContext } from '../context/action-context.js'
import { file } from '../context/outcome.js'
import { RequestRefused } from '../errors.js'
import type { CookieChange } from '../http/cookies.js'
import { NO_STORE } from '../http/no-store.js'
import { endProviderSessions } from './end-provider-sessions.js'
import { endSession } from './end-session.js'

/**
 * GET frontchannel-logout: ends the sessions of a session at a provider, from a frame in a page of the provider. Whoever
 * knows the `sid` can do so, and nobody but the provider and its clients knows it. The answer is the same whether or not
 * there was such a session.
 *
 * @see OpenID Connect Front-Channel Logout 1.0 §2, §3
 */
export const frontChannelLogout: Action = async (context) => {
  const { provider, sid, origin } = await requireFrontChannel(context)
  const cookies = await endOwn(context, provider, sid)
  const { config, sessions } = context
  if (config.endsSessionsOfProviders) await endProviderSessions({ config, sessions }, { provider, sid }, config.now())
  return { ...file(PAGE, headersFor(origin)), cookies }
}

/** HEAD frontchannel-logout: the headers of GET. No session ends. */
export const headFrontChannelLogout: Action = async (context) =>
  file(undefined, headersFor((await requireFrontChannel(context)).origin))

/** Ends the session of the request, if it is that one. Browsers send its cookie only to a frame of the same site. */
async function endOwn(context: ActionContext, provider: string, sid: string): Promise<readonly CookieChange[]> {
  const { providerSession } = await context.sessions.read(context)
  if (providerSession?.provider !== provider || providerSession.sid !== sid) return []
  const { cookies, fault } = await endSession(context, context.config)
  if (fault) throw fault
  return cookies
}

async function requireFrontChannel({ provider, query }: ActionContext) {
  const settings = provider?.settings
  if (settings?.type !== 'oidc' || !settings.frontChannelLogout) {
    throw new RequestRefused(404, 'No provider signs people out here.')
  }
  const [iss, sid] = [query.get('iss'), query.get('sid')]
  const steps = await provider?.flow.logout?.()
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
