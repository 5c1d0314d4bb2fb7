import type { Adapter, AdapterSession, AdapterUser } from '../adapters/adapter.js'
import { adapterCalls } from '../adapters/adapter-calls.js'
import { isUnwantedError } from '../adapters/failures.js'
import { whenReady } from '../awaitable.js'
import { randomHex } from '../crypto/random.js'
import { RequestRefused, SessionTokenError, withoutDetails } from '../errors.js'
import { type CookieChange, type CookieSpec, setCookie } from '../http/cookies.js'
import type { RequestContext } from '../http/request-context.js'
import { clearPieces, clearSessionCookie } from '../http/session-cookie.js'
import type { LoggerInstance } from '../logger.js'
import { choiceInToken, tokenWithChoice } from './chosen-in-token.js'
import { cookieLifetimes } from './cookie-lifetime.js'
import { type DeletionTarget, processDeletionRetries as retries } from './deletion-retries.js'
import { endedRowsOf } from './ended-rows.js'
import { textOfTime } from './lifetime.js'
import { createRowRenewal } from './row-renewal.js'
import { createSessionRows, type Found, keepsSignInTime, SESSION_METHODS, withDigest } from './session-rows.js'
import type { SessionBeginning, SessionRecord, SessionStore } from './session-store.js'
import { shareLookups } from './shared-lookups.js'
import { isSessionToken, requireSessionToken, rowSessionId, storedForm } from './stored-token.js'

/** A session in a row of the adapter's store. */
export interface RowRecord extends SessionRecord {
  /** The token of the cookie. The store has a digest of it. */
  readonly token: string
  readonly expires: number
  readonly row: AdapterSession
  readonly user: AdapterUser
}

/** What the store of rows depends on. */
export interface RowStoreDependencies {
  readonly adapter: Adapter
  /** Seconds that a request waits for its session, if the adapter gives a promise. */
  readonly storeTimeout: number
  /** Name of the instance, if several instances share the store. */
  readonly instance: string | undefined
  /** Undefined for 256 random bits. */
  readonly generateSessionToken: (() => string) | undefined
  /** Whether visitors are asked if they want to stay signed in. */
  readonly asksToRemember: boolean
  readonly logger: LoggerInstance
}

/** Keeps sessions in the adapter's store; the cookie holds a random token, and the store its digest. */
export function createRowStore(
  cookie: CookieSpec,
  {
    adapter,
    storeTimeout,
    instance,
    generateSessionToken = () => randomHex(),
    asksToRemember,
    logger,
  }: RowStoreDependencies,
): SessionStore<RowRecord> {
  const calls = adapterCalls(adapter, [...SESSION_METHODS, 'changeSessionToken'], 'keeping sessions', logger)
  const changesTokens = typeof adapter.changeSessionToken === 'function'
  const isSignInTimeKept = keepsSignInTime(adapter)
  const rows = createSessionRows({ adapter: calls, changesTokens, instance, logger })
  const renewRow = createRowRenewal({ adapter: calls, logger })
  const ended = endedRowsOf(adapter)
  const cookieFor = cookieLifetimes(cookie, asksToRemember)
  const findShared = shareLookups(rows.find, storeTimeout * 1000)

  const tokenOf = ({ cookies }: RequestContext): string | null => {
    const value = cookies.get(cookie.name)
    return value && isSessionToken(value) ? value : null
  }

  const isRevoked = (token: string) => {
    if (retries.size === 0 && ended.size === 0) return false
    const stored = storedForm(token, instance)
    return retries.has(stored) || ended.has(stored)
  }

  const recordOf = ({ cookies }: RequestContext, token: string, found: Found | null): RowRecord | null => {
    if (found === null) return null
    const { session, user } = found
    return {
      id: rowSessionId(withDigest(session, token, instance).sessionToken),
      token,
      userId: user.id,
      authenticatedAt: timeOf(session.authenticatedAt),
      expires: session.expires.getTime(),
      lifetime: choiceInToken(token),
      leftoverPieces: clearPieces(cookies, cookie),
      row: session,
      user,
    }
  }

  /**
   * Deletes the row of a token. If that fails, it throws, and a deletion is tried again in the background.
   *
   * @param retryOf the row that is then deleted, as the store has its token: that of the token itself at a sign-out; the
   *   new row at a sign-in, which fails, so that the visitor keeps the previous session
   */
  const deleteNowOrLater = async (token: string, retryOf: string): Promise<AdapterSession | null> => {
    try {
      const row = await rows.end(token)
      ended.add(storedForm(token, instance))
      return row
    } catch (error) {
      retries.add(retryOf, deletion)
      throw error
    }
  }

  const deletion: DeletionTarget = {
    store: adapter,
    remove: rows.endStored,
    gaveUp: (count) => logger.warn('sign-outs-given-up', { count, fix: MEND_STORE }),
    completed: (count) => logger.debug('sign-outs-completed', { count }),
  }

  const newRow = ({
    start,
    authenticatedAt,
    lifetime,
    expires,
  }: SessionBeginning): { token: string; row: AdapterSession } => {
    const token = tokenWithChoice(requireSessionToken(generateSessionToken()), lifetime)
    const sessionToken = storedForm(token, instance)
    ended.forget(sessionToken)
    const row = { sessionToken, userId: start.user.id, expires: new Date(expires) }
    const signInTime = { authenticatedAt: authenticatedAt === null ? null : new Date(authenticatedAt) }
    return { token, row: isSignInTimeKept ? { ...row, ...signInTime } : row }
  }

  const write = ({ cookies }: RequestContext, token: string, expires: number): readonly CookieChange[] => {
    const { spec, until } = cookieFor(choiceInToken(token), expires)
    return [...clearPieces(cookies, cookie), setCookie(spec, token, until)]
  }

  return {
    name: 'database',
    resolution: 1,
    expiryTolerance: 0,
    rewritesFreely: false,

    load(request) {
      const token = tokenOf(request)
      // A revoked session is not looked up: a copy of the cookie does not wait for a store that is down.
      if (token === null || isRevoked(token)) return null
      return whenReady(findShared(token, request.client), (found) => recordOf(request, token, found))
    },
    cookiesWithoutSession(request) {
      const token = tokenOf(request)
      // The browser may have the cookie of a newer sign-in when this answer arrives.
      if (token !== null && ended.has(storedForm(token, instance))) return []
      return clearSessionCookie(request.cookies, cookie)
    },
    isRevoked: ({ token }) => isRevoked(token),
    async discard({ row }) {
      try {
        await calls.deleteSession(row.sessionToken)
      } catch (error) {
        // The session has expired in any case. Another request may have deleted it, and some adapters throw when there
        // is nothing to delete.
        logger.error(new SessionTokenError('An expired session could not be deleted.', { err: withoutDetails(error) }))
      }
    },

    // A stored user may have secret members, so only the usual members are shown.
    show: ({ user: { name, email, image } }, expires) => ({
      user: { name, email, image },
      expires: textOfTime(expires),
    }),
    callbackParams({ row, token, user }, expires) {
      return { session: { ...withDigest(row, token, instance), user, expires: new Date(expires) }, user }
    },

    async renew({ row, expires }, expiry) {
      const later = await renewRow(row, new Date(expiry.expires))
      // Another request that read the same row may have moved the expiry to a slightly different time.
      return later ? { ...expiry, expires: later.getTime() } : { ...expiry, expires, isRenewed: false }
    },
    save: (request, { token, leftoverPieces }, { expires, isRenewed }) =>
      isRenewed ? write(request, token, expires) : leftoverPieces,
    async create(request, beginning) {
      const previous = tokenOf(request)
      const { token, row } = newRow(beginning)
      await calls.createSession(row)
      // If the previous session cannot be ended, the sign-in fails and the visitor keeps that session. Then the new row is
      // deleted later; nobody has its token.
      if (previous !== null) await deleteNowOrLater(previous, row.sessionToken)
      return write(request, token, beginning.expires)
    },
    async replace(request, previous, beginning) {
      const { token, row } = newRow(beginning)
      try {
        const expires = await rows.replace(previous, row)
        // A sign-out in this process may have failed to delete the previous row. It counts all the same.
        if (expires !== null && !retries.has(storedForm(previous.token, instance))) {
          ended.add(storedForm(previous.token, instance))
          return write(request, token, expires)
        }
      } catch (error) {
        retries.add(row.sessionToken, deletion)
        throw error
      }
      // Nobody has the token of the new row.
      await rows.endStored(row.sessionToken).catch(() => retries.add(row.sessionToken, deletion))
      return []
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
    faultOf: (verb, error) =>
      // Nobody gets the answer, so this is not a fault.
      isUnwantedError(error)
        ? new RequestRefused(503, 'The client has closed the connection.')
        : new SessionTokenError(`Could not ${verb} a stored session.`, { err: withoutDetails(error) }),
  }
}

const MEND_STORE =
  'The store failed for ten minutes after somebody signed out, or too many people signed out meanwhile. Copies of their session cookies are valid ' +
  'until the sessions expire. Repair the store, and delete the sessions of users who ask for it.'

/** Converts a time, in any form that adapters give, to milliseconds since the epoch; null if there is none. */
function timeOf(value: Date | string | number | null | undefined): number | null {
  if (value == null) return null
  const time = value instanceof Date ? value.getTime() : new Date(value).getTime()
  return Number.isNaN(time) ? null : time
}
