import { losesRevocations } from '../adapters/own-methods.js'
import { CROSS_SITE_FIX, isForOtherSites } from '../http/cookies.js'
import { isOtherSite } from '../http/front-end-origins.js'
import type { Log } from '../logger.js'
import type { ResolvedProvider } from '../providers/provider.js'
import { type AuthConfig, skipCSRFCheck } from './options.js'
import { type SecretSource, weakSources } from './secrets.js'
import type { SharedSecrets } from './shared-secret.js'
import { warnAboutAccounts } from './warn-about-accounts.js'
import { warnAboutSeconds } from './warn-about-seconds.js'
import { warnAboutSignOut } from './warn-about-sign-out.js'

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
export function warnAtStart(options: AuthConfig, facts: WarningFacts, logger: Log): void {
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
  warnAboutAccounts(options, facts.providers, logger)
  warnAboutSignOut(options, facts.providers, logger)
  if (facts.isProduction && options.session?.revocation && losesRevocations(options.session.revocation.store)) {
    const fix =
      'After a restart of the process, revoked sessions count again, and other processes never learn of a revocation. Use redisAdapter() or sqlAdapter() as `session.revocation.store`.'
    logger.warn('memory-revocations', { fix })
  }
  warnAboutSeconds(options, facts.providers, logger)
}

function warnAboutWeakSecret({ secretSources }: WarningFacts, logger: Log): void {
  const options = weakSources(secretSources)
  if (options.length === 0) return
  const fix =
    'In production, Latchkey refuses a secret that has fewer than 32 bytes, or that is one character repeated. `npx latchkey secret` writes a good one to .env.'
  logger.warn('weak-secret', { options, fix })
}

function warnAboutSharedSecret(
  options: AuthConfig,
  { tokenSecrets: [secret = ''], publicUrl, providers, sharedSecrets }: WarningFacts,
  logger: Log,
): void {
  const sessionCookie = options.cookies?.sessionToken?.name ?? 'authjs.session-token'
  const compared = { secret, sessionCookie, url: publicUrl?.href, providers, options }
  if (!sharedSecrets?.isNewlyShared(compared)) return
  const fix =
    'A session cookie of one is accepted by the other. In one application, give the mount and every guard the same configuration. Two applications need a name each, with `instance`, or a secret each.'
  logger.warn('shared-secret', { fix })
}

/** A redirect proxy forwards nothing without a list of hosts. If the public origin is unknown, this may be the proxy. */
function warnAboutProxy({ redirectProxyHosts }: AuthConfig, { providers, publicUrl }: WarningFacts, logger: Log): void {
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
  { origins = [], cookies }: AuthConfig,
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
