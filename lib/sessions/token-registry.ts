import type { AdapterTokenSession } from '../adapters/adapter.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import { AdapterError } from '../kernel/errors.js'
import type { RequestContext } from '../kernel/request-context.js'
import { loggedDeletion, processDeletionRetries as retries } from './deletion-retries.js'
import { timeOf } from './lifetime.js'
import { createRecentLookups } from './lookups.js'
import type { LastExpiry, TokenSessionTimes } from './revoked-tokens.js'
import type { DecodedSessionToken, SessionClaim } from './session-claim.js'
import { type IndexedSession, indexedSessions, type SessionIndex } from './session-index.js'
import type { SessionSettings } from './session-store.js'
import { createTokenUses, isOldCopy, keptClientDetails } from './session-use.js'
import {
  createTokenCutoffs,
  ENDED,
  endedRow,
  type NewTokenSession,
  ownerInRow,
  ownerOf,
  ownerOfUser,
  type RegisteredSession,
  ROW_MARGIN_MS,
  registeredOf,
  rowExpiry,
  rowOf,
} from './token-session-rows.js'

/** Seconds between two look-ups of one session. */
export const CHECK_EVERY = 30

export type TokenRegistry = ReturnType<typeof createTokenRegistry>

/** What the registry depends on. Its store is the revocation store. */
export interface TokenRegistryDependencies
  extends Pick<SessionSettings, 'store' | 'keepsDevices' | 'instance' | 'logger' | 'now'> {
  /** Seconds between two look-ups of one session; 0 for a look-up at every request. */
  readonly checkEvery: number
  readonly lastExpiry: LastExpiry
}

/** The clocks of processes differ, and some columns have no milliseconds. */
const MARGIN_MS = 60 * 1000

/**
 * Keeps rows of token sessions in a store, so that they can be listed and revoked in every process. Each method rejects if the
 * store fails.
 */
export function createTokenRegistry({
  store,
  checkEvery,
  lastExpiry,
  keepsDevices,
  instance,
  logger,
  now,
}: TokenRegistryDependencies) {
  const cutoffs = createTokenCutoffs(store, instance, now)
  const clientOf = keptClientDetails(keepsDevices)
  const rowExpiryOf = (session: TokenSessionTimes) => rowExpiry(lastExpiry(session))
  const noteUse = createTokenUses({ store, clientOf, rowExpiryOf, logger, now })

  const lookUp = (id: string): MaybePromise<RegisteredSession | null> => {
    const row = store.getTokenSession(id)
    return row instanceof Promise ? row.then(registeredOf) : registeredOf(row)
  }
  const recent = createRecentLookups(lookUp, { seconds: checkEvery, now })
  const adopting = new Map<string, Promise<RegisteredSession>>()

  const insert = async (request: RequestContext, session: NewTokenSession): Promise<AdapterTokenSession> => {
    const expires = rowExpiryOf({ ...session, authenticatedAt: session.createdAt })
    // A store without the method may have been made before there were such members.
    const at = store.has('listTokenSessionsByProvider') ? session.at : undefined
    const row = rowOf({ ...session, at }, { ...clientOf(request), instance, time: now(), expires })
    await store.createTokenSession(row)
    return row
  }

  /**
   * The session has no row: it began before revocation was configured. The order matters. Whoever revokes all sessions
   * of the user moves the cutoff first and then lists the rows. So either the list has this row, or the cutoff
   * that is read here has been moved.
   */
  const adopt = async (token: DecodedSessionToken, request: RequestContext): Promise<RegisteredSession> => {
    const { id, authenticatedAt, kind, scope, providerSession: at } = token.sessionClaim
    const userId = ownerOf(token)
    const { issuedAt, expires, lifetime, until } = token
    const what = { ...(kind && { kind }), ...(scope !== undefined && { scope }) }
    await insert(request, { id, userId, createdAt: authenticatedAt, issuedAt, expires, lifetime, until, at, ...what })
    const [row, cutoff, earlier] = await Promise.all([
      store.getTokenSession(id),
      cutoffs.of(userId),
      // Of a version that wrote the id of every user as it is.
      userId === `user:${token.userId}` ? cutoffs.of(String(token.userId)) : null,
    ])
    const time = Math.max(cutoff ?? 0, earlier ?? 0)
    const registered = registeredOf(row)
    // A session that has no row could not be revoked.
    if (registered === null) throw new AdapterError(NOT_KEPT)
    if (registered.isRevoked || time === 0 || (authenticatedAt ?? 0) > time + MARGIN_MS) {
      // Not if the session was revoked here meanwhile.
      if (adopting.has(id)) recent.set(id, registered)
      return registered
    }
    await end({ ...token, id })
    return ENDED
  }

  const adoptOnce = (token: DecodedSessionToken, request: RequestContext): Promise<RegisteredSession> => {
    const { id } = token.sessionClaim
    const running = adopting.get(id)
    if (running) return running
    const adoption = adopt(token, request).finally(() => adopting.delete(id))
    adopting.set(id, adoption)
    return adoption
  }

  const endOldCopy = async (token: DecodedSessionToken, { source }: RequestContext): Promise<RegisteredSession> => {
    if (await end({ ...token, id: token.sessionClaim.id })) logger.warn('session-token-reused', undefined, source)
    return ENDED
  }

  /**
   * Revokes a session, whether or not it has a row. Gives whether it is this call that revoked it.
   *
   * @throws when the session may not be revoked
   */
  const end = async (session: TokenSessionTimes & { readonly id: string }): Promise<boolean> => {
    const { id } = session
    const time = now()
    const lastTime = lastExpiry(session)
    const expires = rowExpiry(lastTime)
    const isEnded = (await store.revokeTokenSession(id, new Date(time))) === true
    let row = await store.getTokenSession(id)
    if (!row) {
      await store.createTokenSession(endedRow(id, { expires, time, instance }))
      row = await store.getTokenSession(id)
    }
    if (row?.revokedAt == null) throw new AdapterError(NOT_REVOKED)
    // A row that is deleted early would let the session begin anew.
    if ((timeOf(row.expires) ?? 0) < lastTime) await store.updateTokenSession(id, { expires })
    adopting.delete(id)
    recent.set(id, ENDED)
    return isEnded
  }

  const remove = async (id: string) => void (await end({ id, authenticatedAt: null, expires: null }))
  const revocation = loggedDeletion(store.adapter, remove, { logger, fix: MEND_STORE })

  const indexed = (rows: readonly AdapterTokenSession[]): readonly IndexedSession[] => {
    const isOwn = (row: AdapterTokenSession) => (row.instance ?? null) === (instance ?? null)
    return indexedSessions(rows, isOwn, now(), (row) => ({
      id: row.id,
      key: row.id,
      expires: row.revokedAt == null ? (timeOf(row.expires) ?? 0) - ROW_MARGIN_MS : null,
    }))
  }

  const isOutdated = async ({ id, authenticatedAt }: SessionClaim): Promise<boolean> => {
    const known = registeredOf(await store.getTokenSession(id))
    return known !== null && isBeforeProof(authenticatedAt, known.provedAt)
  }

  const index: SessionIndex = {
    async ownerOf({ id, userId }) {
      const registered = id === null ? null : registeredOf(await store.getTokenSession(id))
      return registered === null || registered.isRevoked ? null : ownerInRow(registered.userId, userId)
    },
    ownerOfUser: (userId) => ownerOfUser(String(userId)),
    list: async (owner) => indexed(await store.listTokenSessionsByUserId(String(owner))),
    listByProvider: async (at) => indexed(await store.listTokenSessionsByProvider(at)),
    // The claims are in the cookie only.
    messageOf: () => ({ token: null }),
    end: ({ id, details }) => end({ id, authenticatedAt: timeOf(details.createdAt), expires: null }),
    endUnlisted: (userId) => cutoffs.move(String(userId)),
  }

  return {
    /**
     * What is known of the session of a token. There is no promise if it was looked up a short time ago. A session without a
     * record gets one, and an old copy of the token ends it. The old token of an open connection is no copy.
     *
     * @param looksAnew whether no earlier look-up counts
     */
    find(token: DecodedSessionToken, request: RequestContext, looksAnew?: boolean): MaybePromise<RegisteredSession> {
      const settle = (known: RegisteredSession | null): MaybePromise<RegisteredSession> => {
        if (known === null) return adoptOnce(token, request).then(settle)
        if (known.isRevoked || request.isOpenConnection) return known
        if (isBeforeProof(token.sessionClaim.authenticatedAt, known.provedAt)) return ENDED
        if (!isOldCopy(token.issuedAt, known.tokenIssuedAt, now())) return known
        return endOldCopy(token, request)
      }
      const { id } = token.sessionClaim
      if (looksAnew) recent.forget(id)
      const known = recent.get(id)
      return known instanceof Promise ? known.then(settle) : settle(known)
    },
    /** Stores the row of a new session. */
    async begin(request: RequestContext, session: NewTokenSession): Promise<void> {
      const row = await insert(request, session)
      recent.set(session.id, registeredOf(row))
    },
    /** Whether the session of a token has proved more since the token was read, in any process. */
    isOutdated,
    /** The time of a proof, so much later than the last one that tokens of before can be told from others. */
    proofAfter: ({ authenticatedAt }: SessionClaim, time: number): number =>
      authenticatedAt === null ? time : Math.max(time, authenticatedAt + ROUNDING_MS + 1000),
    /**
     * Its user has proved more: from now on, only tokens of this proof count, and no copy of an earlier one.
     *
     * @param claim of the token that is raised
     * @param provedAt milliseconds since the epoch
     * @returns false if it has proved more since that token was read; then nothing changes
     */
    async raise(claim: SessionClaim, provedAt: number, issuedAt: number): Promise<boolean> {
      const { id } = claim
      if (await isOutdated(claim)) return false
      await store.updateTokenSession(id, { createdAt: new Date(provedAt), tokenIssuedAt: new Date(issuedAt) })
      const raised = registeredOf(await store.getTokenSession(id))
      if (raised === null || (!raised.isRevoked && isBeforeProof(raised.provedAt, provedAt)))
        throw new AdapterError(NOT_RAISED)
      recent.set(id, raised)
      return true
    },
    end,
    /** Revokes a session in the background, after {@link end} failed. */
    endLater: (id: string): void => retries.add(id, revocation),
    noteUse,
    index,
  }
}

/** Tokens and some columns have no milliseconds, and some of these round. */
const ROUNDING_MS = 2000

/** Whether a token, or what was asked for with it, is of before the last proof. */
export const isBeforeProof = (authenticatedAt: number | null, provedAt: number | null): boolean =>
  authenticatedAt !== null && provedAt !== null && authenticatedAt + ROUNDING_MS < provedAt

const NOT_RAISED =
  'The revocation store did not keep the new `createdAt` of a token session: updateTokenSession() must change each member that it is given.'

const NOT_KEPT = 'The revocation store did not keep a token session: getTokenSession() does not give what was stored.'

const NOT_REVOKED =
  'The revocation store did not revoke a token session: getTokenSession() gives it without `revokedAt`.'

const MEND_STORE =
  'The revocation store failed for ten minutes after somebody signed out, or too many people signed out meanwhile. Copies of their session cookies are ' +
  'valid until the sessions expire. Repair the store, and call revokeAllSessions() for users who ask for it.'
