import type { Adapter } from './adapters/adapter.js'
import { openStore, STORE_TIMEOUT } from './adapters/gateway.js'
import { checkConfig, checkPasskeys } from './config/check-config.js'
import { checkOptions } from './config/check-options.js'
import {
  asksToRemember,
  createSchemes,
  type LimitedOptions,
  refusesDisabledUsers,
  strategyOf,
} from './config/choose-sessions.js'
import { configurationError } from './config/configuration-error.js'
import { createFlows } from './config/create-flows.js'
import { type Env, processEnv } from './config/env.js'
import { OPTION_NAMES } from './config/option-shapes.js'
import { type AuthConfig, type EventCallbacks, skipCSRFCheck } from './config/options.js'
import { secretSources, secretsOr, uselessSecrets } from './config/secrets.js'
import { processSharedSecrets, type SharedSecrets } from './config/shared-secret.js'
import { warnAtStart } from './config/warn-at-start.js'
import { accountTokensFor, noticesOf } from './features/account-tokens/choose-account-tokens.js'
import { deferredUserAccounts, deferredUserPasskeys } from './features/linking/deferred-accounts.js'
import { checkLogout, endsSessionsOfProviders } from './features/provider-logout/check-logout.js'
import { createUsedLogoutTokens } from './features/provider-logout/used-logout-tokens.js'
import { loadOnce } from './kernel/awaitable.js'
import { createCsrfTokens } from './kernel/csrf.js'
import { sha256Base64url } from './kernel/digest.js'
import { EventError, withoutDetails } from './kernel/errors.js'
import { frontEndOrigins } from './kernel/front-end-origins.js'
import { instanceSecrets } from './kernel/keys.js'
import { completeLogger, type Log, type LogSource } from './kernel/logger.js'
import type { OriginSettings } from './kernel/origin.js'
import { defaultRedirect } from './kernel/return-target.js'
import { createPageRenderer } from './pages/renderer.js'
import type { ResolvedProvider } from './providers/provider.js'
import { resolveProviders } from './providers/resolve-provider.js'
import { processClock } from './sessions/lifetime.js'
import { RECENT_AUTH_AGE } from './sessions/recent-auth.js'
import type { Config } from './sign-in/config.js'
import { createNotes } from './sign-in/note.js'
import { createOwnSignIns } from './sign-in/own-sign-in.js'
import { createTransactionCookies } from './sign-in/transaction-cookies.js'
import type { AccountsDependencies } from './users/dependencies.js'
import { withoutStore } from './users/identity.js'

/** What a configuration depends on beside its options: the environment of the process and its clock. */
export interface ResolutionEnvironment {
  readonly env: Env
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Finds other configurations with the same secret, for a warning. Absent: no warning. */
  readonly sharedSecrets?: SharedSecrets
  /** Path of the mount where neither the configuration nor `AUTH_URL` has one; `/auth` by default. */
  readonly basePath?: string
  /** Milliseconds for which one process may refresh the tokens of an account; for tests. */
  readonly tokenLeaseMs?: number
}

/** The environment and the clock of this process. */
export const processEnvironment = (): ResolutionEnvironment => ({
  env: processEnv(),
  now: processClock,
  sharedSecrets: processSharedSecrets,
})

/**
 * Makes a complete, checked and frozen configuration of the options of an application, which it only reads.
 *
 * @throws {AuthError} one error that lists everything that cannot work; its class is that of the first finding
 */
export function resolveConfig(
  given: AuthConfig,
  {
    env,
    now,
    sharedSecrets,
    basePath: defaultBasePath = '/auth',
    tokenLeaseMs,
  }: ResolutionEnvironment = processEnvironment(),
): Config {
  const { sound, faulty, findings: wrong } = checkOptions(given)
  const options = withTimeLimit(sound)
  const configured = secretsOr(options.secret, env.secrets)
  const { instance } = options
  const url = options.url ?? env.url
  const logger = completeLogger(options.logger, options.debug ?? false, {
    logging: options.logging,
    scope: [instance, url, options.basePath].join(' '),
    store: options.adapter,
  })
  const { providers, findings } = resolveProviders(options.providers ?? [], {
    environment: env.provider,
    redirectProxyUrl: options.redirectProxyUrl ?? env.redirectProxyUrl,
    logger,
  })
  const kinds = new Set(providers.map(({ type }) => type))
  const sources = secretSources(configured, options, providers)
  const all = [
    ...wrong,
    ...checkConfig(options, { secrets: sources, url, isProduction: env.isProduction, kinds, faulty }),
    ...checkPasskeys(options, providers),
    ...checkLogout(options, providers),
    ...findings,
  ]
  if (all.length > 0) throw configurationError(all)

  const secrets = instanceSecrets(configured, instance)
  const tokenSecrets = instanceSecrets(secretsOr(options.jwt?.secret, configured), instance)
  const publicUrl = url === undefined ? null : new URL(url)
  warnAtStart(
    options,
    {
      secretSources: sources,
      tokenSecrets,
      providers,
      publicUrl,
      isProduction: env.isProduction,
      uselessSecrets: uselessSecrets(sources, options.secret === undefined ? env.unreadSecrets : []),
      sharedSecrets,
    },
    logger,
  )
  const origin: OriginSettings = Object.freeze({
    url: publicUrl,
    trustHost: options.trustHost ?? env.trustHost ?? (options.hosts !== undefined || !env.isProduction),
    hosts: options.hosts ? Object.freeze([...options.hosts]) : null,
  })
  const origins = options.origins?.length ? frontEndOrigins(options.origins) : null
  const basePath = options.basePath ?? pathOf(publicUrl)
  const { strippedPrefix = '' } = options
  const transactions = createTransactionCookies(
    { oauth: tokenSecrets, logout: tokenSecrets, passkey: tokenSecrets, email: secrets },
    now,
  )
  const emit = createEmitter(options.events ?? {}, logger)
  const signIn = options.callbacks?.signIn ?? null
  const theme = options.theme ?? {}
  const recentAuthAge = options.session?.recentAuthAge ?? RECENT_AUTH_AGE
  const remembers = asksToRemember(options)
  const revokesAtSignOut = options.accountTokens?.revokeAtSignOut ?? false
  const shared = { transactions, asksToRemember: remembers, now, logger }
  // Every part of the package gets its stores from here, so every call has a limit, and all have the same one.
  const storeOf = (adapter: Adapter) => openStore(adapter, { timeout: options.storeTimeout, logger })
  const anyStore = storeOf(options.adapter ?? {})
  const store = options.adapter ? anyStore : null
  const flowOf = createFlows({
    oauth: {
      ...shared,
      secrets: tokenSecrets,
      revokesAtSignOut,
      ...(options.redirectProxyHosts && { redirectProxyHosts: [...options.redirectProxyHosts] }),
    },
    email: { ...shared, origin, store: anyStore, secrets, signIn: signIn ?? (() => true), theme },
    webauthn: { ...shared, store: anyStore, secrets: tokenSecrets, recentAuthAge },
    asksToRemember: remembers,
    now,
  })
  const providersWithFlows = new Map(
    providers.map((provider) => [provider.id, { settings: provider, flow: flowOf(withSecretOf(instance, provider)) }]),
  )
  const accountTokens = accountTokensFor(options, {
    providers: providersWithFlows,
    secrets,
    store,
    logger,
    now,
    tokenLeaseMs,
  })
  const endsAtProviders = providers.some(
    (provider) =>
      (provider.type === 'oauth' || provider.type === 'oidc') &&
      (provider.endSession !== null || provider.frontChannelLogout),
  )
  const schemes = { secrets: tokenSecrets, store: anyStore, storeOf, endsAtProviders, logger, now }
  const schemeFor = createSchemes(options, schemes)
  const endTokenSessions = (userId: string) => schemeFor('https://').sessions.revokeAllOf(String(userId))
  const hasTokenStore = strategyOf(options) === 'jwt' && options.session?.revocation !== undefined
  const known = {
    ...{ emit, logger, now, recentAuthAge, providers, secrets, accountTokens },
    ...(hasTokenStore && { endTokenSessions }),
  }
  const accountsOf = store && accountsDependencies(options, { ...known, store })
  return Object.freeze<Config>({
    origin,
    origins,
    basePath: (basePath ?? strippedPrefix + defaultBasePath).replace(/\/+$/, ''),
    hasOwnBasePath: basePath !== undefined || strippedPrefix !== '',
    strippedPrefix,
    schemeFor,
    store,
    // With the first sign-in: reading sessions needs none of it.
    users: accountsOf
      ? loadOnce(async () => (await import('./users/users.js')).createUsers(accountsOf))
      : async () => withoutStore,
    accountTokens,
    revokesTokensAtSignOut: revokesAtSignOut,
    accounts: accountsOf && deferredUserAccounts(accountsOf),
    passkeys: accountsOf && deferredUserPasskeys(accountsOf),
    notices: noticesOf(options, { providers, store, origin, logger }),
    recentAuthAge,
    exposesSessionIds: options.session?.exposeIds ?? false,
    refusesDisabledUsers: refusesDisabledUsers(options),
    acceptsBearer: options.bearer ?? false,
    endsSessionsOfProviders: endsSessionsOfProviders(options),
    usedLogoutTokens: createUsedLogoutTokens({
      store: options.session?.revocation ? storeOf(options.session.revocation.store) : anyStore,
      secrets: tokenSecrets,
      instance,
      now,
    }),
    transactions,
    notes: createNotes(secrets, now),
    ownSignIns: createOwnSignIns(secrets, {
      recentAuthAge,
      addsWays: accountsOf !== null && providers.some(({ type }) => type !== 'email' && type !== 'credentials'),
      mailsLinks: providers.some(({ type }) => type === 'email'),
      now,
    }),
    asksToRemember: remembers,
    // With one provider there is nothing to choose.
    marksLastUsed: (options.marksLastUsed ?? true) && providers.length > 1,
    providers: providersWithFlows,
    callbacks: Object.freeze({
      signIn,
      redirect: options.callbacks?.redirect ?? defaultRedirect(origins),
      authorized: options.callbacks?.authorized ?? null,
    }),
    emit,
    emitsSessions: options.events?.session !== undefined,
    pages: Object.freeze({ ...options.pages }),
    csrf: options.skipCSRFCheck === skipCSRFCheck ? null : createCsrfTokens(secrets),
    secretDigest: sha256Base64url(`configuration ${tokenSecrets[0]}`),
    secrets: Object.freeze([...secrets]),
    renderer: createPageRenderer({ theme }),
    isDevelopment: !env.isProduction,
    logger,
    storeTimeout: options.storeTimeout,
    now,
  })
}

/** Fills in `storeTimeout`. */
function withTimeLimit(options: AuthConfig): LimitedOptions {
  // Not with a spread: a configuration may be an instance of a class, and inherit some of its options.
  const members = OPTION_NAMES.map((name) => [name, options[name]])
  return { ...Object.fromEntries(members), storeTimeout: options.storeTimeout ?? STORE_TIMEOUT }
}

/** An e-mail provider's own secrets are those of its instance as well. */
const withSecretOf = (instance: string | undefined, provider: ResolvedProvider): ResolvedProvider =>
  provider.type !== 'email' || provider.secrets === undefined
    ? provider
    : { ...provider, secrets: instanceSecrets(provider.secrets, instance) }

const pathOf = (url: URL | null) => (url === null || url.pathname === '/' ? undefined : url.pathname)

/** What the code of users and accounts works with. */
function accountsDependencies(
  options: LimitedOptions,
  known: Omit<AccountsDependencies, 'confirmEmail' | 'storeTimeout' | 'sessionsNeedUser' | 'refusesDisabledUsers'>,
): AccountsDependencies {
  return {
    ...known,
    sessionsNeedUser: strategyOf(options) === 'database',
    refusesDisabledUsers: refusesDisabledUsers(options),
    confirmEmail: options.callbacks?.confirmEmail ?? null,
    storeTimeout: options.storeTimeout,
  }
}

function createEmitter(events: EventCallbacks, logger: Log): Config['emit'] {
  const report = async (
    name: string,
    handler: (message: never) => unknown,
    message: unknown,
    source: LogSource | undefined,
  ) => {
    try {
      await handler.call(events, message as never)
    } catch (error) {
      logger.error(new EventError(`The ${name} event handler threw.`, { err: withoutDetails(error) }), source)
    }
  }
  return (name, message, source) => {
    const handler = events[name]
    return handler && report(name, handler, message, source)
  }
}
