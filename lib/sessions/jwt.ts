import { given, type MaybePromise, whenReady } from '../awaitable.js'
import type { JWT } from '../crypto/jwt.js'
import { newSessionClaim, type SessionClaim, type SessionToken } from '../crypto/session-claim.js'
import type { SessionJwtCodec, TokenLifetime } from '../crypto/session-jwt.js'
import { JWTSessionError, withoutDetails } from '../errors.js'
import type { CookieChange, CookieSpec, RequestCookies } from '../http/cookies.js'
import type { LoggerInstance } from '../logger.js'
import type { EndedSessions } from './ended-sessions.js'
import { claimsGiven, differs, paramsOf, signInParams, subjectAtStart, textOf, userIdOf, userOf } from './jwt-claims.js'
import { createTokenEnds, type Ending, lastMomentOf, nobody, type SessionTimes, textOfTime } from './lifetime.js'
import type { LongestTimes } from './longest-times.js'
import {
  type DefaultSession,
  type JWTCallback,
  PEEK,
  type Presenting,
  principalOf,
  READ,
  type Session,
  type SessionCallback,
  type SessionManager,
  type SessionReading,
  sessionParams,
} from './session.js'
import { clearPieces, clearSessionCookie, readSessionCookie, writeSessionCookie } from './session-cookie.js'

/** What token sessions need to know. */
export interface JWTSessionSettings {
  readonly cookie: CookieSpec
  readonly codec: SessionJwtCodec
  readonly times: SessionTimes
  /** `jwt` is null when the application has none: then a token keeps what is in it. */
  readonly callbacks: { readonly jwt: JWTCallback | null; readonly session: SessionCallback | null }
  /** The sessions that were signed out here. */
  readonly ended: EndedSessions
  /** How long any token of these secrets may have been made to live. */
  readonly longestTimes: () => LongestTimes
  /**
   * Whether a user has an address that nobody has confirmed yet, which sessions are asked about that began so; false when the user is gone. Null where
   * there is no store to ask.
   */
  readonly isStillUnconfirmed: ((userId: string) => Promise<boolean>) | null
  readonly logger: Pick<LoggerInstance, 'debug'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A token that was opened, as it was before any callback saw it. */
interface FoundToken {
  readonly cookies: RequestCookies
  readonly how: Presenting
  readonly exp: number | undefined
  readonly mark: SessionClaim
  /** When the session is over whatever happens, seconds since the epoch. */
  readonly limit: number
  /** What it said; null when there is no callback that could change it. */
  readonly before: string | null
}

/** Keeps the whole session in an encrypted token in the visitor's cookie. */
export function createJWTSessions(settings: JWTSessionSettings): SessionManager {
  const { cookie, codec, times, callbacks, ended, longestTimes, isStillUnconfirmed, logger, now } = settings
  const ends = createTokenEnds(times)
  const seconds = () => Math.floor(now() / 1000)

  const open = (cookies: RequestCookies): MaybePromise<SessionToken | null> => {
    const value = readSessionCookie(cookies, cookie)
    return value === undefined ? null : codec.decode(value)
  }

  /** What keeps a session from being ended whose token is good where other secrets are known: copies of it are not refused here, and accepted there. */
  const faultOfRefused = (cookies: RequestCookies): { readonly fault?: Error } => {
    const value = readSessionCookie(cookies, cookie)
    if (value === undefined || codec.goodFor(value) !== 'elsewhere') return {}
    return { fault: new Error('The session token was made with a secret that this process does not have.') }
  }

  const openIfPossible = async (cookies: RequestCookies): Promise<SessionToken | null> => {
    try {
      return await open(cookies)
    } catch {
      return null
    }
  }

  const end = ({ mark, claims: { exp } }: SessionToken) =>
    ended.add(mark, lastMomentOf(exp, longestTimes(), mark.authenticatedAt, seconds()))

  const write = async (cookies: RequestCookies, content: SessionToken, lifetime: TokenLifetime) =>
    writeSessionCookie(cookies, cookie, await codec.encode(content, lifetime), {
      expires: new Date(lifetime.expiresAt * 1000),
    })

  // What follows is in functions that make no closure where nothing is waited for: each would be garbage of every request.
  const present = (cookies: RequestCookies, how: Presenting): MaybePromise<SessionReading> => {
    try {
      const held = open(cookies)
      const reading = held instanceof Promise ? lookLater(cookies, held, how) : look(cookies, held, how)
      return reading instanceof Promise ? failingAs(how, reading) : reading
    } catch (error) {
      return Promise.reject(asFault(how.verb, error))
    }
  }

  const failingAs = ({ verb }: Presenting, reading: Promise<SessionReading>) =>
    reading.catch((error: unknown) => Promise.reject(asFault(verb, error)))

  const lookLater = (cookies: RequestCookies, held: Promise<SessionToken | null>, how: Presenting) =>
    held.then((held) => look(cookies, held, how))

  /**
   * A cookie that another process may open is left to it: while a secret is exchanged, the process that answers may not know the one that the cookie was made
   * with a moment ago.
   */
  const clearedUnlessGoodElsewhere = (cookies: RequestCookies): readonly CookieChange[] => {
    const value = readSessionCookie(cookies, cookie)
    const goodFor = value === undefined ? 'nowhere' : codec.goodFor(value)
    if (goodFor === 'elsewhere') logger.debug('session-token-left-alone', { reason: GOOD_ELSEWHERE })
    return goodFor !== 'nowhere' ? NONE : clearSessionCookie(cookies, cookie)
  }

  const look = (cookies: RequestCookies, held: SessionToken | null, how: Presenting): MaybePromise<SessionReading> => {
    if (!held) return nobody(clearedUnlessGoodElsewhere(cookies))
    const { claims, mark } = held
    // The cookie is left alone: the browser may hold that of a newer sign-in by the time this answer arrives.
    if (ended.has(mark)) return nobody([])
    const { exp } = claims
    const limit = ends.limitOf(mark.authenticatedAt, exp)
    if (limit !== Number.POSITIVE_INFINITY && limit <= seconds()) return nobody(clearSessionCookie(cookies, cookie))
    // Written down first, so that a callback which changes its argument in place is noticed.
    const before = callbacks.jwt && textOf(claims)
    const found: FoundToken = { cookies, how, exp, mark, limit, before }
    return mark.unconfirmed !== undefined && isStillUnconfirmed
      ? unlessConfirmed(found, claims, isStillUnconfirmed(mark.unconfirmed))
      : judge(found, claims)
  }

  /** Whoever signed up with somebody else's address is out once that person confirms it (ACCT-05). */
  const unlessConfirmed = async (found: FoundToken, claims: JWT, isUnconfirmed: Promise<boolean>) =>
    (await isUnconfirmed) ? judge(found, claims) : nobody([])

  const judge = (found: FoundToken, claims: JWT): MaybePromise<SessionReading> =>
    callbacks.jwt ? decide(found, claims, callbacks.jwt) : show(found, claims)

  /** The `jwt` callback says what the token is to hold. */
  const decide = (found: FoundToken, held: JWT, ask: JWTCallback): MaybePromise<SessionReading> =>
    whenReady(given(ask(paramsOf(held, found.how.update))), (given) => {
      const token = claimsGiven(given)
      return token ? show(found, token) : nobody(clearSessionCookie(found.cookies, cookie))
    })

  const show = (found: FoundToken, token: JWT): MaybePromise<SessionReading> => {
    const ending = ends.endingOf(found.exp, found.limit, found.how, seconds())
    const shown = { user: userOf(token), expires: textOfTime(ending.expiresAt * 1000) }
    return callbacks.session ? dress(found, token, ending, shown, callbacks.session) : keep(found, token, ending, shown)
  }

  /** The `session` callback says what clients see. */
  const dress = (found: FoundToken, token: JWT, ending: Ending, shown: Session, ask: SessionCallback) =>
    whenReady(given(ask(sessionParams({ session: shown, token, update: found.how.update }))), (session) =>
      keep(found, token, ending, session),
    )

  const keep = (
    found: FoundToken,
    token: JWT,
    ending: Ending,
    session: Session | DefaultSession | null,
  ): MaybePromise<SessionReading> => {
    const { cookies, how, before } = found
    // Between extensions a token is rewritten only when the callback changed it: what it returns is saved (rotated tokens, say),
    // but the end stays where it was.
    const mustWrite = ending.isExtended || (how.mayWrite && before !== null && differs(textOf(token), before))
    return mustWrite ? rewrite(found, token, ending, session) : told(found, token, leftovers(cookies, cookie), session)
  }

  const rewrite = async (
    found: FoundToken,
    token: JWT,
    ending: Ending,
    session: Session | DefaultSession | null,
  ): Promise<SessionReading> =>
    told(found, token, await write(found.cookies, { claims: token, mark: found.mark }, ending), session)

  const told = (
    found: FoundToken,
    token: JWT,
    changes: readonly CookieChange[],
    session: Session | DefaultSession | null,
  ): SessionReading => {
    // Signed out while the callbacks were at work: the sign-out wins (SESS-14).
    if (ended.has(found.mark)) return nobody([])
    if (!session) return nobody(changes)
    return {
      session: session as Session,
      cookies: changes,
      message: { session: session as Session, token },
      authenticatedAt: found.mark.authenticatedAt,
      userId: userIdOf(token),
    }
  }

  return {
    name: 'jwt',
    renew: ({ cookies }) => present(cookies, READ),
    read: ({ cookies }) => present(cookies, PEEK),
    update: ({ cookies }, data) => present(cookies, { verb: 'update', update: { data }, mayWrite: true }),
    readPrincipal: async ({ cookies }) => principalOf(await present(cookies, PEEK)),
    issue: ({ cookies }, start) =>
      faultsAs('start', async () => {
        const params = signInParams(start)
        const token = callbacks.jwt ? claimsGiven(await callbacks.jwt(params)) : params.token
        // A cookie that cannot be read keeps nobody from signing in.
        const before = await openIfPossible(cookies)
        const wasEnded = before !== null && ended.has(before.mark)
        // Whoever holds a copy of the cookie of before is signed out (SESS-02).
        if (before && !wasEnded) end(before)
        // What was added to a session goes on with it, and not when it was signed out meanwhile (SESS-14).
        const isOver = wasEnded && start.authenticatedAt !== undefined
        if (!token || isOver) return clearSessionCookie(cookies, cookie)
        const issuedAt = seconds()
        const mark = newSessionClaim({
          subject: subjectAtStart(start),
          authenticatedAt: start.authenticatedAt === undefined ? now() : start.authenticatedAt,
          ...(start.isUnconfirmed && { unconfirmed: start.user.id }),
        })
        const limit = ends.limitOf(mark.authenticatedAt, before?.claims.exp)
        const expiresAt = Math.min(issuedAt + times.maxAge, limit)
        return write(cookies, { claims: token, mark }, { issuedAt, expiresAt })
      }),
    async revoke({ cookies }) {
      const cleared = clearSessionCookie(cookies, cookie)
      let held: Awaited<ReturnType<typeof open>>
      try {
        held = await open(cookies)
      } catch (error) {
        // What it says of itself cannot be read, so a copy of it cannot be refused later.
        return { cookies: cleared, ended: null, fault: withoutDetails(error) }
      }
      if (held === null) return { cookies: cleared, ended: null, ...faultOfRefused(cookies) }
      if (ended.has(held.mark)) return { cookies: cleared, ended: null }
      end(held)
      return { cookies: cleared, ended: { token: held.claims } }
    },
  }
}

/** Pieces that lie beside a whole cookie are of no use: it is preferred to them. */
const leftovers = (cookies: RequestCookies, spec: CookieSpec): readonly CookieChange[] => {
  const pieces = clearPieces(cookies, spec)
  return pieces.length > 0 && cookies.get(spec.name) ? pieces : NONE
}

const GOOD_ELSEWHERE = 'It was made with a secret that this process does not have, or where the clock is ahead.'

const NONE: readonly CookieChange[] = []

/** An application's own errors pass; anything else becomes a session fault that keeps the cookie. */
async function faultsAs<T>(verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asFault(verb, error)
  }
}

const asFault = (verb: string, error: unknown) =>
  error instanceof JWTSessionError
    ? error
    : new JWTSessionError(`Could not ${verb} a token session.`, { err: withoutDetails(error) })
