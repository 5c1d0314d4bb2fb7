import type { AdapterTokenSession } from '../adapters/adapter.js'
import type { MaybePromise } from '../kernel/awaitable.js'
import { ownClaims } from '../kernel/claims.js'
import { withoutDetails } from '../kernel/errors.js'
import type { RequestContext } from '../kernel/request-context.js'
import { ownerAtStart } from './jwt-claims.js'
import { timeOf } from './lifetime.js'
import {
  type IndexedSession,
  isOfInstance,
  requireRoomForToken,
  rowsOfInstance,
  type SessionIndex,
} from './session-index.js'
import type { SessionEnd } from './session-manager.js'
import type { SessionBeginning, SessionStore } from './session-store.js'
import type { TokenRegistry } from './token-registry.js'
import { ENDED, ownerInRow, ownerOfUser, type RegisteredSession, ROW_MARGIN_MS } from './token-session-rows.js'
import type { TokenRecord, TokenStore } from './token-store.js'
import type { BegunToken } from './token-writer.js'

/** A session in a token, with what the revocation store knows of it. */
interface RevocableRecord extends TokenRecord {
  readonly registered: RegisteredSession
}

/**
 * Sessions in tokens that are revoked in every process. The session is still in its token, and the revocation store says
 * whether it is valid. If the store fails, it is unknown whether the session is valid, so each method throws, except `revoke`:
 * it ends the session in this process at least, and gives the fault.
 */
export function withRevocation(
  tokens: TokenStore,
  registry: TokenRegistry,
  { instance, now }: { readonly instance: string | undefined; readonly now: () => number },
): SessionStore<RevocableRecord> {
  const isRevoked = (found: RevocableRecord) => tokens.isRevoked(found) || found.registered.isRevoked

  const ask = (request: RequestContext, found: TokenRecord | null): MaybePromise<RevocableRecord | null> => {
    if (found === null) return null
    // What this process has revoked needs no look-up: a copy of the cookie does not wait for a store that is down.
    const registered = tokens.isRevoked(found) ? ENDED : registry.find(found, request)
    return registered instanceof Promise
      ? registered.then((registered) => ({ ...found, registered }))
      : { ...found, registered }
  }

  // Written out, as in the store of tokens: every request of a guard comes here.
  const load: SessionStore<RevocableRecord>['load'] = (request, time) => {
    const found = tokens.load(request, time)
    return found instanceof Promise ? found.then((found) => ask(request, found)) : ask(request, found)
  }

  /** Writes the token of a new session and stores its record, before anybody has the token. */
  const begin = async (request: RequestContext, beginning: SessionBeginning): Promise<BegunToken> => {
    const begun = await tokens.begin(request, beginning, true)
    if (begun.sessionClaim === null) return begun
    const { id } = begun.sessionClaim
    const { authenticatedAt: createdAt, issuedAt, expires, lifetime, providerSession: at } = beginning
    const userId = ownerAtStart(beginning)
    await registry.begin(request, { id, userId, createdAt, issuedAt, expires, lifetime, at })
    return begun
  }

  /**
   * Does what a new session still needs, and withdraws the session if that fails or gives false. Nobody has its token yet, so
   * its record can be revoked later.
   *
   * @param id undefined if no session has begun
   */
  const withdrawUnless = async (id: string | undefined, finish: () => Promise<boolean>): Promise<boolean> => {
    let isFinished = false
    try {
      isFinished = await finish()
      return isFinished
    } finally {
      if (!isFinished && id !== undefined) registry.endLater(id)
    }
  }

  const end = async (found: TokenRecord): Promise<boolean> => {
    const isEnded = await registry.end(found)
    tokens.revokeHere(found)
    return isEnded
  }

  /** The visitor has signed out, so the session has ended here in any case. */
  const endHereAtLeast = async (found: TokenRecord): Promise<Omit<SessionEnd, 'cookies'>> => {
    tokens.revokeHere(found)
    try {
      const isEnded = await registry.end(found)
      return { ended: isEnded ? { token: ownClaims(found.claims) } : null }
    } catch (error) {
      registry.endLater(found.id)
      return { ended: { token: ownClaims(found.claims) }, fault: withoutDetails(error), isRetried: true }
    }
  }

  const index = createTokenIndex(registry, { instance, now })

  return {
    ...tokens,
    load,
    isRevoked,
    ownerIn: ({ registered, userId }) => registered && ownerInRow(registered.userId, userId),
    index: () => index,
    noteUse: registry.noteUse,
    async create(request, beginning) {
      const previous = await tokens.load(request)
      const begun = await begin(request, beginning)
      // If the previous session cannot be ended, the sign-in fails and the visitor keeps that session.
      await withdrawUnless(begun.sessionClaim?.id, async () => {
        if (previous !== null && !tokens.isRevoked(previous)) await end(previous)
        return true
      })
      return begun.changes
    },
    async issueToken(request, found, beginning) {
      // The same user as the session has in the list, because all of them end together.
      const userId = ownerInRow(found.registered.userId, found.userId)
      await requireRoomForToken(index, userId)
      const issued = await tokens.issueToken(request, found, beginning)
      if (issued === null) return null
      const { id } = issued
      const { issuedAt, expires, scope, name } = beginning
      await registry.begin(request, { id, userId, createdAt: issuedAt, issuedAt, expires, kind: 'token', scope, name })
      // Asked anew: what this process knows of the session may be older than its end in another one.
      const isLasting = async () => !isRevoked(found) && (await registry.ownerOf(found.id)) !== null
      return (await withdrawUnless(id, isLasting)) ? issued : null
    },
    async revoke(request) {
      try {
        const found = await tokens.load(request)
        if (found === null) return { ended: null, ...tokens.faultWithoutSession(request) }
        return tokens.isRevoked(found) ? { ended: null } : await endHereAtLeast(found)
      } catch (error) {
        // The claims of the token cannot be read, so copies of it cannot be revoked.
        return { ended: null, fault: withoutDetails(error) }
      }
    },
  }
}

/** The sessions in tokens that a revocation store knows. */
function createTokenIndex(
  registry: TokenRegistry,
  { instance, now }: { readonly instance: string | undefined; readonly now: () => number },
): SessionIndex {
  const indexed = (rows: readonly AdapterTokenSession[]): readonly IndexedSession[] => {
    const own = rowsOfInstance(rows, (row) => isOfInstance(row, instance))
    return own.flatMap((row): IndexedSession[] => {
      const expires = (timeOf(row.expires) ?? 0) - ROW_MARGIN_MS
      if (row.revokedAt != null || expires <= now()) return []
      return [{ id: row.id, key: row.id, userId: row.userId, expires: new Date(expires), details: row }]
    })
  }

  return {
    async ownerOf({ id, userId }) {
      const owner = await registry.ownerOf(id)
      return owner === null ? null : ownerInRow(owner, userId)
    },
    ownerOfUser: (userId) => ownerOfUser(String(userId)),
    list: async (owner) => indexed(await registry.list(String(owner))),
    listByProvider: async (at) => indexed(await registry.listByProvider(at)),
    // The claims are in the cookie only.
    messageOf: () => ({ token: null }),
    end: ({ id, details }) => registry.end({ id, authenticatedAt: timeOf(details.createdAt), expires: null }),
    endUnlisted: (userId) => registry.endUnregistered(String(userId)),
  }
}
