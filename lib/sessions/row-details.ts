import type { AdapterSession, AdapterUser, ProviderSession, SessionDetails } from '../adapters/adapter.js'
import { missingMethods, type Store } from '../adapters/gateway.js'
import { isBearerToken } from '../kernel/bearer-token.js'
import { MissingAdapterMethods, SessionTokenError, withoutDetails } from '../kernel/errors.js'
import { isFirstTime, type Log } from '../kernel/logger.js'
import type { RequestContext } from '../kernel/request-context.js'
import { timeOf } from './lifetime.js'
import { type IndexedSession, indexedSessions, type SessionIndex } from './session-index.js'
import { expiryOf, forCallback, keepsSignInTime, type SessionRows } from './session-rows.js'
import type { SessionRecord, SessionStore, TokenBeginning } from './session-store.js'
import { createNotedUses, isUseDue, keptClientDetails } from './session-use.js'
import { requireSessionToken, rowSessionId, storedForm, storedFormOf } from './stored-token.js'

interface RowIndexDependencies {
  readonly store: Store
  /** Whether browser and network of a client are kept. */
  readonly keepsDevices: boolean
  readonly instance: string | undefined
  readonly logger: Log
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** What a row says for the list of sessions. */
interface RowDetails {
  /** The members of a new row; none if the adapter does not keep them. */
  ofNew(request: RequestContext, startedAt: number | null, at: ProviderSession | undefined): SessionDetails
  /** What a use changes in a row, if that is to be stored now; otherwise nothing. It is given once in a quarter of an hour. */
  takeUse(request: RequestContext, row: AdapterSession): SessionDetails | null
  /** Records from time to time that a session was used. It never throws, and nobody waits for it. */
  noteUse(request: RequestContext, found: { readonly row: AdapterSession }): void
}

/** The details of sessions in rows, for an adapter that keeps them. By the contract, it has `listSessionsByUserId`. */
export function createRowDetails({ store, keepsDevices, instance, logger, now }: RowIndexDependencies): RowDetails {
  if (!store.has('listSessionsByUserId')) return { ofNew: () => ({}), takeUse: () => null, noteUse() {} }
  const noted = createNotedUses(now)
  const clientOf = keptClientDetails(keepsDevices)
  const own = { instance: instance ?? UNNAMED }

  const write = async (
    changes: Partial<AdapterSession> & Pick<AdapterSession, 'sessionToken'>,
    { source }: RequestContext,
  ) => {
    try {
      const row = await store.updateSession(changes)
      // An adapter that gives nothing says nothing about its columns.
      const isLost = row != null && row.lastSeenAt == null
      if (isLost && isFirstTime(logger, 'session-details-lost'))
        logger.warn('session-details-lost', { fix: MIGRATE }, source)
    } catch (error) {
      // The request does not suffer from it: the session is valid all the same.
      logger.warn('session-use-not-stored', { reason: withoutDetails(error).message }, source)
    }
  }

  const takeUse: RowDetails['takeUse'] = (request, { sessionToken, lastSeenAt }) => {
    if (!isUseDue(timeOf(lastSeenAt), now()) || !noted.note(sessionToken)) return null
    // A row that began before the instance was kept gets it here, and so gets into the list.
    return { lastSeenAt: new Date(now()), ...clientOf(request), ...own }
  }

  return {
    ofNew: (request, startedAt, at) => ({
      createdAt: new Date(startedAt ?? now()),
      lastSeenAt: new Date(now()),
      ...clientOf(request),
      ...own,
      // An adapter without the method may have been made before there were such members.
      ...(store.has('listSessionsByProvider') && at),
    }),
    takeUse,
    noteUse(request, { row }) {
      const use = takeUse(request, row)
      if (use !== null) void write({ sessionToken: row.sessionToken, ...use }, request)
    },
  }
}

/** Where a session began, as its row says; undefined if that is not known. */
export function providerSessionIn({ provider, subject, sid }: SessionDetails): ProviderSession | undefined {
  if (typeof provider !== 'string' || provider === '') return undefined
  return { provider, ...(typeof subject === 'string' && { subject }), ...(typeof sid === 'string' && { sid }) }
}

/** What rows of a configuration without a name have, to be told from rows of before. */
export const UNNAMED = ''

/** Gives the sessions in rows of users. It throws if the adapter does not list them. */
export function createRowIndex(
  { store, instance, now }: RowIndexDependencies,
  end: (row: Pick<AdapterSession, 'sessionToken'>) => Promise<void>,
): SessionStore<SessionRecord>['index'] {
  const indexed = (rows: readonly AdapterSession[]): readonly IndexedSession[] => {
    // A row that names no instance began before instances were kept. It may be one of this instance. Issued tokens are newer:
    // those of a configuration without a name had no instance at first.
    const isOwn = ({ instance: named, kind }: AdapterSession) =>
      named == null && kind !== 'token' ? true : (named ?? UNNAMED) === (instance ?? UNNAMED)
    return indexedSessions(rows, isOwn, now(), ({ sessionToken, expires }) => ({
      id: rowSessionId(storedFormOf(sessionToken, instance)),
      key: sessionToken,
      expires: timeOf(expires),
    }))
  }

  const index: SessionIndex = {
    ownerOf: async ({ userId }) => userId,
    ownerOfUser: (userId) => userId,
    list: async (owner) => indexed(await store.listSessionsByUserId(owner)),
    listByProvider: async (at) => indexed(await store.listSessionsByProvider(at)),
    messageOf: ({ key, userId, expires, details }) => {
      const row = { ...details, sessionToken: key, userId, expires }
      return { session: forCallback(row, key, instance) }
    },
    async end({ key }) {
      await end({ sessionToken: key })
      return true
    },
  }
  return () => {
    if (store.has('listSessionsByUserId')) return index
    throw new MissingAdapterMethods(
      'The adapter lacks listSessionsByUserId, which listing and revoking sessions needs.',
    )
  }
}

const MIGRATE =
  'Nobody sees when and where the sessions in their list began, and no token can be issued for a program. In a SQL database, run `npx latchkey migrate up`, which adds the columns.'

/** The session in which a token is issued: the token of its cookie, and its user. */
interface IssuingSession extends SessionRecord {
  readonly token: string
  readonly user: AdapterUser
}

interface RowTokenDependencies {
  readonly store: Store
  readonly rows: SessionRows
  readonly instance: string | undefined
  readonly generateSessionToken: () => string
  /** Deletes a row in the background, by the stored form of its token. */
  readonly deleteLater: (stored: string) => void
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
export function createRowTokenIssuer(dependencies: RowTokenDependencies): SessionStore<IssuingSession>['issueToken'] {
  const { store, rows, instance, generateSessionToken, deleteLater } = dependencies

  const rowOf = ({ user }: IssuingSession, sessionToken: string, beginning: TokenBeginning): AdapterSession => ({
    sessionToken,
    userId: user.id,
    expires: new Date(beginning.expires),
    kind: 'token',
    scope: beginning.scope,
    name: beginning.name,
    createdAt: new Date(beginning.issuedAt),
    lastSeenAt: null,
    userAgent: null,
    network: null,
    instance: instance ?? UNNAMED,
    // A program proves nothing about the person, so no rule about a recent sign-in lets it pass.
    ...(keepsSignInTime(store.adapter) && { authenticatedAt: null }),
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
    const token = requireSessionToken(generateSessionToken())
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
