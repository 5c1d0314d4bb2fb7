import type { Adapter, ProviderSession } from './adapters/adapter.js'
import { openStore } from './adapters/gateway.js'
import { checkConfig } from './config/check-config.js'
import { checkOptions, configurationError } from './config/check-options.js'
import { type Env, processEnv } from './config/env.js'
import { type CompleteOptions, completeOptions } from './config/option-shapes.js'
import { type AuthConfig, type EventCallbacks, skipCSRFCheck } from './config/options.js'
import { createSchemes, refusesDisabledUsers } from './config/schemes.js'
import { processSharedSecrets, type SharedSecrets, secretSources, secretsOr, uselessSecrets } from './config/secrets.js'
import { warnAtStart } from './config/warn-at-start.js'
import { accountPage, warnAboutParts } from './features/account-page/index.js'
import { renderAccount } from './features/account-page/operations.js'
import { accountTokens, createAccountTokens } from './features/account-tokens/index.js'
import { ACCOUNT_TOKENS, accountTokenOperations } from './features/account-tokens/operations.js'
import { joinedSessions } from './features/acting/acting-sessions.js'
import { acting } from './features/acting/index.js'
import { address } from './features/address/index.js'
import { ADDRESSES, listAddresses } from './features/address/operations.js'
import { findingByAnyAddress } from './features/address/other-addresses.js'
import { credentials } from './features/credentials/index.js'
import { email } from './features/email/index.js'
import { limits } from './features/limits/index.js'
import { linking } from './features/linking/index.js'
import { accountOperations, linkPageOf } from './features/linking/links.js'
import { notices } from './features/notices/index.js'
import { oauth } from './features/oauth/index.js'
import { passkeys } from './features/passkeys/index.js'
import { passkeyOperations } from './features/passkeys/operations.js'
import { password } from './features/password/index.js'
import { passwordOperations } from './features/password/operations.js'
import { admission, people } from './features/people/index.js'
import { providerLogout } from './features/provider-logout/index.js'
import { SECOND_FACTORS } from './features/second-factor/dependencies.js'
import { secondFactor } from './features/second-factor/index.js'
import { securityEvents } from './features/security-events/index.js'
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
import {
  hasProvider,
  isOAuthProvider,
  type ResolvedOAuthProvider,
  type ResolvedProvider,
} from './providers/provider.js'
import { resolveProviders } from './providers/resolve-provider.js'
import { processClock, timeOf } from './sessions/lifetime.js'
import { isPartShown } from './sign-in/account-part.js'
import { type Config, Services, sessionsWithoutCookies } from './sign-in/config.js'
import { type Feature, type Parts, POINTS, pointsOf } from './sign-in/feature.js'
import { FLOWS, type Flow } from './sign-in/flow.js'
import { createNotes } from './sign-in/note.js'
import { createOwnSignIns } from './sign-in/own-sign-in.js'
import { sessionOperations } from './sign-in/session-operations.js'
import { createTransactionCookies } from './sign-in/transaction-cookies.js'
import type { UserDependencies } from './users/dependencies.js'
import { withoutStore } from './users/identity.js'

/** Every feature. Whoever takes one out of this list, and its operations out of the next one, has removed it. */
export const FEATURES: readonly Feature<CompleteOptions>[] = [
  oauth,
  email,
  credentials,
  address,
  passkeys,
  // Before passwords: a new one is stored once nothing is asked any more.
  secondFactor,
  password,
  linking,
  providerLogout,
  accountTokens,
  limits,
  notices,
  securityEvents,
  people,
  accountPage,
  acting,
]

/** What people do with what is theirs. */
export const OPERATIONS = {
  ...sessionOperations,
  ...accountOperations,
  ...accountTokenOperations,
  ...passkeyOperations,
  ...passwordOperations,
  listAddresses,
  renderAccount,
}

export const TRANSACTION_KINDS = FEATURES.flatMap(({ transaction }) => transaction ?? [])
/** By the keys that configure them. */
export const COOKIES_OF_FEATURES = Object.fromEntries(
  [...TRANSACTION_KINDS, ...FEATURES].flatMap(({ cookies = {} }) => Object.entries(cookies)),
)

/** The users of an adapter. The code of their identities is loaded with the first sign-in. */
async function loadUsers(dependencies: UserDependencies) {
  const loading = FEATURES.flatMap(({ identities = {} }) => Object.entries(identities)).map(
    async ([type, load]) => [type, await load()] as const,
  )
  const [{ createUsers }, kinds] = await Promise.all([import('./users/users.js'), Promise.all(loading)])
  return createUsers(dependencies, new Map(kinds))
}

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
  const options = completeOptions(sound)
  const configured = secretsOr(options.secret, env.secrets)
  const { instance } = options
  const url = options.url ?? env.url
  const logger = completeLogger(options.logger, options.debug, {
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
    ...FEATURES.flatMap(({ check }) => check?.({ ...options, url }, providers) ?? []),
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
  const transactions = createTransactionCookies(TRANSACTION_KINDS, { secret: secrets, 'jwt.secret': tokenSecrets }, now)
  const emit = createEmitter(options.events, logger)
  const { strippedPrefix, theme, session } = options
  const { recentAuthAge } = session
  const asksToRemember = session.remember !== undefined
  // Every part of the package gets its stores from here, so every call has a limit, and all have the same one.
  const storeOf = (adapter: Adapter) => openStore(adapter, { timeout: options.storeTimeout, logger })
  const opened = storeOf(options.adapter ?? {})
  const anyStore = options.maxAddresses > 1 ? findingByAnyAddress(opened) : opened
  const store = options.adapter ? anyStore : null
  const configuredProviders = new Map(providers.map((provider) => [provider.id, provider]))
  const flows = new Map<string, Flow>()
  const isDatabase = session.strategy === 'database'
  const sessionStore = isDatabase ? store : session.revocation ? storeOf(session.revocation.store) : null
  const sessionsAt = isDatabase ? 'listSessionsByProvider' : 'listTokenSessionsByProvider'
  const sessionsOfProvider = sessionStore?.has(sessionsAt)
    ? async (at: ProviderSession) => sessionStore[sessionsAt](at)
    : null
  const tokens = createAccountTokens(options, {
    flows,
    secrets,
    store,
    isInUse: async (at) => {
      const sessions = await sessionsOfProvider?.(at)
      return sessions?.some(({ expires }) => (timeOf(expires) ?? 0) > now()) ?? true
    },
    keepsOtherSessions: (id) => {
      const provider = configuredProviders.get(id)
      return isOAuthProvider(provider) && (tokens.revokesAtSignOut || provider.backChannelLogout || endsThere(provider))
    },
    logger,
    now,
    tokenLeaseMs,
  })
  const csrf = options.skipCSRFCheck === skipCSRFCheck ? null : createCsrfTokens(secrets)
  const schemeFor = createSchemes(options, {
    cookies: COOKIES_OF_FEATURES,
    secrets: tokenSecrets,
    store: anyStore,
    storeOf,
    endsAtProviders: providers.some((provider) => isOAuthProvider(provider) && endsThere(provider)),
    joined: options.actAs ? joinedSessions({ acceptsBearer: options.bearer, csrf, store: anyStore, now }) : null,
    logger,
    now,
  })
  const services = new Services().set(FLOWS, flows).set(ACCOUNT_TOKENS, { tokens, consentUrl: linkPageOf })
  const endTokenSessions = (userId: string) => sessionsWithoutCookies({ schemeFor }).revokeAllOf(String(userId))
  /** What the code of users and accounts works with. */
  const users: UserDependencies | null = store && {
    store,
    emit,
    logger,
    now,
    recentAuthAge,
    providers,
    secrets,
    accountTokens: tokens,
    holds: () => services.get(POINTS).holds,
    ...(!isDatabase && session.revocation && { endTokenSessions }),
    sessionsNeedUser: isDatabase,
    refusesDisabledUsers: refusesDisabledUsers(options),
    confirmEmail: options.callbacks.confirmEmail ?? null,
    admit: admission(options.signUp, services),
    signUp: options.callbacks.signUp,
    storeTimeout: options.storeTimeout,
  }
  const parts: Parts<CompleteOptions> = {
    options,
    providers,
    origin,
    store: anyStore,
    sessionStore,
    sessionsOfProvider,
    secrets,
    tokenSecrets,
    transactions,
    users,
    tokens,
    asksToRemember,
    logger,
    now,
  }
  for (const { services: set } of FEATURES) set?.(parts, services)
  const ways = new Map(FEATURES.flatMap(({ ways }) => Object.entries(ways?.(parts) ?? {})))
  for (const provider of providers) {
    const way = ways.get(wayOf(provider)) as ((provider: ResolvedProvider) => Flow) | undefined
    if (way) flows.set(provider.id, way(withSecretOf(instance, provider)))
  }
  services.set(POINTS, pointsOf(FEATURES, { providers: configuredProviders, services }))
  const config = Object.freeze<Config>({
    providers: configuredProviders,
    services,
    origin,
    origins,
    basePath: (basePath ?? strippedPrefix + defaultBasePath).replace(/\/+$/, ''),
    hasOwnBasePath: basePath !== undefined || strippedPrefix !== '',
    strippedPrefix,
    schemeFor,
    store,
    // With the first sign-in: reading sessions needs none of it.
    users: users ? loadOnce(() => loadUsers(users)) : async () => withoutStore,
    recentAuthAge,
    endsSessions: isDatabase
      ? anyStore.has('listSessionsByUserId') && anyStore.has('deleteSessionsByUserId')
      : sessionStore !== null,
    exposesSessionIds: session.exposeIds,
    refusesDisabledUsers: refusesDisabledUsers(options),
    acceptsBearer: options.bearer,
    transactions,
    notes: createNotes(secrets, now),
    ownSignIns: createOwnSignIns(secrets, {
      recentAuthAge,
      addsWays:
        services.get(ADDRESSES) !== null ||
        services.get(SECOND_FACTORS) !== null ||
        isPartShown({ services }, 'deletion') ||
        (users !== null && providers.some(({ type }) => type !== 'email' && type !== 'credentials')),
      mailsLinks: hasProvider(providers, 'email'),
      now,
    }),
    asksToRemember,
    isSignUpOpen: options.signUp === 'open',
    // With one provider there is nothing to choose.
    marksLastUsed: options.marksLastUsed && providers.length > 1,
    callbacks: Object.freeze({
      signIn: options.callbacks.signIn ?? null,
      redirect: options.callbacks.redirect ?? defaultRedirect(origins),
      authorized: options.callbacks.authorized ?? null,
    }),
    emit,
    emitsSessions: options.events.session !== undefined,
    pages: Object.freeze(options.pages),
    csrf,
    secretDigest: sha256Base64url(`configuration ${tokenSecrets[0]}`),
    secrets: Object.freeze([...secrets]),
    renderer: createPageRenderer({ theme }),
    isDevelopment: !env.isProduction,
    logger,
    storeTimeout: options.storeTimeout,
    now,
  })
  warnAboutParts(options.accountPage || {}, config)
  return config
}

/** Whether people sign out at a provider when they sign out here, or the provider tells their browsers. */
const endsThere = ({ endSession, frontChannelLogout }: ResolvedOAuthProvider) =>
  endSession !== null || frontChannelLogout

/** The credentials of a provider are checked by the application, or by us. */
const wayOf = (provider: ResolvedProvider) =>
  provider.type === 'credentials' && provider.password !== null ? 'password' : provider.type

/** An e-mail provider's own secrets are those of its instance as well. */
const withSecretOf = (instance: string | undefined, provider: ResolvedProvider): ResolvedProvider =>
  provider.type !== 'email' || provider.secrets === undefined
    ? provider
    : { ...provider, secrets: instanceSecrets(provider.secrets, instance) }

const pathOf = (url: URL | null) => (url === null || url.pathname === '/' ? undefined : url.pathname)

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
