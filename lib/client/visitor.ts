import { ClientError } from './errors.js'
import { type Mount, readRefusal } from './mount.js'
import { forgetPasskey, type RemovedPasskeySignal } from './passkeys.js'

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

/** One account of the visitor at a provider. */
export interface AccountEntry {
  /** Public id of the account, for {@link AccountsClient.unlinkAccount}. It is no credential. */
  readonly id: string
  /** Id of the provider. */
  readonly provider: string
  /** Name of the provider. */
  readonly name: string
  readonly type: 'oauth' | 'oidc'
  /** What the provider granted; null if that is not known. */
  readonly scope: string | null
  /** Whether the visitor could not sign in without it, as far as the server knows. */
  readonly isOnlyWayIn: boolean
}

/** What a page can do about the accounts of its visitor at providers. */
export interface AccountsClient {
  /**
   * The accounts of the visitor. Passkeys are not among them.
   *
   * @throws {ClientError} `refused` when nobody is signed in, or the server keeps no accounts
   */
  getAccounts(options?: { signal?: AbortSignal }): Promise<AccountEntry[]>
  /**
   * Removes an account, so that the visitor cannot sign in with it any more.
   *
   * @throws {ClientError} `last-way-in`; `sign-in-again` when the visitor must sign in again first; `refused` when there is
   *   no such account, `offline`, `server-error`
   */
  unlinkAccount(id: string): Promise<void>
  /**
   * Goes to a provider, to add an account there to the visitor who is signed in. Nobody is signed in by it.
   *
   * @throws {ClientError} `refused` when there is no such provider, `offline`, `server-error`
   */
  linkAccount(providerId: string, options?: LinkAccountOptions): Promise<LinkAccountResult>
}

/** Options of {@link AccountsClient.linkAccount}. */
export interface LinkAccountOptions {
  /** Where the visitor goes afterwards: a path or a URL that the `redirect` callback accepts. By default, this page. */
  redirectTo?: string
  /** With `false` the page stays, and the result says where it would have gone. */
  redirect?: boolean
}

/** What became of the start of a link. */
export interface LinkAccountResult {
  readonly ok: boolean
  /** Where the visitor goes, or would go: to the provider, or to the page that shows the failure. */
  readonly url: string
  /** The `error` that this page is shown with, such as `RecentSignInRequired`; null when there is none. */
  readonly error: string | null
}

/** One passkey of the visitor. */
export interface PasskeyEntry {
  /** Names the passkey, for {@link PasskeysClient.renamePasskey}. It is no credential. */
  readonly id: string
  readonly name: string
  /** When it was made, ISO 8601; null if that is not known. */
  readonly createdAt: string | null
  /** When it was last used, ISO 8601; null if it never was, or that is not known. */
  readonly lastUsedAt: string | null
  /** `synced`: other devices of the person have it, or may get it. `device-bound`: it never leaves its device. */
  readonly kind: 'synced' | 'device-bound'
  /** Whether it was copied to other devices or to a backup. */
  readonly backedUp: boolean
  /** How the authenticator can be reached: `internal`, `hybrid`, `usb`, … */
  readonly transports: string[]
}

/** What a page can do about the passkeys of its visitor. `registerPasskey` adds one. */
export interface PasskeysClient {
  /**
   * The passkeys of the visitor, the oldest first.
   *
   * @throws {ClientError} `refused` when nobody is signed in, or the server has no passkeys
   */
  getPasskeys(options?: { signal?: AbortSignal }): Promise<PasskeyEntry[]>
  /**
   * Gives a passkey a name of 1 to 100 characters.
   *
   * @throws {ClientError} `refused` for another name, or when there is no such passkey; `offline`, `server-error`
   */
  renamePasskey(id: string, name: string): Promise<PasskeyEntry>
  /**
   * Removes a passkey, so that the visitor cannot sign in with it any more, and informs the browser, which offers it no more.
   *
   * @throws {ClientError} `last-way-in`; `sign-in-again` when the visitor must sign in again first; `refused` when there is no
   *   such passkey, `offline`, `server-error`
   */
  removePasskey(id: string): Promise<void>
}

/**
 * The functions for what the visitor has at a mount. Whoever makes them adds `linkAccount`, which leaves the page as a sign-in
 * does.
 *
 * @param getCsrfToken gives null where the server has the protection turned off
 */
export function createVisitorClient(
  mount: Mount,
  getCsrfToken: () => Promise<string | null>,
): SessionsClient & PasskeysClient & Omit<AccountsClient, 'linkAccount'> {
  const change = async (list: string, name: string, body: object): Promise<Record<string, unknown>> =>
    mount.change(list, name, { ...body, csrfToken: await getCsrfToken() })

  /** How many sessions ended. */
  const revoke = async (choice: { id: string } | { others: true }): Promise<number> => {
    const { revoked } = await change('sessions', 'revoke', choice).catch(answerOfRefusal)
    if (typeof revoked === 'number') return revoked
    throw new ClientError('server-error', 'The server did not say how many sessions have ended.')
  }

  return {
    getSessions: ({ signal } = {}) => mount.getList('sessions', signal),
    revokeSession: async (id) => (await revoke({ id })) > 0,
    revokeOtherSessions: () => revoke({ others: true }),
    getAccounts: ({ signal } = {}) => mount.getList('accounts', signal),
    async unlinkAccount(id) {
      const { unlinked } = await change('accounts', 'unlink', { id })
      if (unlinked !== true) {
        throw new ClientError('server-error', 'The server did not say that the account is removed.')
      }
    },
    getPasskeys: ({ signal } = {}) => mount.getList('passkeys', signal),
    async renamePasskey(id, name) {
      const { passkey } = await change('passkeys', 'rename', { id, name })
      if (passkey === undefined) throw new ClientError('server-error', 'The server did not say the new name.')
      return passkey as PasskeyEntry
    },
    async removePasskey(id) {
      const { removed, signal } = await change('passkeys', 'remove', { id })
      if (removed !== true || signal === undefined) {
        throw new ClientError('server-error', 'The server did not say that the passkey is removed.')
      }
      await forgetPasskey(signal as RemovedPasskeySignal)
    },
  }
}

/** The answer if there is no such session any more. */
async function answerOfRefusal(failure: unknown): Promise<Record<string, unknown>> {
  const { cause, body } = await readRefusal(failure)
  if (cause.status === 404 && body['revoked'] === 0) return body
  throw failure
}
