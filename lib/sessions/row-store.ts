import type { AdapterSession, AdapterUser } from '../adapters/adapter.js'
import { isUnwantedError } from '../adapters/failures.js'
import { whenReady } from '../kernel/awaitable.js'
import type { CookieSpec } from '../kernel/cookies.js'
import { MissingAdapterMethods, RequestRefused, SessionTokenError, withoutDetails } from '../kernel/errors.js'
import { membersOf } from '../kernel/objects.js'
import type { RequestContext } from '../kernel/request-context.js'
import { actShown, authenticationInText } from './authentication.js'
import { timeOf } from './lifetime.js'
import { shareLookups } from './lookups.js'
import { createRowEnds, createRowRenewal, createRowTokenIssuer, requireTokenMethods } from './row-changes.js'
import { scopeIn } from './session.js'
import { providerSessionIn } from './session-claim.js'
import { type IndexedSession, indexedSessions, requireRoomForToken, type SessionIndex } from './session-index.js'
import { createSessionRows, expiryOf, forCallback, keepsSignInTime, type RowAndUser } from './session-rows.js'
import {
  type FoundSession,
  faultText,
  type SessionBeginning,
  type SessionSettings,
  type SessionStore,
} from './session-store.js'
import { createRowDetails, UNNAMED } from './session-use.js'
import {
  choiceOf,
  choiceText,
  createTokenMaker,
  isSessionToken,
  requireSessionToken,
  rowSessionId,
  storedForm,
  storedFormOf,
  tokenWithChoice,
} from './stored-token.js'

/** A session in a row of the adapter's store. */
interface FoundRow extends FoundSession {
  /** The token of the cookie. The store has a digest of it. */
  readonly token: string
  readonly expires: number
  readonly row: AdapterSession
  readonly user: AdapterUser
}

/** What the store of rows depends on. */
export interface RowStoreDependencies extends SessionSettings {
  /** Seconds that a request waits for its session, if the adapter gives a promise. */
  readonly storeTimeout: number
  /** Undefined for tokens that Latchkey makes. */
  readonly generateSessionToken: (() => string) | undefined
}

/** Keeps sessions in the adapter's store; the cookie holds a random token, and the store its digest. */
export function createRowStore(
  cookie: CookieSpec,
  { store, storeTimeout, instance, secrets, generateSessionToken, keepsDevices, logger, now }: RowStoreDependencies,
): SessionStore<FoundRow> {
  const isSignInTimeKept = keepsSignInTime(store.adapter)
  const rows = createSessionRows({ store, instance, logger })
  const listing = { store, keepsDevices, instance, logger, now }
  const details = createRowDetails(listing)
  const renewRow = createRowRenewal({ store, logger })
  const maker = createTokenMaker(secrets)
  const makeToken = generateSessionToken ?? maker.make
  // Of texts that the application makes, nobody knows.
  const mayHaveMade = generateSessionToken ? () => true : maker.mayHaveMade
  const ends = createRowEnds({ store, rows, mayHaveMade, instance, logger })
  const { hasEnded, deleteNowOrLater, deleteLater } = ends
  const findShared = shareLookups(rows.find, storeTimeout * 1000)

  const tokenOf = ({ cookies }: RequestContext): string | null => {
    const value = cookies.get(cookie.name)
    return value && isSessionToken(value) ? value : null
  }

  const foundRow = (token: string, found: RowAndUser | null): FoundRow | null => {
    if (found === null) return null
    const { session, user } = found
    return {
      id: rowSessionId(storedFormOf(session.sessionToken, instance)),
      token,
      userId: user.id,
      authenticatedAt: timeOf(session.authenticatedAt),
      expires: expiryOf(session).getTime(),
      lifetime: choiceOf(session.lifetime, token),
      kind: session.kind === 'token' ? session.kind : undefined,
      scope: scopeIn(session.scope),
      providerSession: providerSessionIn(session),
      authentication: session.authentication ? authenticationInText(session.authentication) : undefined,
      row: session,
      user,
    }
  }

  const index = createRowIndex(listing, ends.endListed)
  const issue = createRowTokenIssuer({ store, rows, instance, makeToken, deleteLater })

  const newRow = (
    request: RequestContext,
    { start, authenticatedAt, lifetime, expires, providerSession }: SessionBeginning,
  ): { token: string; row: AdapterSession } => {
    const token = tokenWithChoice(requireSessionToken(makeToken()), lifetime)
    const row = {
      sessionToken: storedForm(token, instance),
      userId: start.user.id,
      expires: new Date(expires),
      ...details.ofNew(request, authenticatedAt, providerSession),
    }
    if (!isSignInTimeKept) return { token, row }
    const kept = {
      ...(lifetime && { lifetime: choiceText(lifetime) }),
      ...(start.authentication && { authentication: JSON.stringify(start.authentication) }),
    }
    return { token, row: { ...row, authenticatedAt: new Date(authenticatedAt), ...kept } }
  }

  return {
    name: 'database',
    resolution: 1,
    expiryTolerance: 0,
    rewritesFreely: false,

    load(request) {
      const token = tokenOf(request)
      // A session that has ended is not looked up: a copy of the cookie does not wait for a store that is down.
      if (token === null || hasEnded(token)) return null
      return whenReady(findShared(token, request.client), (found) => foundRow(token, found))
    },
    keepsCookie(request) {
      const token = tokenOf(request)
      // The browser may have the cookie of a newer sign-in when this answer arrives.
      return token !== null && ends.hasDeleted(token)
    },
    hasEnded: ({ token }) => hasEnded(token),
    noteUse: details.noteUse,
    ownerIn: ({ userId }) => (store.has('listSessionsByUserId') ? userId : null),
    index,
    async deleteExpired({ source }, { row }) {
      try {
        await store.deleteSession(row.sessionToken)
      } catch (error) {
        // The session has expired in any case. Another request may have deleted it, and some adapters throw when there
        // is nothing to delete.
        const err = withoutDetails(error)
        logger.error(new SessionTokenError('An expired session could not be deleted.', { err }), source)
      }
    },

    // A stored user may have secret members, so only the usual members are shown.
    userShown: ({ user: { name, email, image } }) => ({ name, email, image }),
    callbackParams({ row, token, user, authentication }, expires) {
      const shown = {
        user: membersOf(user),
        expires: new Date(expires),
        ...(authentication && actShown(authentication)),
      }
      return { session: { ...forCallback(row, token, instance), ...shown }, user }
    },

    async renew(request, { row, expires }, expiry) {
      const use = details.takeUse(request, row)
      const later = await renewRow({ ...row, expires: new Date(expires) }, new Date(expiry.expires), use)
      // Another request that read the same row may have moved the expiry to a slightly different time.
      return later ? { ...expiry, expires: later.getTime() } : { ...expiry, expires, isRenewed: false }
    },
    save: (_request, { token }, { isRenewed }) => (isRenewed ? token : null),
    async create(request, beginning) {
      const previous = tokenOf(request)
      const { token, row } = newRow(request, beginning)
      // In case the application has given it a previous session.
      ends.forget(token)
      await store.createSession(row)
      // If the previous session cannot be ended, the sign-in fails and the visitor keeps that session. Then the new row is
      // deleted later; nobody has its token.
      if (previous !== null) await deleteNowOrLater(previous, row.sessionToken)
      return token
    },
    timeOfProof: (_found, time) => time,
    async raise(_request, { token: earlier, row, authenticatedAt, lifetime, authentication }, { expires }) {
      if (!isSignInTimeKept || !store.has('changeSessionToken')) throw new MissingAdapterMethods(KEEPS_NO_FACTORS)
      const token = tokenWithChoice(requireSessionToken(makeToken()), lifetime)
      const sessionToken = storedForm(token, instance)
      if (!(await ends.move(earlier, row.sessionToken, sessionToken))) return null
      try {
        const raised = await store.updateSession({
          sessionToken,
          expires: new Date(expires),
          authenticatedAt: new Date(authenticatedAt),
          lifetime: lifetime ? choiceText(lifetime) : null,
          authentication: JSON.stringify(authentication ?? {}),
        })
        if (raised && authentication && !raised.authentication) throw new SessionTokenError(LOST_AUTHENTICATION)
        return raised ? token : null
      } catch (error) {
        // Perhaps it was written. The earlier token must never be that of a row which says so.
        ends.deleteLater(sessionToken)
        throw error
      }
    },
    async end(request) {
      const token = tokenOf(request)
      if (token === null) return { ended: null }
      try {
        return { ended: { session: await deleteNowOrLater(token, storedForm(token, instance)) } }
      } catch (error) {
        return { ended: null, fault: withoutDetails(error), isRetried: true }
      }
    },
    async issueToken(request, found, beginning) {
      await requireRoomForToken(index(), found.user.id)
      return issue(request, found, beginning)
    },
    requireTokens: () => requireTokenMethods(store),
    faultOf(verb, error) {
      if (error instanceof MissingAdapterMethods) return error
      // Nobody gets the answer, so this is not a fault.
      return isUnwantedError(error)
        ? new RequestRefused(503, 'The client has closed the connection.')
        : new SessionTokenError(faultText(verb, 'a stored session'), { err: withoutDetails(error) })
    },
  }
}

const KEEPS_NO_FACTORS =
  'The adapter lacks deleteSessionsByUserId or changeSessionToken, which a session needs to know of a second factor. See docs/guides/adapters.md.'

const LOST_AUTHENTICATION =
  "A session that shows a second factor has ended: the adapter's updateSession() lost `authentication`. If it is a SQL database, run `npx latchkey migrate up`, which adds the column."

/** Gives the sessions in rows of users. It throws if the adapter does not list them. */
function createRowIndex(
  { store, instance, now }: Pick<SessionSettings, 'store' | 'keepsDevices' | 'instance' | 'logger' | 'now'>,
  end: (row: Pick<AdapterSession, 'sessionToken'>) => Promise<void>,
): SessionStore<FoundSession>['index'] {
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
