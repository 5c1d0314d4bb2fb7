import { createHash, hash } from 'node:crypto'
import { emailOf } from './tokens.js'

/**
 * How long the rows live that a measurement makes, in seconds: should it be interrupted, a store that can forgets them by itself. Configurations
 * need it as `session.maxAge`, or every request would extend its session.
 */
export const LIFETIME_SECONDS = 60 * 60

/** A user as adapters store one. */
export interface UserRow {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly image: string
}

/** A session as adapters store one. */
export interface SessionRow {
  readonly sessionToken: string
  readonly userId: string
  readonly expires: Date
}

/** Any number of sessions that nobody has to remember: each is known by its number. */
export interface StoredSessions {
  /** What the cookie holds. */
  token(session: number): string
  row(session: number, user: number): SessionRow
  user(number: number): UserRow
}

/** @param seed makes the sessions of this measurement differ from all others */
export function storedSessions(seed: string): StoredSessions {
  const expires = new Date(Date.now() + LIFETIME_SECONDS * 1000)
  const token = (session: number) => createHash('sha256').update(`${seed} ${session}`).digest('hex')
  const idOf = (user: number) => `${seed}-${user}`
  return {
    token,
    row: (session, user) => ({
      // The form that the store has of a token: docs/guides/adapters.md.
      sessionToken: `sha256:${hash('sha256', token(session), 'hex')}`,
      userId: idOf(user),
      expires,
    }),
    user: (user) => ({
      id: idOf(user),
      name: `User ${user}`,
      email: emailOf(user),
      image: `https://img.app.example/${user}.png`,
    }),
  }
}
