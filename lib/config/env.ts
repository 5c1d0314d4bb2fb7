import { withInherited } from '../kernel/inherited.js'
import { completeLogger } from '../kernel/logger.js'
import { withoutUndefined } from '../kernel/objects.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import { environmentName } from '../providers/check-oauth-provider.js'
import type { Provider, ProviderEnvironment } from '../providers/provider.js'
import { calledWithEnvironment } from '../providers/resolve-provider.js'
import type { AuthConfig } from './options.js'

/** Names and values, as in `process.env`. A member that is not a string, such as a binding of a platform, counts as unset. */
export type EnvVariables = object

/** The environment of this process. Nothing else in the package reads `process.env`. */
export const processEnv = (): Env => readEnv(process.env)

/**
 * Whether Next.js runs the modules of an application in order to build it. Then the secrets of its later environment are
 * often absent.
 */
export const isBuiltByNext = (): boolean => process.env.NEXT_PHASE === 'phase-production-build'

/** Whether this thread is one of those in which SvelteKit 2 and 3 make the pages of an application that they build. */
export const isBuiltBySvelteKit = (): boolean => process.env.SVELTEKIT_FORK !== undefined

let production: boolean | undefined

/** Whether this process is one of production, as its environment said when this was first asked. Costs nothing after that. */
export function isProductionProcess(): boolean {
  production ??= process.env.NODE_ENV === 'production'
  return production
}

/** Whether the process runs tests, as the runners of tests say by `NODE_ENV`. */
export const isTestProcess = (): boolean => process.env.NODE_ENV === 'test'

const SECRETS = ['AUTH_SECRET_3', 'AUTH_SECRET_2', 'AUTH_SECRET_1', 'AUTH_SECRET']

/** Reads the variables that Latchkey knows; empty ones count as unset. */
export function readEnv(variables: EnvVariables) {
  const get = (name: string) => {
    const value = (variables as Readonly<Record<string, unknown>>)[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  // The first secret encrypts and signs. The others are accepted, so that secrets can be rotated.
  const secrets = SECRETS.map(get)
  const url = get('AUTH_URL') ?? get('NEXTAUTH_URL')
  return {
    /** Newest first; empty if there is none. */
    secrets: withFallback(
      secrets.filter((secret) => secret !== undefined),
      get('NEXTAUTH_SECRET'),
    ),
    /** Names of variables that look like a secret's and are not read. */
    unreadSecrets: Object.keys(variables).filter(
      (name) => /^AUTH_SECRET_\d+$/.test(name) && !SECRETS.includes(name) && get(name) !== undefined,
    ),
    url,
    /** Undefined if no variable decides it. */
    trustHost: trustFrom([url && 'true', get('AUTH_TRUST_HOST'), get('VERCEL'), get('CF_PAGES')]),
    isProduction: get('NODE_ENV') === 'production',
    redirectProxyUrl: get('AUTH_REDIRECT_PROXY_URL'),
    provider: (id: string): ProviderEnvironment => ({
      clientId: get(environmentName(id, 'ID')),
      clientSecret: get(environmentName(id, 'SECRET')),
      issuer: get(environmentName(id, 'ISSUER')),
      apiKey: get(environmentName(id, 'KEY')),
    }),
  }
}

/** What the environment says about one instance. */
export type Env = ReturnType<typeof readEnv>

const withFallback = (secrets: string[], older: string | undefined): readonly string[] =>
  secrets.length > 0 || older === undefined ? secrets : [older]

function trustFrom(values: readonly (string | undefined)[]): boolean | undefined {
  const decisive = values.find((value) => value !== undefined)
  return decisive === undefined ? undefined : !/^(false|0|no|off)$/i.test(decisive)
}

/**
 * Writes values of the environment into the missing members of a configuration. It is for framework integrations, which
 * own the object that they give. Latchkey itself never writes to a configuration.
 *
 * @param suppressBasePathWarning logs no warning if `AUTH_URL` has a path and `basePath` is set as well
 */
export function setEnvDefaults(envObject: EnvVariables, config: AuthConfig, suppressBasePathWarning = false): void {
  const env = readEnv(envObject)
  const logger = completeLogger(config.logger, config.debug ?? false)
  if (!config.secret?.length) config.secret = [...env.secrets]
  if (env.url !== undefined) config.url ??= env.url
  config.redirectProxyUrl ??= env.redirectProxyUrl
  config.trustHost ??= env.trustHost ?? (config.hosts !== undefined || !env.isProduction)
  const path = env.url && isAbsoluteUrl(env.url) ? new URL(env.url).pathname.replace(/\/$/, '') : ''
  if (path !== '') {
    if (config.basePath && !suppressBasePathWarning) logger.warn('env-url-basepath-redundant')
    else config.basePath ??= path
  }
  config.basePath ??= '/auth'
  config.providers = config.providers.map((provider) => withEnvironment(provider, env.provider))
}

/** A provider whose missing members have the values of the environment. A provider that is a function is called. */
function withEnvironment(given: Provider, environmentOf: Env['provider']): Provider {
  const provider = typeof given === 'function' ? calledWithEnvironment(given, environmentOf) : given
  if (provider.type !== 'oauth' && provider.type !== 'oidc' && provider.type !== 'email') return provider
  const { apiKey, ...client } = environmentOf(provider.id)
  const missing = Object.entries(provider.type === 'email' ? { apiKey } : client).filter(
    ([name]) => !provider[name as keyof typeof provider],
  )
  return missing.length === 0
    ? provider
    : { ...withInherited(provider), ...withoutUndefined(Object.fromEntries(missing)) }
}
