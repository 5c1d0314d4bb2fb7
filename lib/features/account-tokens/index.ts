import type { Adapter } from '../../adapters/adapter.js'
import { missingMethods, type Store } from '../../adapters/gateway.js'
import { ACCOUNT_TOKEN_METHODS } from '../../adapters/methods.js'
import { DEFAULT_TIMEOUT_MS } from '../../kernel/back-channel.js'
import { type AuthError, MissingAdapter, MissingAdapterMethods } from '../../kernel/errors.js'
import type { Log } from '../../kernel/logger.js'
import { object } from '../../kernel/object-shape.js'
import { flag, seconds } from '../../kernel/shape.js'
import type { TokenProvider } from '../../oauth/token-calls.js'
import { isOAuthProvider, type ResolvedProvider } from '../../providers/provider.js'
import type { Feature } from '../../sign-in/feature.js'
import type { Flow } from '../../sign-in/flow.js'
import { type AccountTokens, createAccountTokens } from './account-tokens.js'
import { ACCOUNT_TOKENS } from './operations.js'

/** The tokens that come with accounts at providers. */
export const accountTokens: Feature = {
  isUsed: ({ services }) => services.get(ACCOUNT_TOKENS).revokesAtSignOut,
  happened: {
    async ended({ config, source }, { signedOut }) {
      if (signedOut !== null) await config.services.get(ACCOUNT_TOKENS).tokens.revokeAllOf(signedOut, source)
    },
  },
}

/** How the tokens that providers give at sign-ins are kept. */
export interface AccountTokensOptions {
  /** Whether tokens are encrypted in the store, with the secret: true by default, if the adapter is one of Latchkey. */
  encrypt?: boolean
  /** Seconds before its expiry from which on `getAccessToken` refreshes an access token: 60 by default. */
  refreshBefore?: number
  /**
   * Whether a sign-out deletes the tokens of all accounts of the user, and revokes them at the providers; false by default.
   * Other browsers of the user, and jobs of the application, then have no tokens either.
   */
  revokeAtSignOut?: boolean
}

export const accountTokensShape = object<AccountTokensOptions>({
  encrypt: flag,
  refreshBefore: seconds(0, { most: 24 * 60 * 60 }),
  revokeAtSignOut: flag,
})

/** Seconds before its expiry from which on an access token is refreshed. */
const REFRESH_BEFORE = 60

/** The part of the options that is about the tokens of accounts. */
export interface AccountTokensConfiguration {
  readonly accountTokens?: AccountTokensOptions | undefined
  readonly adapter?: Adapter | undefined
}

/** What the tokens of accounts need beside the options. */
interface AccountTokensSurroundings {
  readonly providers: readonly ResolvedProvider[]
  readonly flows: ReadonlyMap<string, Flow>
  readonly secrets: readonly string[]
  /** Null if there is none. */
  readonly store: Store | null
  readonly logger: Log
  readonly now: () => number
  /** Milliseconds for which one process may refresh the tokens of an account; for tests. */
  readonly tokenLeaseMs?: number | undefined
}

/** The tokens of accounts of a configuration. */
export function accountTokensFor(
  { accountTokens = {}, storeTimeout }: AccountTokensConfiguration & { readonly storeTimeout: number },
  { providers, flows, secrets, store, logger, now, tokenLeaseMs = leaseMs(storeTimeout) }: AccountTokensSurroundings,
): AccountTokens {
  const { encrypt = true, refreshBefore = REFRESH_BEFORE } = accountTokens
  return createAccountTokens({
    store,
    encrypt,
    refreshBefore,
    leaseMs: tokenLeaseMs,
    async providerOf(id): Promise<TokenProvider | null> {
      const provider = providers.find((each) => each.id === id)
      const flow = flows.get(id)
      if (!flow?.tokenCalls || !isOAuthProvider(provider)) return null
      return { calls: await flow.tokenCalls(), storedTokens: provider.account }
    },
    secrets,
    logger,
    now,
  })
}

/**
 * How long one process may refresh the tokens of an account: two long calls of the provider, two long calls of the store,
 * and a margin. More calls than that may be needed: further tries to store the tokens, the keys of the provider, a proof with
 * another nonce. That all of them are slow is rare. Then another process may ask the provider as well; the store takes the
 * new tokens of only one of them, because the lease is a condition of the write. After that time, the process was killed, or
 * hangs.
 */
const leaseMs = (storeTimeout: number): number => 2 * DEFAULT_TIMEOUT_MS + 2 * Math.min(storeTimeout, 15) * 1000 + 5000

/** What keeps the tokens of accounts from being kept. */
export function checkAccountTokens({ accountTokens, adapter }: AccountTokensConfiguration): AuthError[] {
  if (accountTokens === undefined) return []
  if (!adapter) return [new MissingAdapter(NO_ADAPTER)]
  // A configuration that promises to revoke tokens must be able to.
  const missing = accountTokens.revokeAtSignOut ? missingMethods(adapter, ACCOUNT_TOKEN_METHODS) : []
  if (missing.length === 0) return []
  const message = `The adapter lacks ${missing.join(', ')}, which \`accountTokens.revokeAtSignOut\` needs. Use an adapter of Latchkey.`
  return [new MissingAdapterMethods(message)]
}

const NO_ADAPTER =
  '`accountTokens` is set, and there is no adapter: the tokens of providers are kept with the accounts of stored users. Set `adapter`, and `session: { strategy: "jwt" }` if sessions shall be tokens. Or leave `accountTokens` out.'
