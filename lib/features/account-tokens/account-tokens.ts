import type { AccountChanges } from '../../adapters/adapter.js'
import { missingMethods, openStore, type Store } from '../../adapters/gateway.js'
import { ACCOUNT_TOKEN_METHODS } from '../../adapters/methods.js'
import { DEFAULT_TIMEOUT_MS } from '../../kernel/back-channel.js'
import { AuthError, MissingAdapter, MissingAdapterMethods, withoutDetails } from '../../kernel/errors.js'
import type { LogSource } from '../../kernel/logger.js'
import { coversScope, scopeWords, type TokenCalls } from '../../oauth/token-calls.js'
import type { Account } from '../../providers/provider.js'
import type { Parts, SessionTokens } from '../../sign-in/feature.js'
import type { Flow } from '../../sign-in/flow.js'
import type { TokenKeeper } from '../../users/dependencies.js'
import type { AccessTokenOutcome, AccessTokenRequest } from './access-token.js'
import { AccountTokenError } from './errors.js'
import type { AccountTokensConfiguration } from './options.js'
import { createOtherSessions, type OtherSessionsDependencies } from './other-sessions.js'
import { isUnexpired, type Refreshed, refreshTokens } from './refresh.js'
import { createTokenEncryption, createTokenRows, type HeldTokens, TOKEN_MEMBERS } from './token-rows.js'
import {
  createOrLogged,
  createRevocation,
  dropRefreshTokens,
  idTokenHint,
  type Revocation,
} from './tokens-at-sign-out.js'
import { createUnstoredTokens } from './unstored-tokens.js'

/** What the tokens of accounts need beside the options. */
interface AccountTokensDependencies
  extends Pick<OtherSessionsDependencies, 'isInUse' | 'keepsOtherSessions'>,
    Pick<Parts, 'secrets' | 'logger' | 'now'> {
  readonly flows: ReadonlyMap<string, Flow>
  /** The store of the configuration; null if there is none. */
  readonly store: Store | null
  /** Milliseconds for which one process may refresh the tokens of an account; for tests. */
  readonly tokenLeaseMs?: number | undefined
}

/**
 * How long one process may refresh the tokens of an account: two long calls of the provider, two long calls of the store,
 * and a margin. More calls than that may be needed: further tries to store the tokens, the keys of the provider, a proof with
 * another nonce. That all of them are slow is rare. Then another process may ask the provider as well; the store takes the
 * new tokens of only one of them, because the lease is a condition of the write. After that time, the process was killed, or
 * hangs.
 */
const leaseMsFor = (storeTimeout: number): number =>
  2 * DEFAULT_TIMEOUT_MS + 2 * Math.min(storeTimeout, 15) * 1000 + 5000

/** The tokens of accounts at providers: stored, refreshed, given out, revoked. */
export interface AccountTokens extends Revocation, SessionTokens, TokenKeeper {
  /**
   * An access token of a user that can be used now.
   *
   * @throws {MissingAdapter | MissingAdapterMethods} when there is no adapter, or it cannot keep tokens
   */
  get(
    userId: string,
    providerId: string,
    request: AccessTokenRequest,
    source: LogSource | undefined,
  ): Promise<AccessTokenOutcome>
}

/** The tokens of accounts of one configuration. */
export function createAccountTokens(
  { accountTokens = {}, storeTimeout }: AccountTokensConfiguration & { readonly storeTimeout: number },
  dependencies: AccountTokensDependencies,
): AccountTokens {
  const { encrypt = true, refreshBefore = 60, revokeAtSignOut: revokesAtSignOut = false } = accountTokens
  const {
    flows,
    secrets,
    keepsOtherSessions,
    isInUse,
    logger,
    now,
    tokenLeaseMs: leaseMs = leaseMsFor(storeTimeout),
  } = dependencies
  /** Those of a configured provider of OAuth or OpenID Connect; null for any other id. */
  const callsOf = async (id: string): Promise<TokenCalls | null> => (await flows.get(id)?.tokenCalls?.()) ?? null
  const encryption = createTokenEncryption(secrets, encrypt, now)
  const store = dependencies.store ?? openStore({}, { timeout: Number.POSITIVE_INFINITY, logger })
  const rows = createTokenRows(store, encryption)
  const orLogged = createOrLogged(logger)
  // Checked at each call, since an application may replace a method of its adapter at any time.
  const keepsTokens = () => missingMethods(store.adapter, ACCOUNT_TOKEN_METHODS).length === 0
  const others = createOtherSessions({ store, rows, keepsOtherSessions, isInUse, now })
  const revocation = createRevocation({ rows, others, keepsTokens, callsOf, orLogged })

  /** Stores the tokens of a sign-in, and keeps those of the session before, unless others change them all the time. */
  const replaceTokens = async (account: Account, changes: AccountChanges, source: LogSource | undefined) => {
    const { provider, providerAccountId, id_token } = account
    for (let tries = 0; tries < TRIES && id_token && keepsOtherSessions(provider); tries += 1) {
      const row = await store.getAccount(providerAccountId, provider)
      if (row) await orLogged(NOT_KEPT, provider, () => others.setAside(row, account), source)
      if (await rows.change(account, changes, { refresh_token: row?.refresh_token ?? null })) return
    }
    await rows.change(account, changes)
  }

  const requireStore = (): void => {
    if (!dependencies.store) throw new MissingAdapter(NO_ADAPTER)
    const missing = missingMethods(store.adapter, ACCOUNT_TOKEN_METHODS)
    if (missing.length > 0) throw new MissingAdapterMethods(`The adapter lacks ${missing.join(', ')}. ${NO_METHODS}`)
  }

  const isFresh = ({ accessToken, expiresAt }: HeldTokens): boolean =>
    accessToken !== null && (expiresAt === null || (expiresAt - refreshBefore) * 1000 > now())

  const refreshDependencies = {
    rows,
    unstored: createUnstoredTokens(rows, (row) => revocation.revoke(row, undefined)),
    doubts: new Map(),
    leaseMs,
    logger,
    now,
  }
  /** Refreshes under way in this process, by user and account: all requests that come meanwhile share one. */
  const underWay = new Map<string, Promise<Refreshed>>()
  const shared = (held: HeldTokens, work: () => Promise<Refreshed>): Promise<Refreshed> => {
    const key = JSON.stringify([held.row.userId, held.row.provider, held.row.providerAccountId])
    const known = underWay.get(key)
    if (known) return known
    const promise = work().finally(() => underWay.delete(key))
    underWay.set(key, promise)
    return promise
  }

  /** The account with the tokens of another session of its user; null if there are none. */
  const withTokensOfAnother = async ({ row }: HeldTokens): Promise<HeldTokens | null> => {
    const { provider } = row
    let isPutBack = false
    const work = async () => {
      isPutBack = await others.putBack(row)
    }
    await orLogged(NOT_PUT_BACK, provider, work, undefined)
    return isPutBack ? rows.reload(row) : null
  }

  const refresh = async (held: HeldTokens, calls: TokenCalls, source: LogSource | undefined): Promise<Refreshed> => {
    const { provider } = held.row
    if (held.refreshToken === null || !calls.canRefresh) {
      if (held.unreadable.length > 0)
        logger.error(new AccountTokenError(unreadable(held), { provider, isFault: true }), source)
      if (isUnexpired(held, now())) return { status: 'fresh', held }
      if (!calls.canRefresh) return NOTHING_TO_REFRESH
    }
    const refreshed = await shared(held, async () => {
      try {
        const current = held.refreshToken === null ? await withTokensOfAnother(held) : held
        if (current === null) return NOTHING_TO_REFRESH
        if (isFresh(current)) return { status: 'fresh', held: current }
        await calls.prepare()
        return await refreshTokens({ held: current, calls, isFresh }, refreshDependencies)
      } catch (error) {
        const message = `Provider "${provider}": tokens could not be refreshed.`
        logger.error(new AccountTokenError(message, { err: withoutDetails(error), provider }))
        return { status: 'unavailable' }
      }
    })
    // The old access token counts for some seconds more: better than nothing.
    return refreshed.status === 'unavailable' && isUnexpired(held, now()) ? { status: 'fresh', held } : refreshed
  }

  /** Stores members anew that are plain, as Auth.js stores them, or encrypted with an older secret. */
  const renewStored = async ({ row, outdated, accessToken, refreshToken, idToken }: HeldTokens): Promise<void> => {
    const tokens = { access_token: accessToken, refresh_token: refreshToken, id_token: idToken }
    const pairs = outdated.map((member) => [member, encryption.encrypt(row, member, tokens[member] ?? '')])
    const { access_token = null, refresh_token = null } = row
    await rows.change(row, Object.fromEntries(pairs), { access_token, refresh_token })
  }

  const find = async (userId: string, providerId: string, accountId: string | undefined) => {
    const all = (await rows.list(userId)).filter(({ provider }) => provider === providerId)
    const fitting = all.filter(({ providerAccountId }) => accountId === undefined || providerAccountId === accountId)
    return newestOf(fitting.map((row) => rows.decrypted(row)))
  }

  const outcomeOf = async (
    held: HeldTokens | null,
    calls: TokenCalls,
    { scope }: AccessTokenRequest,
    source: LogSource | undefined,
  ): Promise<AccessTokenOutcome> => {
    if (held === null) return { status: 'reauthorize', reason: 'no-account' }
    const { configuredScope } = calls
    if (!coversScope(scope, held.row.scope, configuredScope)) return { status: 'reauthorize', reason: 'scope' }
    const refreshed: Refreshed = isFresh(held) ? { status: 'fresh', held } : await refresh(held, calls, source)
    if (refreshed.status !== 'fresh') return refreshed
    const { row, accessToken, expiresAt, outdated } = refreshed.held
    // The provider may have granted less than before.
    if (!coversScope(scope, row.scope, configuredScope)) return { status: 'reauthorize', reason: 'scope' }
    if (outdated.length > 0) {
      const message = 'plain tokens, or tokens of an older secret, could not be encrypted.'
      await orLogged(message, row.provider, () => renewStored(refreshed.held), source)
    }
    return {
      status: 'ok',
      accessToken: accessToken ?? '',
      expiresAt: expiresAt === null ? null : new Date(expiresAt * 1000),
      scope: scopeWords(row.scope).join(' ') || null,
      tokenType: String(row.token_type ?? 'bearer').toLowerCase(),
      provider: row.provider,
      providerAccountId: row.providerAccountId,
    }
  }

  return {
    toStore: async (account) => (keepsTokens() ? rows.encrypted(account) : account),

    noteSignIn(name, chosen, source) {
      const work = async () => {
        if (!keepsTokens()) return
        const account = chosen()
        if (!TOKEN_MEMBERS.some((member) => Boolean(account[member]))) return
        await replaceTokens(account, rows.changesOf(account, account), source)
      }
      return orLogged('the tokens of a sign-in could not be stored.', name.provider, work, source)
    },

    async get(userId, providerId, request, source) {
      requireStore()
      const calls = await callsOf(providerId)
      if (calls === null) return { status: 'reauthorize', reason: 'no-account' }
      try {
        return await outcomeOf(await find(userId, providerId, request.accountId), calls, request, source)
      } catch (error) {
        if (!(error instanceof AuthError)) throw error
        const message = `Provider "${providerId}": the tokens of an account could not be read.`
        logger.error(new AccountTokenError(message, { err: error, provider: providerId }), source)
        return { status: 'unavailable' }
      }
    },

    async leaveSession(userId, at, source) {
      if (!keepsTokens()) return undefined
      const hint = await idTokenHint({ rows, others }, userId, at)
      await orLogged(NOT_PUT_BACK, at.provider, () => others.withdraw(userId, at), source)
      return hint
    },

    async dropRefreshTokens(userId, at) {
      if (!keepsTokens()) return
      const configuredScope = (await callsOf(at.provider))?.configuredScope ?? ''
      await dropRefreshTokens({ rows, others }, userId, at, configuredScope)
    },

    ...revocation,
    revokesAtSignOut,
  }
}

const NOTHING_TO_REFRESH = { status: 'reauthorize', reason: 'no-refresh-token' } as const

/** Of several accounts of a user at one provider, the one whose access token expires last: that of the newest sign-in or refresh. */
function newestOf(all: readonly HeldTokens[]): HeldTokens | null {
  const [newest = null] = [...all].sort(
    (one, other) =>
      (other.expiresAt ?? 0) - (one.expiresAt ?? 0) ||
      (one.row.providerAccountId < other.row.providerAccountId ? -1 : 1),
  )
  return newest
}

const unreadable = ({ row, unreadable }: HeldTokens): string =>
  `Provider "${row.provider}": ${unreadable.join(' and ')} of an account cannot be decrypted with the configured secrets, so the user must sign in there again.`

const NO_ADAPTER =
  'Tokens of accounts are kept by an adapter, and the configuration has none. Set `adapter`, and `session: { strategy: "jwt" }` if sessions shall be tokens.'

/** How often the tokens of a sign-in are stored on condition that nobody has changed those of before meanwhile. */
const TRIES = 3

const NOT_PUT_BACK = 'the tokens of another session could not be put into the place of those of a session that ends.'
const NOT_KEPT = 'the tokens of an older session could not be kept.'

const NO_METHODS =
  'An adapter that was made for Auth.js cannot refresh tokens in several processes. Use an adapter of Latchkey, or give yours these methods: docs/guides/adapters.md.'
