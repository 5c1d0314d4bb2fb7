import type { Adapter } from '../adapters/adapter.js'
import { missingMethods } from '../adapters/gateway.js'
import { ACCOUNT_TOKEN_METHODS, losesRevocations } from '../adapters/methods.js'
import {
  type CookieOption,
  CROSS_SITE_FIX,
  cookieSpec,
  type DeclaredCookie,
  isForOtherSites,
} from '../kernel/cookies.js'
import { inDays } from '../kernel/describe-value.js'
import { isOtherSite } from '../kernel/front-end-origins.js'
import type { Log } from '../kernel/logger.js'
import { hasProvider, isOAuthProvider, type ResolvedProvider } from '../providers/provider.js'
import { needsIdTokenHint, revocationOf } from '../providers/resolve-endpoints.js'
import { keepsSignInTime } from '../sessions/session-rows.js'
import { COOKIES } from '../sign-in/cookies.js'
import { irrevocableAccess } from '../users/user-access.js'
import type { CompleteOptions } from './option-shapes.js'
import { skipCSRFCheck } from './options.js'
import { type SecretSource, type SharedSecrets, TEST_PROVIDER, weakSources } from './secrets.js'

/** What else the warnings depend on, beside the options themselves. */
export interface WarningFacts {
  /** All secrets as they were configured. */
  readonly secretSources: readonly SecretSource[]
  /** The secrets of session tokens, as this instance uses them; at least one. */
  readonly tokenSecrets: readonly string[]
  readonly providers: readonly ResolvedProvider[]
  readonly publicUrl: URL | null
  readonly isProduction: boolean
  /** Secrets that have no effect, each as a sentence. */
  readonly uselessSecrets: readonly string[]
  readonly sharedSecrets: SharedSecrets | undefined
}

/** Logs warnings about a configuration that works, but in which something may be a mistake. */
export function warnAtStart(options: CompleteOptions, facts: WarningFacts, logger: Log): void {
  if (options.debug && !options.logger) logger.warn('debug-enabled')
  if (options.skipCSRFCheck === skipCSRFCheck) logger.warn('csrf-disabled')
  if (options.experimental?.enableWebAuthn) logger.warn('experimental-webauthn')
  warnAboutWeakSecret(facts, logger)
  for (const reason of facts.uselessSecrets) logger.warn('unused-option', { reason })
  warnAboutSharedSecret(options, facts, logger)
  warnAboutProxy(options, facts, logger)
  warnAboutOtherSites(options, facts, logger)
  if (options.useSecureCookies && facts.publicUrl?.protocol === 'http:') {
    const fix =
      'Browsers do not store such cookies, so nobody can sign in. Remove useSecureCookies, or set the https URL that visitors see.'
    logger.warn('secure-cookies-over-http', { url: facts.publicUrl.origin, fix })
  }
  warnAboutPrefixes(options, facts, logger)
  warnAboutAccounts(options, facts.providers, logger)
  warnAboutSignOut(options, facts.providers, logger)
  if (facts.isProduction && options.session.revocation && losesRevocations(options.session.revocation.store)) {
    const fix =
      'After a restart of the process, revoked sessions count again, and other processes never learn of a revocation. Use redisAdapter() or sqlAdapter() as `session.revocation.store`.'
    logger.warn('memory-revocations', { fix })
  }
  warnAboutSeconds(options, facts.providers, logger)
}

function warnAboutWeakSecret({ secretSources }: WarningFacts, logger: Log): void {
  const options = weakSources(secretSources)
  if (options.length === 0) return
  const fix = 'In production, Latchkey refuses it. `npx latchkey secret` writes a good one to .env.'
  logger.warn('weak-secret', { options, fix })
}

function warnAboutSharedSecret(
  options: CompleteOptions,
  { tokenSecrets: [secret = ''], publicUrl, providers, sharedSecrets }: WarningFacts,
  logger: Log,
): void {
  const sessionCookie = options.cookies.sessionToken?.name ?? 'authjs.session-token'
  const compared = { secret, sessionCookie, url: publicUrl?.href, providers, options }
  if (!sharedSecrets?.isNewlyShared(compared)) return
  const fix =
    'A session cookie of one is accepted by the other. In one application, give the mount and every guard the same configuration. Two applications need a name each, with `instance`, or a secret each.'
  logger.warn('shared-secret', { fix })
}

/** A redirect proxy forwards nothing without a list of hosts. If the public origin is unknown, this may be the proxy. */
function warnAboutProxy(
  { redirectProxyHosts }: CompleteOptions,
  { providers, publicUrl }: WarningFacts,
  logger: Log,
): void {
  if (redirectProxyHosts) return
  const proxies = providers.flatMap((provider) =>
    'redirectProxyUrl' in provider ? (provider.redirectProxyUrl ?? []) : [],
  )
  const redirectProxyUrl = proxies.find((url) => publicUrl === null || new URL(url).origin === publicUrl.origin)
  if (redirectProxyUrl !== undefined) logger.warn('redirect-proxy-without-hosts', { redirectProxyUrl })
}

/**
 * Browsers send no `SameSite=Lax` cookies with the requests of another site. A partitioned cookie is for the site whose page is
 * open: during a sign-in at a provider that is the site of the mount, and afterwards that of the front end.
 */
function warnAboutOtherSites(
  { origins = [], cookies }: CompleteOptions,
  { publicUrl, providers }: WarningFacts,
  logger: Log,
): void {
  const others = publicUrl === null ? [] : origins.filter((origin) => isOtherSite(origin, publicUrl))
  if (others.length === 0) return
  const lax = (['sessionToken', 'csrfToken'] as const).filter((key) => !isForOtherSites(cookies?.[key]?.options))
  if (lax.length > 0) logger.warn('cross-site-cookies', { origins: others, cookies: lax, fix: CROSS_SITE_FIX })
  const navigates = providers.some(({ type }) => type !== 'credentials' && type !== 'webauthn')
  if (!cookies?.sessionToken?.options?.partitioned || !navigates) return
  const fix =
    'The cookie of a sign-in at a provider or by a mailed link is for pages of the mount’s own site then. Give the front end a host of that site.'
  logger.warn('cross-site-cookies', { origins: others, cookies: ['sessionToken'], fix })
}

/** Cookies which no sibling host can set over https, unless the application gives them another name or other attributes. */
function warnAboutPrefixes(
  { cookies, useSecureCookies }: CompleteOptions,
  { publicUrl, isProduction }: WarningFacts,
  logger: Log,
): void {
  const isSecure = useSecureCookies ?? (publicUrl === null ? isProduction : publicUrl.protocol === 'https:')
  if (!isSecure) return
  const isUnprotected = ([key, given]: [string, Partial<CookieOption>]) => {
    const declared: DeclaredCookie = COOKIES[key as keyof typeof COOKIES] ?? { name: key }
    return declared.prefix === undefined && !cookieSpec(declared, true, given).name.startsWith('__Host-')
  }
  const names = Object.entries(cookies).filter(isUnprotected)
  if (names.length === 0) return
  const fix =
    'Every other host of the domain can set these cookies, and so act in the place of a visitor. Begin their names with `__Host-`, and set no domain, no path and no `secure: false`.'
  logger.warn('cookies-without-prefix', { cookies: names.map(([key]) => key), fix })
}

/** Logs warnings about what sign-outs cannot do at a provider, as far as that is known before its metadata are read. */
function warnAboutSignOut(
  { accountTokens, adapter }: CompleteOptions,
  providers: readonly ResolvedProvider[],
  logger: Log,
): void {
  const keepsTokens = missingMethods(adapter ?? {}, ACCOUNT_TOKEN_METHODS).length === 0
  for (const provider of providers) {
    if (!isOAuthProvider(provider) || provider.id === TEST_PROVIDER) continue
    if (accountTokens?.revokeAtSignOut && revocationOf(provider) === null) {
      const option = 'accountTokens.revokeAtSignOut'
      logger.warn('contradicted-option', { provider: provider.id, option, reason: NO_REVOCATION })
    }
    if (!keepsTokens && provider.endSession !== null && needsIdTokenHint(provider))
      logger.warn('no-id-token-hint', { provider: provider.id, reason: 'no store keeps it', fix: NO_STORE })
  }
}

const NO_REVOCATION =
  'It has no revocation endpoint that is known, so a sign-out deletes its tokens here and revokes none of them there. If it has one, set tokenFacts: { revocation: { url, dialect } }.'

const NO_STORE =
  'Set `adapter`. Without the ID token the provider asks people at a sign-out, does not lead them back, or refuses it.'

/** Logs warnings if Latchkey will refuse users whom the application may want to let in. */
function warnAboutAccounts(options: CompleteOptions, given: readonly ResolvedProvider[], logger: Log): void {
  const { adapter, callbacks } = options
  // What a test signs in with is no way of the application.
  const providers = given.filter(({ id }) => id !== TEST_PROVIDER)
  if (!adapter) return
  const sessionsNeedUser = options.session.strategy === 'database'
  if (providers.some(addsAccounts) && !isAnyAgeAccepted(options) && !isSignInTimeKept(options)) {
    const fix =
      'The store keeps no such time. Use an adapter with deleteSessionsByUserId() that keeps authenticatedAt, or set session.recentAuthAge: Infinity.'
    logger.warn('sign-in-time-unknown', { fix })
  }
  if (hasProvider(providers, 'email') && !callbacks.confirmEmail) {
    const store = { has: (name: keyof Adapter) => typeof adapter[name] === 'function' }
    const remaining = irrevocableAccess({ store, providers, sessionsNeedUser })
    const fix =
      'Latchkey could not end the other ways in of such a user. Set callbacks.confirmEmail, which ends them, or use an adapter with the methods for it.'
    if (remaining.length > 0) logger.warn('unconfirmed-addresses', { remaining, fix })
  }
}

/** Whether a signed-in user can add an account or a passkey of the provider. */
const addsAccounts = (provider: ResolvedProvider) => isOAuthProvider(provider) || provider.type === 'webauthn'

/** Whether a user may add an account however long ago they signed in. */
const isAnyAgeAccepted = ({ session }: CompleteOptions) => session.recentAuthAge === Number.POSITIVE_INFINITY

/** Whether sessions have the time of the sign-in. Tokens have a claim for it. Not every store has a column for it. */
const isSignInTimeKept = (options: CompleteOptions) =>
  options.session.strategy !== 'database' || keepsSignInTime(options.adapter ?? {})

const HOUR = 60 * 60
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** A time that an application has chosen. */
interface ChosenTime {
  /** The option, as in `session.maxAge`. */
  readonly name: string
  readonly seconds: number | undefined
  /** If it is longer than this, it was probably meant as milliseconds. */
  readonly most: number
}

/** Logs a warning for each time of a configuration that was probably meant as milliseconds. */
function warnAboutSeconds(
  { session, jwt }: CompleteOptions,
  providers: readonly ResolvedProvider[],
  logger: Log,
): void {
  const refreshUser = typeof session.refreshUser === 'number' ? session.refreshUser : undefined
  const links = providers.flatMap((provider): ChosenTime[] =>
    provider.type === 'email'
      ? [{ name: `maxAge\` of the provider \`${provider.id}`, seconds: provider.maxAge, most: 30 * DAY }]
      : [],
  )
  const times: readonly ChosenTime[] = [
    { name: 'session.maxAge', seconds: session.maxAge, most: 10 * YEAR },
    { name: 'session.updateAge', seconds: session.updateAge, most: YEAR },
    { name: 'session.maxLifetime', seconds: session.maxLifetime, most: 10 * YEAR },
    { name: 'session.recentAuthAge', seconds: session.recentAuthAge, most: RECENT },
    { name: 'session.refreshUser', seconds: refreshUser, most: DAY },
    { name: 'session.remember.maxAge', seconds: session.remember?.maxAge, most: 10 * YEAR },
    { name: 'session.revocation.checkEvery', seconds: session.revocation?.checkEvery, most: HOUR },
    { name: 'jwt.maxAge', seconds: jwt?.maxAge, most: 10 * YEAR },
    ...links,
  ]
  for (const time of times) warnAboutTime(time, logger)
}

/** A sign-in that is older is hardly a recent one. */
const RECENT = 7 * DAY

/** The same for `maxAuthAge` of a guard. */
export const warnAboutAuthAge = (seconds: number, logger: Log): void =>
  warnAboutTime({ name: 'maxAuthAge', seconds, most: RECENT }, logger)

function warnAboutTime({ name, seconds, most }: ChosenTime, logger: Log): void {
  if (seconds === undefined || seconds <= most || seconds === Number.POSITIVE_INFINITY) return
  logger.warn('implausible-seconds', { fix: `\`${name}\` is ${inDays(seconds)}` })
}
