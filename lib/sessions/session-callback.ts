import { types } from 'node:util'
import type { AdapterSession, AdapterUser } from '../adapters/adapter.js'
import type { JWT } from '../kernel/claims.js'
import { describeValue, isRecord } from '../kernel/describe-value.js'
import { isFirstTime, type Log, type LogSource } from '../kernel/logger.js'
import type { Awaitable, User } from '../providers/provider.js'
import type { DefaultSession, Session } from './session.js'
import { isPersonDigestOwner, ownerOfUser } from './token-session-rows.js'

/**
 * The argument of the `session` callback. Token sessions have `token`, and stored sessions have `user`. The types have
 * both, because an application knows which sessions it uses.
 */
export interface SessionCallbackParams {
  /** With stored sessions: the row itself, whose `expires` is a Date and whose `sessionToken` is a digest. */
  session: Session & { user: User & Partial<AdapterUser> } & Partial<Pick<AdapterSession, 'sessionToken' | 'userId'>>
  /** The token's claims. */
  token: JWT
  /** The stored user. */
  user: AdapterUser
  /** On an update: what the client sent. Not to be trusted more than any other input. */
  // biome-ignore lint/suspicious/noExplicitAny: the client sends what it likes
  newSession?: any
  trigger?: 'update'
}

/** The argument of the `session` callback. Each strategy gives its own members. */
export const sessionParams = (
  params: Partial<Pick<SessionCallbackParams, 'token' | 'user'>> & { readonly session: object },
  update: { readonly data: unknown } | undefined,
): SessionCallbackParams =>
  ({ ...params, ...(update && { newSession: update.data, trigger: 'update' }) }) as SessionCallbackParams

/** Decides what clients and routes see of a session. */
export type SessionCallback = (params: SessionCallbackParams) => Awaitable<Session | DefaultSession | null>

/** The `session` callback, whose result is checked. Null means that nobody is signed in. */
type CheckedSessionCallback = (params: SessionCallbackParams) => Promise<Session | null>

/**
 * The application's `session` callback as both kinds of sessions call it. Every guard lets a request with a session
 * pass, so a result that cannot be a session is a fault. An object with neither `user` nor `expires` means that nobody
 * is signed in, as `{}` does in Auth.js.
 *
 * The function that it gives rejects with a `TypeError` if the callback gives neither an object nor null.
 */
export function checkSessionCallback(callback: SessionCallback, logger: Log): CheckedSessionCallback {
  const sessionIn = (shown: unknown): Session | null => {
    if (shown === null || shown === undefined) return null
    if (!isRecord(shown)) {
      throw new TypeError(
        `callbacks.session gave ${describeValue(shown)}. It gives an object with \`user\` and \`expires\`, or null for nobody.`,
      )
    }
    if (isRecord(shown['user']) || isMoment(shown['expires'])) return shown as object as Session
    const members = Object.keys(shown)
    // `{}` means nobody. An application that gives other members may have meant a session, so there is a warning.
    if (members.length > 0 && isFirstTime(callback, 'session-without-user')) {
      const fix = 'Return `user` and `expires` with your own members. For nobody, return null.'
      logger.warn('session-without-user', { members, fix })
    }
    return null
  }

  let watched = 0
  return async (params) => {
    if (watched >= WATCHED_CALLS) return sessionIn(await callback(params))
    watched += 1
    const reads = new Set<unknown>()
    const watch = new Proxy(params, {
      get: (target, name) => {
        reads.add(name)
        return target[name as keyof SessionCallbackParams]
      },
    })
    try {
      return sessionIn(await callback(watch))
    } finally {
      const [absent, present] = 'user' in params ? (['token', 'user'] as const) : (['user', 'token'] as const)
      // A callback for both kinds of sessions reads both.
      if (reads.has(absent) && !reads.has(present) && isFirstTime(callback, 'session-callback-argument')) {
        logger.warn('session-callback-argument', { member: absent, fix: ONLY_IN[absent] })
      }
    }
  }
}

/** Calls of one callback that are watched: the code is the same for every session. */
const WATCHED_CALLS = 20

const ONLY_IN = {
  token: 'Sessions in a store have no token: read `user`, the row, or set session.strategy to "jwt".',
  user: 'Sessions in tokens have no stored user: read `token`, into which the `jwt` callback puts what you need.',
} as const

/** Whether a value can be an expiry, as sessions show it or as rows have it. */
const isMoment = (value: unknown) =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' || types.isDate(value)

/** Whose session it is, and what the application sees. */
interface ShownOwner {
  /** As the list of sessions has it; null if no list has the session. */
  readonly owner: string | null
  /** The user whom the session names; null if it names none. */
  readonly userId: string | null
  readonly session: Session
}

/**
 * Warns if the application sees another `user.id` than that by which all sessions of the user are found: it would end
 * nothing, and an administrator would not notice. The warning names no user.
 */
export function warnOfOtherUserId(
  { owner, userId, session }: ShownOwner,
  logger: Log,
  source: LogSource | undefined,
): void {
  if (owner === null || !session.user) return
  const { id } = session.user as { readonly id?: unknown }
  const shown = id ?? userId
  if (shown === null || [String(shown), ownerOfUser(String(shown))].includes(String(owner))) return
  // Without a store of users, each sign-in at a provider makes an id. docs/guides/sessions.md says what to do.
  if (id === undefined && isPersonDigestOwner(owner)) return
  if (isFirstTime(logger, 'other-user-id')) logger.warn('other-user-id', { fix: FIX }, source)
}

const FIX =
  'revokeAllSessions() ends nothing with the id that the application sees. Give it the id that the session began with: that of the stored user, or the first `sub` of the token. Show the same `user.id` in the session callback, and keep `sub` in the jwt callback.'
