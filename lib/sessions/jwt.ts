import { given, type MaybePromise, whenReady } from '../awaitable.js'
import type { OneTimeLedger } from '../crypto/one-time.js'
import { momentOfId } from '../crypto/random.js'
import type { JWT, SessionTokenCodec, TokenLifetime } from '../crypto/session-token.js'
import { JWTSessionError, withoutDetails } from '../errors.js'
import type { CookieChange, CookieSpec, RequestCookies } from '../http/cookies.js'
import { differs, paramsOf, signInParams, textOf, userIdOf, userOf } from './jwt-claims.js'
import { extensionInterval, nobody, type SessionTimes, textOfTime } from './lifetime.js'
import { clearPieces, clearSessionCookie, readSessionCookie, writeSessionCookie } from './session-cookie.js'
import {
  type DefaultSession,
  holderIn,
  type JWTCallback,
  PEEK,
  type Presenting,
  READ,
  type Session,
  type SessionCallback,
  type SessionReading,
  type SessionStrategy,
  sessionParams,
} from './strategy.js'

/** What token sessions need to know. */
export interface JWTSessionSettings {
  readonly cookie: CookieSpec
  readonly codec: SessionTokenCodec
  readonly times: SessionTimes
  /** `jwt` is null when the application has none: then a token keeps what is in it. */
  readonly callbacks: { readonly jwt: JWTCallback | null; readonly session: SessionCallback | null }
  /** Ids of the tokens that were signed out here: a copy of the cookie is worth nothing after. */
  readonly ended: OneTimeLedger
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A token that was opened, as it was before any callback saw it. */
interface FoundToken {
  readonly cookies: RequestCookies
  readonly how: Presenting
  readonly exp: number | undefined
  readonly jti: string | undefined
  readonly authenticatedAt: number | null
  /** When the session is over whatever happens, seconds since the epoch. */
  readonly limit: number
  /** What it said; null when there is no callback that could change it. */
  readonly before: string | null
}

/** When a session ends, in seconds since the epoch, and whether that is new. */
interface Ending {
  readonly issuedAt: number
  readonly expiresAt: number
  readonly isExtended: boolean
}

/** Keeps the whole session in an encrypted token in the visitor's cookie. */
export function createJWTSessions(settings: JWTSessionSettings): SessionStrategy {
  const { cookie, codec, times, callbacks, ended, now } = settings
  const { maxAge, maxLifetime } = times
  const updateAge = extensionInterval(times)
  const seconds = () => Math.floor(now() / 1000)

  const open = (cookies: RequestCookies): JWT | null | Promise<JWT | null> => {
    const value = readSessionCookie(cookies, cookie)
    return value === undefined ? null : codec.decode(value)
  }

  const openIfPossible = async (cookies: RequestCookies): Promise<JWT | null> => {
    try {
      return await open(cookies)
    } catch {
      return null
    }
  }

  const hasEnded = ({ jti }: Pick<JWT, 'jti'>) => jti !== undefined && ended.has(jti)
  const end = ({ jti, exp }: JWT) => {
    if (jti !== undefined) ended.consume(jti, ((exp ?? seconds() + maxAge) + 60) * 1000)
  }

  /** Whether a token that ends then is to be extended now: it began long enough ago, or outlives what is configured. */
  const isDue = (expiresAt: number, time: number) => {
    const began = expiresAt - maxAge
    return began + updateAge <= time || began > time
  }

  const write = async (cookies: RequestCookies, token: JWT, lifetime: TokenLifetime) =>
    writeSessionCookie(cookies, cookie, await codec.encode(token, lifetime), {
      expires: new Date(lifetime.expiresAt * 1000),
    })

  /** When a session is over whatever happens. One whose beginning is not known is not extended past its present end. */
  const limitOf = (authenticatedAt: number | null, exp: number | undefined): number => {
    if (maxLifetime === Number.POSITIVE_INFINITY) return maxLifetime
    return authenticatedAt === null ? (exp ?? 0) : Math.floor(authenticatedAt / 1000) + maxLifetime
  }

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

  const lookLater = (cookies: RequestCookies, held: Promise<JWT | null>, how: Presenting) =>
    held.then((held) => look(cookies, held, how))

  const look = (cookies: RequestCookies, held: JWT | null, how: Presenting): MaybePromise<SessionReading> => {
    if (!held) return nobody(clearSessionCookie(cookies, cookie))
    // The cookie is left alone: the browser may hold that of a newer sign-in by the time this answer arrives.
    if (hasEnded(held)) return nobody([])
    const { exp, jti } = held
    const authenticatedAt = momentOfId(jti)
    const limit = limitOf(authenticatedAt, exp)
    if (limit !== Number.POSITIVE_INFINITY && limit <= seconds()) return nobody(clearSessionCookie(cookies, cookie))
    // Written down first, so that a callback which changes its argument in place is noticed.
    const before = callbacks.jwt && textOf(held)
    const found: FoundToken = { cookies, how, exp, jti, authenticatedAt, limit, before }
    return callbacks.jwt ? decide(found, held, callbacks.jwt) : show(found, held)
  }

  /** The `jwt` callback says what the token is to hold. */
  const decide = (found: FoundToken, held: JWT, ask: JWTCallback): MaybePromise<SessionReading> =>
    whenReady(given(ask(paramsOf(held, found.how.update))), (token) =>
      token ? show(found, token) : nobody(clearSessionCookie(found.cookies, cookie)),
    )

  const show = (found: FoundToken, token: JWT): MaybePromise<SessionReading> => {
    const { exp, limit, how } = found
    const time = seconds()
    const later = Math.min(time + maxAge, limit)
    const isExtended =
      how.mayWrite &&
      (how.update !== undefined || exp === undefined || (exp !== limit && (exp > limit || isDue(exp, time))))
    const ending: Ending = { issuedAt: time, expiresAt: isExtended ? later : (exp ?? later), isExtended }
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
    { issuedAt, expiresAt }: Ending,
    session: Session | DefaultSession | null,
  ): Promise<SessionReading> => {
    const { cookies, authenticatedAt } = found
    return told(found, token, await write(cookies, token, { issuedAt, expiresAt, authenticatedAt }), session)
  }

  const told = (
    found: FoundToken,
    token: JWT,
    changes: readonly CookieChange[],
    session: Session | DefaultSession | null,
  ): SessionReading => {
    // Signed out while the callbacks were at work: the sign-out wins (SESS-14).
    if (hasEnded(found)) return nobody([])
    if (!session) return nobody(changes)
    return {
      session: session as Session,
      cookies: changes,
      message: { session: session as Session, token },
      authenticatedAt: found.authenticatedAt,
      userId: userIdOf(token),
    }
  }

  return {
    name: 'jwt',
    read: (cookies) => present(cookies, READ),
    peek: (cookies) => present(cookies, PEEK),
    update: (cookies, data) => present(cookies, { verb: 'update', update: { data }, mayWrite: true }),
    holder: async (cookies) => holderIn(await present(cookies, PEEK)),
    issue: (start, cookies) =>
      faultsAs('start', async () => {
        const params = signInParams(start)
        const token = callbacks.jwt ? await callbacks.jwt(params) : params.token
        // A cookie that cannot be read keeps nobody from signing in.
        const before = await openIfPossible(cookies)
        // Whoever holds a copy of the cookie of before is signed out (SESS-02).
        if (before) end(before)
        if (!token) return clearSessionCookie(cookies, cookie)
        const issuedAt = seconds()
        const authenticatedAt = start.authenticatedAt === undefined ? now() : start.authenticatedAt
        const limit = limitOf(authenticatedAt, before?.exp)
        const expiresAt = Math.min(issuedAt + maxAge, limit)
        return write(cookies, token, { issuedAt, expiresAt, authenticatedAt })
      }),
    async revoke(cookies) {
      const cleared = clearSessionCookie(cookies, cookie)
      let token: JWT | null
      try {
        token = await open(cookies)
      } catch (error) {
        // What it says of itself cannot be read, so a copy of it cannot be refused later.
        return { cookies: cleared, ended: null, fault: withoutDetails(error) }
      }
      if (token === null || hasEnded(token)) return { cookies: cleared, ended: null }
      end(token)
      return { cookies: cleared, ended: { token } }
    },
  }
}

/** Pieces that lie beside a whole cookie are of no use: it is preferred to them. */
const leftovers = (cookies: RequestCookies, spec: CookieSpec): readonly CookieChange[] => {
  const pieces = clearPieces(cookies, spec)
  return pieces.length > 0 && cookies.get(spec.name) ? pieces : NONE
}

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
