import type { Adapter } from './adapters/adapter.js'
import { openStore } from './adapters/gateway.js'
import { checkConfig } from './config/check-config.js'
import { checkOptions, configurationError } from './config/check-options.js'
import { type Env, processEnv } from './config/env.js'
import { completeOptions } from './config/option-shapes.js'
import { type AuthConfig, type EventCallbacks, skipCSRFCheck } from './config/options.js'
import { createSchemes, refusesDisabledUsers } from './config/schemes.js'
import { processSharedSecrets, type SharedSecrets, secretSources, secretsOr, uselessSecrets } from './config/secrets.js'
import { warnAtStart } from './config/warn-at-start.js'
import { accountTokens, checkAccountTokens, createAccountTokens } from './features/account-tokens/index.js'
import { ACCOUNT_TOKENS, getAccessToken } from './features/account-tokens/operations.js'
import { credentialsFlow } from './features/credentials/authorize.js'
import { email, emailFlows } from './features/email/index.js'
import { linking } from './features/linking/index.js'
import { ACCOUNTS, linkPageOf, linkUrl, listAccounts, unlinkAccount } from './features/linking/links.js'
import { NOTICES, notices, noticesOf } from './features/notices/index.js'
import { oauth, oauthFlows } from './features/oauth/index.js'
import { checkPasskeys } from './features/passkeys/errors.js'
import { passkeyFlows, passkeys } from './features/passkeys/index.js'
import { listPasskeys, PASSKEYS, removePasskey, renamePasskey } from './features/passkeys/operations.js'
import { checkLogout, endsSessionsOfProviders, providerLogout } from './features/provider-logout/index.js'
import { createUsedLogoutTokens, PROVIDER_LOGOUT } from './features/provider-logout/service.js'
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
  type ResolvedCredentialsProvider,
  type ResolvedEmailProvider,
  type ResolvedOAuthProvider,
  type ResolvedProvider,
  type ResolvedWebAuthnProvider,
} from './providers/provider.js'
import { resolveProviders } from './providers/resolve-provider.js'
import { processClock, timeOf } from './sessions/lifetime.js'
import { type Config, Services } from './sign-in/config.js'
import { type Feature, POINTS, pointsOf } from './sign-in/feature.js'
import { FLOWS, type Flow } from './sign-in/flow.js'
import { createNotes } from './sign-in/note.js'
import { createOwnSignIns } from './sign-in/own-sign-in.js'
import { issueToken, listSessions, revokeOtherSessions, revokeSession } from './sign-in/session-operations.js'
import { createTransactionCookies } from './sign-in/transaction-cookies.js'
import type { UserDependencies } from './users/dependencies.js'
import { withoutStore } from './users/identity.js'

/** Every feature. What they bring in paths, facts and pages is in them; ways to sign in and services are made below. */
export const FEATURES: readonly Feature[] = [oauth, email, passkeys, linking, providerLogout, accountTokens, notices]

export const TRANSACTION_KINDS = FEATURES.flatMap(({ transaction }) => transaction ?? [])
/** By the keys that configure them. */
export const COOKIES_OF_FEATURES = Object.fromEntries(
  TRANSACTION_KINDS.flatMap(({ cookies }) => Object.entries(cookies)),
)

/** What people do with what is theirs. */
export const OPERATIONS = {
  listSessions,
  revokeSession,
  revokeOtherSessions,
  issueToken,
  listAccounts,
  unlinkAccount,
  linkUrl,
  getAccessToken,
  listPasskeys,
  renamePasskey,
  removePasskey,
}

/** The kinds of identities whose users are stored. Their code is loaded with the first sign-in. */
async function loadUsers(dependencies: UserDependencies) {
  const [{ createUsers }, { createOAuthKind }, { createEmailKind }, { createPasskeyKind }] = await Promise.all([
    import('./users/users.js'),
    import('./users/oauth-identity.js'),
    import('./users/email-identity.js'),
    import('./features/passkeys/passkey-identity.js'),
  ])
  return createUsers(dependencies, {
    oauth: createOAuthKind,
    oidc: createOAuthKind,
    email: createEmailKind,
    webauthn: createPasskeyKind,
  })
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
    ...(faulty.has('accountTokens') ? [] : checkAccountTokens(options)),
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
  const transactions = createTransactionCookies(TRANSACTION_KINDS, { secret: secrets, 'jwt.secret': tokenSecrets }, now)
  const emit = createEmitter(options.events, logger)
  const signIn = options.callbacks.signIn ?? null
  const { strippedPrefix, theme, session } = options
  const { recentAuthAge } = session
  const remembers = session.remember !== undefined
  const revokesAtSignOut = options.accountTokens?.revokeAtSignOut ?? false
  const shared = { transactions, asksToRemember: remembers, now, logger }
  // Every part of the package gets its stores from here, so every call has a limit, and all have the same one.
  const storeOf = (adapter: Adapter) => openStore(adapter, { timeout: options.storeTimeout, logger })
  const anyStore = storeOf(options.adapter ?? {})
  const store = options.adapter ? anyStore : null
  const flowOf = flowsOf({
    oauth: oauthFlows({
      ...shared,
      secrets: tokenSecrets,
      revokesAtSignOut,
      ...(options.redirectProxyHosts && { redirectProxyHosts: [...options.redirectProxyHosts] }),
    }),
    email: emailFlows({ ...shared, origin, store: anyStore, secrets, signIn: signIn ?? (() => true), theme }),
    webauthn: passkeyFlows({ ...shared, store: anyStore, secrets: tokenSecrets, recentAuthAge }),
    credentials: (provider) => credentialsFlow(provider, now, remembers),
  })
  const configuredProviders = new Map(providers.map((provider) => [provider.id, provider]))
  const flows = new Map(providers.map((provider) => [provider.id, flowOf(withSecretOf(instance, provider))]))
  const keepsOtherSessions = (provider: ResolvedProvider | undefined) =>
    isOAuthProvider(provider) &&
    (revokesAtSignOut || provider.endSession !== null || provider.backChannelLogout || provider.frontChannelLogout)
  const revocationStore = session.revocation ? storeOf(session.revocation.store) : null
  const sessionStore = session.strategy === 'database' ? store : revocationStore
  const tokens = createAccountTokens(options, {
    flows,
    secrets,
    store,
    isInUse: async (at) => {
      const method = session.strategy === 'database' ? 'listSessionsByProvider' : 'listTokenSessionsByProvider'
      if (!sessionStore?.has(method)) return true
      return (await sessionStore[method](at)).some(({ expires }) => (timeOf(expires) ?? 0) > now())
    },
    keepsOtherSessions: (id) => keepsOtherSessions(configuredProviders.get(id)),
    logger,
    now,
    tokenLeaseMs,
  })
  const endsAtProviders = providers.some(
    (provider) => isOAuthProvider(provider) && (provider.endSession !== null || provider.frontChannelLogout),
  )
  const schemes = {
    cookies: COOKIES_OF_FEATURES,
    secrets: tokenSecrets,
    store: anyStore,
    storeOf,
    endsAtProviders,
    logger,
    now,
  }
  const schemeFor = createSchemes(options, schemes)
  const endTokenSessions = (userId: string) => schemeFor('https://').sessions.revokeAllOf(String(userId))
  const hasTokenStore = session.strategy === 'jwt' && session.revocation !== undefined
  /** What the code of users and accounts works with. */
  const userDependencies: UserDependencies | null = store && {
    store,
    emit,
    logger,
    now,
    recentAuthAge,
    providers,
    secrets,
    accountTokens: tokens,
    ...(hasTokenStore && { endTokenSessions }),
    sessionsNeedUser: session.strategy === 'database',
    refusesDisabledUsers: refusesDisabledUsers(options),
    confirmEmail: options.callbacks.confirmEmail ?? null,
    storeTimeout: options.storeTimeout,
  }
  const services = new Services()
    .set(
      ACCOUNTS,
      userDependencies &&
        loadOnce(async () =>
          (await import('./features/linking/user-accounts.js')).createUserAccounts(userDependencies),
        ),
    )
    .set(
      PASSKEYS,
      userDependencies &&
        loadOnce(async () =>
          (await import('./features/passkeys/user-passkeys.js')).createUserPasskeys(userDependencies),
        ),
    )
    .set(NOTICES, noticesOf(options, { providers, store, origin, logger }))
    .set(ACCOUNT_TOKENS, { tokens, revokesAtSignOut, consentUrl: linkPageOf })
    .set(PROVIDER_LOGOUT, {
      used: createUsedLogoutTokens({
        store: revocationStore ?? anyStore,
        secrets: tokenSecrets,
        instance,
        now,
      }),
      endsSessions: endsSessionsOfProviders(options),
      leaveSession: tokens.leaveSession,
      dropRefreshTokens: tokens.dropRefreshTokens,
    })
  services.set(FLOWS, flows).set(POINTS, pointsOf(FEATURES, { providers: configuredProviders, services }))
  return Object.freeze<Config>({
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
    users: userDependencies ? loadOnce(() => loadUsers(userDependencies)) : async () => withoutStore,
    recentAuthAge,
    exposesSessionIds: session.exposeIds,
    refusesDisabledUsers: refusesDisabledUsers(options),
    acceptsBearer: options.bearer,
    transactions,
    notes: createNotes(secrets, now),
    ownSignIns: createOwnSignIns(secrets, {
      recentAuthAge,
      addsWays: userDependencies !== null && providers.some(({ type }) => type !== 'email' && type !== 'credentials'),
      mailsLinks: hasProvider(providers, 'email'),
      now,
    }),
    asksToRemember: remembers,
    // With one provider there is nothing to choose.
    marksLastUsed: options.marksLastUsed && providers.length > 1,
    callbacks: Object.freeze({
      signIn,
      redirect: options.callbacks.redirect ?? defaultRedirect(origins),
      authorized: options.callbacks.authorized ?? null,
    }),
    emit,
    emitsSessions: options.events.session !== undefined,
    pages: Object.freeze(options.pages),
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

/** What makes the flow of a provider, by its type. */
interface FlowMakers {
  readonly oauth: (provider: ResolvedOAuthProvider) => Flow
  readonly email: (provider: ResolvedEmailProvider) => Flow
  readonly webauthn: (provider: ResolvedWebAuthnProvider) => Flow
  readonly credentials: (provider: ResolvedCredentialsProvider) => Flow
}

/**
 * Makes the flow of each provider of a configuration. The code of a flow is loaded at its first use: a process that only
 * reads sessions loads none. Providers are resolved and checked before, so that every fault is reported at the start.
 */
const flowsOf =
  ({ oauth, email, webauthn, credentials }: FlowMakers) =>
  (provider: ResolvedProvider): Flow => {
    switch (provider.type) {
      case 'credentials':
        return credentials(provider)
      case 'email':
        return email(provider)
      case 'oauth':
      case 'oidc':
        return oauth(provider)
      case 'webauthn':
        return webauthn(provider)
    }
  }

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
