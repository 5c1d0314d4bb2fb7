import { setTimeout as pause } from 'node:timers/promises'
import type { AccountChanges, AdapterAccount } from '../../adapters/adapter.js'
import { isError } from '../../kernel/describe-value.js'
import { withoutDetails } from '../../kernel/errors.js'
import type { Log } from '../../kernel/logger.js'
import { membersOf } from '../../kernel/objects.js'
import type { RefreshAnswer, TokenCalls } from '../../oauth/token-calls.js'
import { defaultAccount } from '../../providers/mapped-user.js'
import type { TokenSet } from '../../providers/provider.js'
import type { ReauthorizationReason, TokenUnavailable } from './access-token.js'
import { AccountTokenError } from './errors.js'
import { type HeldTokens, isLeaseInForce, newLease, type TokenRows } from './token-rows.js'
import { refreshKey, type UnstoredTokens } from './unstored-tokens.js'

interface RefreshDependencies {
  readonly rows: TokenRows
  /** Made once for the store. */
  readonly unstored: UnstoredTokens
  /** How often in a row a refresh token was refused in words that may mean something else, by {@link refreshKey}. */
  readonly doubts: Map<string, number>
  /** How long one process may refresh the tokens of an account before another one may. */
  readonly leaseMs: number
  readonly logger: Pick<Log, 'error'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** What came of a refresh. */
export type Refreshed =
  | { readonly status: 'fresh'; readonly held: HeldTokens }
  | { readonly status: 'reauthorize'; readonly reason: ReauthorizationReason }
  | TokenUnavailable

/** An account whose tokens are refreshed. */
interface RefreshTask {
  /** As it was read. */
  readonly held: HeldTokens
  readonly calls: TokenCalls
  /** Whether an access token need not be refreshed yet. */
  readonly isFresh: (held: HeldTokens) => boolean
}

/** Milliseconds between two looks at what another process does; the last one counts for all that follow. */
const WAITS_MS = [20, 40, 80, 160, 320]
/** Milliseconds before each try to store new tokens. */
const WRITES_MS = [0, 50, 200, 800]
/** A refresh token that is refused so often in a row does not count any more, whatever the words of the provider. */
const MOST_DOUBTS = 3
/** The doubts of so many refresh tokens are known. */
const DOUBTS_CAPACITY = 10_000
/** How often the tokens may turn out to have been changed by others before a caller is told to come back later. */
const MOST_ROUNDS = 8

/**
 * Refreshes the tokens of an account. Of all processes, one at a time asks the provider: the one whose lease is in the row.
 * The others wait until the row has new tokens, or the lease is over.
 *
 * New tokens are stored in one step, together with the end of the lease, and only then given out: a rotated refresh token
 * must not be known to one process only.
 */
export async function refreshTokens(task: RefreshTask, dependencies: RefreshDependencies): Promise<Refreshed> {
  const { isFresh } = task
  const { rows, unstored, leaseMs, now } = dependencies
  const { row: first } = task.held
  const begun = performance.now()
  let held = task.held
  let waits = 0
  for (let rounds = 0; rounds < MOST_ROUNDS; ) {
    // Somebody else has just refreshed them, though perhaps for a shorter time than is wanted.
    const isNew = held.row.access_token !== first.access_token && isUnexpired(held, now())
    if (isFresh(held) || isNew) return { status: 'fresh', held }
    if (held.refreshToken === null) return lastOf(held, 'no-refresh-token', now())
    let outcome: Refreshed | 'changed' = 'changed'
    if (await unstored.flush(held)) rounds += 1
    else if (isLeaseInForce(held.row.tokenLease, now(), leaseMs)) {
      if (performance.now() - begun > leaseMs + 1000) break
      await pause(WAITS_MS[Math.min(waits, WAITS_MS.length - 1)])
      waits += 1
    } else {
      const lease = newLease(now(), leaseMs)
      const { tokenLease = null, refresh_token = null } = held.row
      const isTaken = await rows.change(held.row, { tokenLease: lease }, { tokenLease, refresh_token })
      if (isTaken) outcome = await refreshWith(held, lease, held.refreshToken, task, dependencies)
      rounds += 1
    }
    if (outcome !== 'changed') return outcome
    const current = await rows.reload(held.row)
    if (current === null) return { status: 'reauthorize', reason: 'no-account' }
    held = current
  }
  const message = `Provider "${first.provider}": other processes have refreshed the tokens of an account for too long, or again and again.`
  dependencies.logger.error(new AccountTokenError(message, { provider: first.provider, isFault: true }))
  return { status: 'unavailable' }
}

/** Whether an access token can be used now. */
export const isUnexpired = ({ accessToken, expiresAt }: HeldTokens, now: number): boolean =>
  accessToken !== null && (expiresAt === null || expiresAt * 1000 > now)

/** The old access token while it counts, so that a user is sent to the provider not before they must be. */
const lastOf = (held: HeldTokens, reason: ReauthorizationReason, now: number): Refreshed =>
  isUnexpired(held, now) ? { status: 'fresh', held } : { status: 'reauthorize', reason }

/** Asks the provider, with this lease in the row. `changed` if somebody else has changed the row meanwhile. */
async function refreshWith(
  held: HeldTokens,
  lease: string,
  refreshToken: string,
  task: RefreshTask,
  dependencies: RefreshDependencies,
): Promise<Refreshed | 'changed'> {
  const { rows, doubts, logger, now } = dependencies
  const { calls } = task
  const { provider, refresh_token = null } = held.row
  const key = refreshKey(held.row)
  const named = (text: string) => `Provider "${provider}": ${text}`
  const report = (what: string, err: Error, isFault = true) =>
    logger.error(
      new AccountTokenError(named(`${what}: ${err.message.replace(named(''), '')}`), { err, provider, isFault }),
    )
  /** The next caller need not wait. If this fails, the lease ends by itself. */
  const release = () => rows.change(held.row, { tokenLease: null }, { tokenLease: lease }).catch(() => false)
  let answer: RefreshAnswer
  try {
    answer = await calls.refresh(refreshToken, held.idToken, held.row.providerAccountId)
    const isWorthRepeating = answer.kind === 'failed' && answer.isLost && calls.mayRepeat
    if (isWorthRepeating) answer = await calls.refresh(refreshToken, held.idToken, held.row.providerAccountId)
  } catch (error) {
    answer = { kind: 'failed', isLost: false, fault: withoutDetails(error) }
  }
  switch (answer.kind) {
    case 'tokens':
      doubts.delete(key)
      if (answer.fault) report('a new ID token is left out, and the other tokens are kept', answer.fault)
      return storeTokens(held, lease, answer.tokens, task, dependencies)
    case 'refused': {
      report('the refresh token of an account does not count any more', answer.fault, false)
      const changes = { refresh_token: null, tokenLease: null }
      const isDeleted = await rows.change(held.row, changes, { refresh_token, tokenLease: lease })
      if (isDeleted) return lastOf({ ...held, refreshToken: null }, 'refused', now())
      await release()
      return 'changed'
    }
    case 'failed': {
      await release()
      report('tokens could not be refreshed', answer.fault)
      if (answer.isDoubtful) {
        if (doubts.size >= DOUBTS_CAPACITY) doubts.clear()
        const count = (doubts.get(key) ?? 0) + 1
        doubts.set(key, count)
        // The refresh token stays: if it was the configuration, it works again once that is right.
        if (count >= MOST_DOUBTS) return lastOf(held, 'refused', now())
      }
      const { retryAfterSeconds } = answer
      return { status: 'unavailable', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
    }
  }
}

/** Stores new tokens in place of the lease. */
async function storeTokens(
  held: HeldTokens,
  lease: string,
  tokens: TokenSet & { readonly access_token: string },
  task: RefreshTask,
  { rows, unstored, logger }: RefreshDependencies,
): Promise<Refreshed | 'changed'> {
  const { row } = held
  const chosen = chosenTokens(row, tokens, task, logger)
  let changes: AccountChanges = {}
  const written = await write(async () => {
    if (changes.tokenLease === undefined) changes = rows.changesOf(row, chosen)
    return rows.change(row, changes, { tokenLease: lease })
  })
  const isKept = written !== true && unstored.keep(row, changes)
  if (isError(written)) {
    const message = `Provider "${row.provider}": new tokens of an account could not be stored, and were not given out. ${isKept ? KEPT : NOT_KEPT}, the user must sign in there again.`
    logger.error(new AccountTokenError(message, { err: withoutDetails(written), provider: row.provider }))
    return { status: 'unavailable' }
  }
  // The row has these tokens if only the answer to a write was lost; else what is kept replaces the used refresh token.
  if (!written) return 'changed'
  const fresh: HeldTokens = {
    ...held,
    row: { ...membersOf(row), ...withoutNull(changes) },
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? held.refreshToken,
    idToken: tokens.id_token ?? held.idToken,
    expiresAt: tokens.expires_at ?? null,
    outdated: held.outdated.filter((member) => changes[member] === undefined),
  }
  return { status: 'fresh', held: fresh }
}

/**
 * The tokens that `account()` of the provider chooses. If it throws, those members are replaced that are stored already: the
 * provider may have ended the old refresh token, and nothing is stored that was not stored before.
 */
function chosenTokens(
  row: AdapterAccount,
  tokens: TokenSet,
  { calls }: RefreshTask,
  logger: Pick<Log, 'error'>,
): Partial<TokenSet> {
  const { refresh_token } = tokens
  try {
    // The stored refresh token is used up, so it is replaced even if `account()` leaves the new one out.
    const isReplaced = row.refresh_token != null && refresh_token !== undefined
    return { ...(isReplaced && { refresh_token }), ...calls.storedTokens(tokens) }
  } catch (error) {
    const { provider } = row
    const message = `Provider "${provider}": account() of the provider threw at a refresh. The new tokens replace those that are stored.`
    logger.error(new AccountTokenError(message, { err: withoutDetails(error), provider }))
    const isStored = (name: string) => row[name as keyof AdapterAccount] != null
    return Object.fromEntries(Object.entries(defaultAccount(tokens)).filter(([name]) => isStored(name)))
  }
}

/** Writes, and tries again if the store fails. Gives the last failure. */
async function write(attempt: () => Promise<boolean>): Promise<boolean | Error> {
  let failure = new Error('nothing was tried')
  for (const wait of WRITES_MS) {
    if (wait > 0) await pause(wait)
    try {
      return await attempt()
    } catch (error) {
      failure = isError(error) ? error : new Error('the store failed')
    }
  }
  return failure
}

const KEPT =
  'This process tries again for some minutes. If it ends before that, and the provider has ended the old refresh token'
const NOT_KEPT = 'They are lost. If the provider has ended the old refresh token'

const withoutNull = (changes: AccountChanges): object =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null))
