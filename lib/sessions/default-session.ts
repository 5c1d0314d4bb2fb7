import type { User } from '../providers/user.js'

/** What clients and routes see of a session. */
export interface DefaultSession {
  user?: User | undefined
  /** When the session expires, ISO 8601. */
  expires: string
}

/** The session; add members of your own by augmenting this interface, and in the `session` callback. */
export interface Session extends DefaultSession {}
