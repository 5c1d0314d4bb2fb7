import type { LoggerInstance } from '../logger.js'
import type { ResolvedProvider } from '../providers/provider.js'
import { type AuthConfig, skipCSRFCheck } from './options.js'
import { type SecretSource, weakSources } from './secrets.js'
import type { SharedSecrets } from './shared-secret.js'
import { warnOfAccounts } from './warn-of-accounts.js'

/** What was found out about a configuration that works. */
export interface WarnedWith {
  /** All secrets as they were configured. */
  readonly secretSources: readonly SecretSource[]
  /** Those of session tokens, as this instance uses them; at least one. */
  readonly tokenSecrets: readonly string[]
  readonly providers: readonly ResolvedProvider[]
  readonly publicUrl: URL | null
  /** What has no effect, each as a sentence. */
  readonly unused: readonly string[]
  readonly sharedSecrets: SharedSecrets | undefined
}

/** Says at the start what works and should be looked at all the same. */
export function warnOf(options: AuthConfig, facts: WarnedWith, logger: LoggerInstance): void {
  if (options.debug && !options.logger) logger.warn('debug-enabled')
  if (options.skipCSRFCheck === skipCSRFCheck) logger.warn('csrf-disabled')
  if (options.experimental?.enableWebAuthn) logger.warn('experimental-webauthn')
  warnOfWeakSecret(facts, logger)
  for (const reason of facts.unused) logger.warn('unused-option', { reason })
  warnOfSharedSecret(options, facts, logger)
  warnOfProxy(options, facts, logger)
  warnOfAccounts(options, facts.providers, logger)
}

function warnOfWeakSecret({ secretSources }: WarnedWith, logger: LoggerInstance): void {
  const options = weakSources(secretSources)
  if (options.length === 0) return
  const fix =
    'Production refuses one that has fewer than 32 bytes, or is one character repeated. Make a good one with `openssl rand -base64 33`.'
  logger.warn('weak-secret', { options, fix })
}

function warnOfSharedSecret(
  { cookies, adapter }: AuthConfig,
  { tokenSecrets: [secret = ''], publicUrl, providers, sharedSecrets }: WarnedWith,
  logger: LoggerInstance,
): void {
  const sessionCookie = cookies?.sessionToken?.name ?? 'authjs.session-token'
  if (!sharedSecrets?.isNewlyShared({ secret, sessionCookie, url: publicUrl?.href, adapter, providers })) return
  const fix =
    'A cookie of one is a session at the other. Give each an `instance`, a name of its own, or another secret.'
  logger.warn('shared-secret', { fix })
}

/** A redirect proxy without a list of hosts hands nothing on. Where the public origin is not configured, this may be one. */
function warnOfProxy(
  { redirectProxyHosts }: AuthConfig,
  { providers, publicUrl }: WarnedWith,
  logger: LoggerInstance,
): void {
  if (redirectProxyHosts) return
  const proxies = providers.flatMap((provider) =>
    'redirectProxyUrl' in provider ? (provider.redirectProxyUrl ?? []) : [],
  )
  const redirectProxyUrl = proxies.find((url) => publicUrl === null || new URL(url).origin === publicUrl.origin)
  if (redirectProxyUrl !== undefined) logger.warn('redirect-proxy-without-hosts', { redirectProxyUrl })
}
