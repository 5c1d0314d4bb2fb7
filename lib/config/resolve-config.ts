import { createOneTimeLedger } from '../crypto/one-time.js'
import { createCustomCodec, createSessionTokenCodec } from '../crypto/session-token.js'
import { EventError, withoutDetails } from '../errors.js'
import { credentialsFlow } from '../flows/credentials/authorize.js'
import type { Flow } from '../flows/flow.js'
import { createOAuthFlow } from '../flows/oauth/create-oauth-flow.js'
import { oauthProviderFlow } from '../flows/oauth/provider-flow.js'
import { sameOriginRedirect } from '../http/callback-url.js'
import { cookieSpecs } from '../http/cookies.js'
import { createCsrfTokens } from '../http/csrf.js'
import { completeLogger, type LoggerInstance } from '../logger.js'
import { createPageRenderer } from '../pages/renderer.js'
import type { ResolvedProvider } from '../providers/provider.js'
import { resolveProviders } from '../providers/resolve-provider.js'
import { createJWTSessions } from '../sessions/jwt.js'
import type { JWTCallback, SessionCallback } from '../sessions/strategy.js'
import { checkConfig, configurationError, isWeakSecret } from './check-config.js'
import type { Config, Scheme } from './config.js'
import { type Env, processEnv } from './env.js'
import { type AuthConfig, type EventCallbacks, skipCSRFCheck } from './options.js'

const THIRTY_DAYS = 30 * 24 * 60 * 60
const ONE_DAY = 24 * 60 * 60

/** The world outside that a configuration is resolved in; tests give their own. */
export interface Surroundings {
  readonly env: Env
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * A configuration, complete, checked and frozen. The object given is only read.
 *
 * @throws {AuthError} one error that lists everything that cannot work, of the kind of the first finding
 */
export function resolveConfig(
  options: AuthConfig,
  { env, now }: Surroundings = { env: processEnv(), now: Date.now },
): Config {
  const secrets = listOf(options.secret, env.secrets)
  const tokenSecrets = listOf(options.jwt?.secret, secrets)
  const url = options.url ?? env.url
  const logger = completeLogger(options.logger, options.debug ?? false)
  const { providers, findings } = resolveProviders(options.providers ?? [], {
    environment: env.provider,
    redirectProxyUrl: options.redirectProxyUrl ?? env.redirectProxyUrl,
    logger,
  })
  const all = [...checkConfig(options, { secrets, url, isProduction: env.isProduction }), ...findings]
  if (all.length > 0) throw configurationError(all)

  warn(options, secrets, logger)
  const publicUrl = url === undefined ? null : new URL(url)
  const basePath = options.basePath ?? pathOf(publicUrl)
  const oauth = createOAuthFlow({ secrets: tokenSecrets, now, logger })
  const flowFor = (provider: ResolvedProvider): Flow =>
    provider.type === 'credentials' ? credentialsFlow(provider) : oauthProviderFlow(provider, oauth)
  return Object.freeze<Config>({
    origin: Object.freeze({
      url: publicUrl,
      trustHost: options.trustHost ?? env.trustHost ?? !env.isProduction,
    }),
    basePath: (basePath ?? '/auth').replace(/\/+$/, ''),
    hasOwnBasePath: basePath !== undefined,
    schemeFor: schemes(options, tokenSecrets, now),
    providers: new Map(providers.map((provider) => [provider.id, { provider, flow: flowFor(provider) }])),
    callbacks: Object.freeze({
      signIn: options.callbacks?.signIn ?? (() => true),
      redirect: options.callbacks?.redirect ?? sameOriginRedirect,
      authorized: options.callbacks?.authorized ?? null,
    }),
    tell: teller(options.events ?? {}, logger),
    pages: Object.freeze({ ...options.pages }),
    csrf: options.skipCSRFCheck === skipCSRFCheck ? null : createCsrfTokens(secrets),
    renderer: createPageRenderer({ theme: options.theme ?? {} }),
    logger,
  })
}

const listOf = (value: string | readonly string[] | undefined, fallback: readonly string[]): readonly string[] => {
  const list = typeof value === 'string' ? [value] : (value ?? [])
  return list.length === 0 || list[0] === '' ? fallback : list
}

const pathOf = (url: URL | null) => (url === null || url.pathname === '/' ? undefined : url.pathname)

function warn(options: AuthConfig, secrets: readonly string[], logger: LoggerInstance): void {
  if (options.debug && !options.logger) logger.warn('debug-enabled')
  if (options.skipCSRFCheck === skipCSRFCheck) logger.warn('csrf-disabled')
  if (options.experimental?.enableWebAuthn) logger.warn('experimental-webauthn')
  if (secrets.some(isWeakSecret)) logger.warn('weak-secret')
}

/** Cookies and sessions for https and for http, each made when first needed. */
function schemes(options: AuthConfig, secrets: readonly string[], now: () => number): (origin: string) => Scheme {
  const ended = createOneTimeLedger(now)
  const maxAge = options.jwt?.maxAge ?? options.session?.maxAge ?? THIRTY_DAYS
  const make = (secure: boolean): Scheme => {
    const specs = cookieSpecs(secure, options.cookies)
    const salt = specs.sessionToken.name
    const builtIn = createSessionTokenCodec(secrets, salt, now)
    // As it was configured, since an application's own codec may know one form only.
    const secret = options.jwt?.secret ?? options.secret ?? asConfigured(secrets)
    const sessions = createJWTSessions({
      cookie: specs.sessionToken,
      codec: createCustomCodec(options.jwt ?? {}, builtIn, { secret, salt, maxAge }),
      maxAge,
      updateAge: options.session?.updateAge ?? ONE_DAY,
      callbacks: {
        jwt: options.callbacks?.jwt ?? keepToken,
        session: options.callbacks?.session ?? keepSession,
      },
      ended,
      now,
    })
    return Object.freeze({ specs, sessions })
  }
  const made: { secure?: Scheme; plain?: Scheme } = {}
  return (origin) => {
    if (options.useSecureCookies ?? origin.startsWith('https:')) {
      made.secure ??= make(true)
      return made.secure
    }
    made.plain ??= make(false)
    return made.plain
  }
}

const asConfigured = (secrets: readonly string[]) => (secrets.length === 1 && secrets[0] ? secrets[0] : [...secrets])

const keepToken: JWTCallback = ({ token }) => token
const keepSession: SessionCallback = ({ session }) => session

function teller(events: EventCallbacks, logger: LoggerInstance): Config['tell'] {
  return async (name, message) => {
    try {
      await (events[name] as ((message: unknown) => unknown) | undefined)?.(message)
    } catch (error) {
      logger.error(new EventError(`The ${name} event handler threw.`, { err: withoutDetails(error) }))
    }
  }
}
