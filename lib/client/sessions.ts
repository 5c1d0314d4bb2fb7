import { ClientError } from './client-error.js'
import { type Mount, readRefusal } from './mount.js'

/** One session in the list that its user sees. */
export interface SessionEntry {
  /** Public id of the session, for {@link SessionsClient.revokeSession}. It is no credential. */
  readonly id: string
  /** Whether it is the session of this browser. */
  readonly isCurrent: boolean
  /** `token` if the application issued it for a program. */
  readonly kind: 'browser' | 'token'
  /** The name of an issued token; null if it has none. */
  readonly name: string | null
  /** What an issued token is for; null if it is not restricted. */
  readonly scope: string | null
  /** When it began, ISO 8601; null if that is not known. */
  readonly createdAt: string | null
  /** When it was last used, to a quarter of an hour, ISO 8601; null if that is not known. */
  readonly lastSeenAt: string | null
  /** When it expires, ISO 8601. */
  readonly expires: string
  /** Name and version of the browser, such as `Firefox 141`; null if it is not known. */
  readonly browser: string | null
  /** The system that the browser runs on, such as `Windows` or `iOS 18`; null if it is not known. */
  readonly system: string | null
  /** The network of the client, with the host bits cut off, such as `203.0.113.0/24`; null if it is not known. */
  readonly network: string | null
}

/** What a page can do about the sessions of its visitor. */
export interface SessionsClient {
  /**
   * Where the visitor is signed in, the newest session first.
   *
   * @throws {ClientError} `refused` when nobody is signed in, or the server keeps no list of sessions
   */
  getSessions(options?: { signal?: AbortSignal }): Promise<SessionEntry[]>
  /**
   * Ends one session. To end the session of this browser, call `signOut`, which also leaves the page.
   *
   * @returns false when there is no such session any more
   * @throws {ClientError} `sign-in-again` when the visitor must sign in again first, `refused`, `offline`, `server-error`
   */
  revokeSession(id: string): Promise<boolean>
  /**
   * Ends all sessions but that of this browser.
   *
   * @returns how many sessions ended
   * @throws {ClientError} as {@link revokeSession}
   */
  revokeOtherSessions(): Promise<number>
}

/** @param getCsrfToken gives null where the server has the protection turned off */
export function createSessionsClient(mount: Mount, getCsrfToken: () => Promise<string | null>): SessionsClient {
  /** How many sessions ended. */
  const revoke = async (choice: { id: string } | { others: true }): Promise<number> => {
    const body = { ...choice, csrfToken: await getCsrfToken() }
    const { revoked } = (await mount.change('sessions', 'revoke', body).catch(answerOfRefusal)) as { revoked?: unknown }
    if (typeof revoked !== 'number') {
      throw new ClientError('server-error', 'The server did not say how many sessions have ended.')
    }
    return revoked
  }

  return {
    getSessions: ({ signal } = {}) => mount.getList('sessions', signal),
    revokeSession: async (id) => (await revoke({ id })) > 0,
    revokeOtherSessions: () => revoke({ others: true }),
  }
}

/** The answer if there is no such session any more. */
async function answerOfRefusal(failure: unknown): Promise<object> {
  const { cause, body } = await readRefusal(failure)
  if (cause.status === 404 && body.revoked === 0) return body
  throw failure
}
