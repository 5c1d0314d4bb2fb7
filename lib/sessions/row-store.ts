import type { AdapterSession, AdapterUser } from '../adapters/adapter.js'
import { isUnwantedError } from '../adapters/failures.js'
import type { Store } from '../adapters/gateway.js'
import { whenReady } from '../kernel/awaitable.js'
import { type CookieChange, type CookieSpec, setCookie } from '../kernel/cookies.js'
import { RequestRefused, SessionTokenError, withoutDetails } from '../kernel/errors.js'
import type { Log } from '../kernel/logger.js'
import { membersOf } from '../kernel/objects.js'
import type { RequestContext } from '../kernel/request-context.js'
import { cookieLifetimes, textOfTime, timeOf } from './lifetime.js'
import { shareLookups } from './lookups.js'
import {
  createRowDetails,
  createRowIndex,
  createRowTokenIssuer,
  providerSessionIn,
  requireTokenMethods,
} from './row-details.js'
import { createRowEnds } from './row-ends.js'
import { createRowRenewal } from './row-renewal.js'
import { scopeIn } from './session.js'
import { clearPieces, clearSessionCookie } from './session-cookie.js'
import { requireRoomForToken } from './session-index.js'
import { createSessionRows, forCallback, keepsSignInTime, type RowAndUser, withDigest } from './session-rows.js'
import { faultText, type SessionBeginning, type SessionRecord, type SessionStore } from './session-store.js'
import {
  choiceInToken,
  createTokenMaker,
  isSessionToken,
  requireSessionToken,
  rowSessionId,
  storedForm,
  tokenWithChoice,
} from './stored-token.js'

/** A session in a row of the adapter's store. */
interface RowRecord extends SessionRecord {
  /** The token of the cookie. The store has a digest of it. */
  readonly token: string
  readonly expires: number
  readonly row: AdapterSession
  readonly user: AdapterUser
}

/** What the store of rows depends on. */
export interface RowStoreDependencies {
  readonly store: Store
  /** Seconds that a request waits for its session, if the adapter gives a promise. */
  readonly storeTimeout: number
  /** Name of the instance, if several instances share the store. */
  readonly instance: string | undefined
  /** At least one; the first makes tokens. */
  readonly secrets: readonly string[]
  /** Undefined for tokens that Latchkey makes. */
  readonly generateSessionToken: (() => string) | undefined
  /** Whether visitors are asked if they want to stay signed in. */
  readonly asksToRemember: boolean
  /** Whether browser and network of a client are kept for the list of sessions. */
  readonly keepsDevices: boolean
  readonly logger: Log
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Keeps sessions in the adapter's store; the cookie holds a random token, and the store its digest. */
export function createRowStore(
  cookie: CookieSpec,
  {
    store,
    storeTimeout,
    instance,
    secrets,
    generateSessionToken,
    asksToRemember,
    keepsDevices,
    logger,
    now,
  }: RowStoreDependencies,
): SessionStore<RowRecord> {
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
  const { isRevoked, deleteNowOrLater, deleteLater } = ends
  const cookieFor = cookieLifetimes(cookie, asksToRemember)
  const findShared = shareLookups(rows.find, storeTimeout * 1000)

  const tokenOf = ({ cookies }: RequestContext): string | null => {
    const value = cookies.get(cookie.name)
    return value && isSessionToken(value) ? value : null
  }

  const recordOf = (token: string, found: RowAndUser | null): RowRecord | null => {
    if (found === null) return null
    const { session, user } = found
    return {
      id: rowSessionId(withDigest(session, token, instance).sessionToken),
      token,
      userId: user.id,
      authenticatedAt: timeOf(session.authenticatedAt),
      expires: session.expires.getTime(),
      lifetime: choiceInToken(token),
      ...(session.kind === 'token' && { kind: session.kind }),
      scope: scopeIn(session.scope),
      providerSession: providerSessionIn(session),
      row: session,
      user,
    }
  }

  const index = createRowIndex(listing, ends.endListed)
  const issue = createRowTokenIssuer({ store, rows, instance, generateSessionToken: makeToken, deleteLater })

  const newRow = (
    request: RequestContext,
    { start, authenticatedAt, lifetime, expires, providerSession }: SessionBeginning,
  ): { token: string; row: AdapterSession } => {
    const token = tokenWithChoice(requireSessionToken(makeToken()), lifetime)
    const sessionToken = storedForm(token, instance)
    ends.forget(token)
    const row = {
      sessionToken,
      userId: start.user.id,
      expires: new Date(expires),
      ...details.ofNew(request, authenticatedAt, providerSession),
    }
    return { token, row: isSignInTimeKept ? { ...row, authenticatedAt: new Date(authenticatedAt) } : row }
  }

  const write = ({ cookies }: RequestContext, token: string, expires: number): readonly CookieChange[] => {
    const { spec, until } = cookieFor(choiceInToken(token), expires)
    return [...clearPieces(cookies, cookie), setCookie(spec, token, until)]
  }

  // The session is in a whole cookie, so pieces are of an earlier one.
  const leftovers = ({ cookies }: RequestContext) => clearPieces(cookies, cookie)

  return {
    name: 'database',
    resolution: 1,
    expiryTolerance: 0,
    rewritesFreely: false,

    leftovers,
    load(request) {
      const token = tokenOf(request)
      // A revoked session is not looked up: a copy of the cookie does not wait for a store that is down.
      if (token === null || isRevoked(token)) return null
      return whenReady(findShared(token, request.client), (found) => recordOf(token, found))
    },
    cookiesWithoutSession(request) {
      const token = tokenOf(request)
      // The browser may have the cookie of a newer sign-in when this answer arrives.
      if (token !== null && ends.hasDeleted(token)) return []
      return clearSessionCookie(request.cookies, cookie)
    },
    isRevoked: ({ token }) => isRevoked(token),
    noteUse: (request, { row }) => details.noteUse(request, row),
    ownerIn: ({ userId }) => (store.has('listSessionsByUserId') ? userId : null),
    index,
    async discard({ source }, { row }) {
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
    show: ({ user: { name, email, image } }, expires) => ({
      user: { name, email, image },
      expires: textOfTime(expires),
    }),
    callbackParams({ row, token, user }, expires) {
      return {
        session: { ...forCallback(row, token, instance), user: membersOf(user), expires: new Date(expires) },
        user,
      }
    },

    async renew(request, { row, expires }, expiry) {
      const later = await renewRow(row, new Date(expiry.expires), details.takeUse(request, row))
      // Another request that read the same row may have moved the expiry to a slightly different time.
      return later ? { ...expiry, expires: later.getTime() } : { ...expiry, expires, isRenewed: false }
    },
    save: (request, { token }, { expires, isRenewed }) =>
      isRenewed ? write(request, token, expires) : leftovers(request),
    async create(request, beginning) {
      const previous = tokenOf(request)
      const { token, row } = newRow(request, beginning)
      await store.createSession(row)
      // If the previous session cannot be ended, the sign-in fails and the visitor keeps that session. Then the new row is
      // deleted later; nobody has its token.
      if (previous !== null) await deleteNowOrLater(previous, row.sessionToken)
      return write(request, token, beginning.expires)
    },
    async revoke(request) {
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
    faultOf: (verb, error) =>
      // Nobody gets the answer, so this is not a fault.
      isUnwantedError(error)
        ? new RequestRefused(503, 'The client has closed the connection.')
        : new SessionTokenError(faultText(verb, 'a stored session'), { err: withoutDetails(error) }),
  }
}
