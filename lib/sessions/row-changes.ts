import type { AdapterSession, AdapterUser, SessionDetails } from '../adapters/adapter.js'
import { missingMethods, type Store } from '../adapters/gateway.js'
import { isBearerToken } from '../kernel/bearer-token.js'
import { MissingAdapterMethods, SessionTokenError, withoutDetails } from '../kernel/errors.js'
import type { Log } from '../kernel/logger.js'
import { createRecentCache } from '../kernel/recent-cache.js'
import { endedRowsOf, loggedDeletion, processDeletionRetries as retries } from './deletion-retries.js'
import { expiryOf, keepsSignInTime, type SessionRows } from './session-rows.js'
import type { FoundSession, SessionSettings, SessionStore, TokenBeginning } from './session-store.js'
import { UNNAMED } from './session-use.js'
import { isStoredForm, requireSessionToken, rowSessionId, storedForm, storedFormOf } from './stored-token.js'

/** How long a renewal is remembered, so that requests which read the row before it do not renew it again. */
const RENEWAL_MEMORY_MS = 10_000

/** The renewal of sessions in an adapter's store. */
export function createRowRenewal({
  store,
  logger,
}: {
  readonly store: Pick<Store, 'updateSession'>
  readonly logger: Log
}) {
  const renewals = new Map<string, Promise<Date | null>>()

  const moveExpiry = async (sessionToken: string, expires: Date, use: SessionDetails | null): Promise<Date | null> =>
    (await store.updateSession({ sessionToken, expires, ...use })) === null ? null : expires

  /**
   * Moves the expiry of a row. If several requests have read the same row, the first of them does it for all.
   *
   * @param row `expires` as it was when the row was read
   * @param use further members to store with it; null for none
   * @returns the new expiry, or null when it was not moved: the row is gone, or the store failed. A failure is logged,
   *   and the session counts until its present expiry
   */
  return (
    { sessionToken, expires }: Pick<AdapterSession, 'sessionToken' | 'expires'>,
    later: Date,
    use: SessionDetails | null = null,
  ): Promise<Date | null> => {
    const key = `${sessionToken} ${expires.getTime()}`
    const running = renewals.get(key)
    if (running) return running
    const renewal = moveExpiry(sessionToken, later, use).catch((error: unknown) => {
      renewals.delete(key)
      // Several requests may wait for it, so the line names none of them.
      logger.error(new SessionTokenError('A session could not be renewed.', { err: withoutDetails(error) }))
      return null
    })
    renewals.set(key, renewal)
    setTimeout(() => renewals.delete(key), RENEWAL_MEMORY_MS).unref()
    return renewal
  }
}

/** The ends of sessions in the rows of an adapter's store. What fails is tried again in the background. */
export function createRowEnds({
  store,
  rows,
  mayHaveMade,
  instance,
  logger,
}: Pick<SessionSettings, 'store' | 'instance' | 'logger'> & {
  readonly rows: SessionRows
  /** Whether a token may be one that was issued. Anybody can send others. */
  readonly mayHaveMade: (token: string) => boolean
}) {
  const ended = endedRowsOf(store.adapter)
  /** The stored forms of new tokens, by those of the earlier ones. */
  const moved = createRecentCache<string, string>(1000)

  const deletion = loggedDeletion(store.adapter, rows.endStored, { logger, fix: MEND_STORE })

  /** Ends a session where {@link move} has put it meanwhile. */
  const endMoved = async (stored: string): Promise<void> => {
    const later = moved.get(stored)
    if (later !== undefined) await rows.endStored(later)
  }

  return {
    /** Whether this process has ended the session of a token, even if the store still has it. */
    hasEnded(token: string): boolean {
      if (retries.size === 0 && ended.size === 0) return false
      const stored = storedForm(token, instance)
      return retries.has(stored) || ended.has(stored)
    },
    /** Whether this process has deleted the row of a token a moment ago. */
    hasDeleted: (token: string): boolean => ended.has(storedForm(token, instance)),
    /** Called for the token of a new session, in case the application has given it a previous one. */
    forget: (token: string): void => ended.forget(storedForm(token, instance)),
    /**
     * Deletes the row of a token. If that fails, it throws, and a deletion is tried again in the background.
     *
     * @param retryOf the row that is then deleted, as the store has its token: that of the token itself at a sign-out; the
     *   new row at a sign-in, which fails, so that the visitor keeps the previous session
     */
    async deleteNowOrLater(token: string, retryOf: string): Promise<AdapterSession | null> {
      const stored = storedForm(token, instance)
      try {
        const row = await rows.end(token)
        await endMoved(stored)
        if (row !== null || mayHaveMade(token)) ended.add(stored)
        return row
      } catch (error) {
        retries.add(retryOf, deletion, retryOf !== stored || mayHaveMade(token))
        throw error
      }
    },
    /**
     * Gives the session of a token another one. Whoever ends it by the earlier token, at this moment or soon, ends it there.
     *
     * @param from the token as the row has it
     * @param to the stored form of the new token
     * @returns false if the session has ended
     */
    async move(token: string, from: string, to: string): Promise<boolean> {
      const stored = storedForm(token, instance)
      moved.set(stored, to)
      if (!(await store.changeSessionToken(from, to))) return false
      ended.add(stored)
      return true
    },
    /** Deletes a row in the background, by the stored form of its token. */
    deleteLater: (stored: string): void => retries.add(stored, deletion),
    /** Deletes a row that was listed. If that fails, it throws, and the deletion is tried again in the background. */
    async endListed({ sessionToken }: Pick<AdapterSession, 'sessionToken'>): Promise<void> {
      const stored = storedFormOf(sessionToken, instance)
      try {
        // A row of Auth.js may get the digest of its token meanwhile.
        if (isStoredForm(sessionToken)) await rows.endStored(stored)
        else await rows.end(sessionToken)
        await endMoved(stored)
        ended.add(stored)
      } catch (error) {
        retries.add(stored, deletion)
        throw error
      }
    },
  }
}

const MEND_STORE =
  'The store failed for ten minutes after somebody signed out, or too many people signed out meanwhile. Copies of their session cookies are valid ' +
  'until the sessions expire. Repair the store, and delete the sessions of users who ask for it.'

/** The session in which a token is issued: the token of its cookie, and its user. */
interface IssuingSession extends FoundSession {
  readonly token: string
  readonly user: AdapterUser
}

/**
 * Refuses an adapter that cannot keep the kind of a session.
 *
 * @throws {MissingAdapterMethods} naming every method that issuing needs
 */
export function requireTokenMethods(store: Store): void {
  if (store.has('listSessionsByUserId')) return
  const missing = missingMethods(store.adapter, ['listSessionsByUserId', 'deleteSessionsByUserId'])
  throw new MissingAdapterMethods(`The adapter lacks ${missing.join(' and ')}. ${NO_DETAILS}`)
}

/** Issued tokens as rows of their own. The store has the digest of a token, as with every stored session. */
export function createRowTokenIssuer({
  store,
  rows,
  instance,
  makeToken,
  deleteLater,
}: Pick<SessionSettings, 'store' | 'instance'> & {
  readonly rows: SessionRows
  readonly makeToken: () => string
  readonly deleteLater: (stored: string) => void
}): SessionStore<IssuingSession>['issueToken'] {
  const rowOf = (
    { user, authentication }: IssuingSession,
    sessionToken: string,
    beginning: TokenBeginning,
  ): AdapterSession => ({
    sessionToken,
    userId: user.id,
    expires: new Date(beginning.expires),
    kind: 'token',
    scope: beginning.scope,
    name: beginning.name,
    createdAt: new Date(beginning.issuedAt),
    instance: instance ?? UNNAMED,
    // A program proves nothing about the person, so no rule about a recent sign-in lets it pass.
    ...(keepsSignInTime(store.adapter) && {
      authenticatedAt: null,
      ...(authentication && { authentication: JSON.stringify(authentication) }),
    }),
  })

  /** A store that loses these members would make a browser session of the token, without a scope. */
  const isKept = async (token: string, { kind, scope, expires }: AdapterSession): Promise<boolean> => {
    const session = (await rows.find(token))?.session
    if (session === undefined || session.kind !== kind || (session.scope ?? null) !== scope) return false
    // Databases may keep no fractions of seconds.
    return expiryOf(session).getTime() <= expires.getTime() + 1000
  }

  const withdraw = (stored: string): Promise<void> => rows.endStored(stored).catch(() => deleteLater(stored))

  return async (_request, found, beginning) => {
    const token = requireSessionToken(makeToken())
    if (!isBearerToken(token)) throw new SessionTokenError(NOT_FOR_HEADERS)
    const stored = storedForm(token, instance)
    const row = rowOf(found, stored, beginning)
    await store.createSession(row)
    try {
      if (!(await isKept(token, row))) throw new SessionTokenError(LOST_DETAILS)
      // Looked up anew: a look-up that other requests wait for may have begun before the sessions of the user ended.
      if ((await rows.find(found.token)) !== null) return { token, id: rowSessionId(stored), expires: row.expires }
    } catch (error) {
      await withdraw(stored)
      throw error
    }
    await withdraw(stored)
    return null
  }
}

const NO_DETAILS =
  'Tokens for programs need an adapter that keeps their kind, their scope, and the time of the sign-in. See docs/guides/adapters.md.'

const NOT_FOR_HEADERS =
  'session.generateSessionToken gave a text that the header Authorization cannot have: only letters, digits and -._~+/ can be in a token for a program.'

const LOST_DETAILS =
  "No token was issued: the adapter's createSession() lost `kind`, `scope` or `expires` of the session. If it is a SQL database, run `npx latchkey migrate up`, which adds the columns."
