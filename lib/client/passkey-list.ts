import { ClientError } from './client-error.js'
import type { Mount } from './mount.js'
import { forgetPasskey, type RemovedPasskeySignal } from './passkeys.js'

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

/** The functions about passkeys for a mount. */
export function createPasskeysClient(mount: Mount, getCsrfToken: () => Promise<string | null>): PasskeysClient {
  return {
    getPasskeys: ({ signal } = {}) => mount.getList('passkeys', signal),
    async renamePasskey(id, name) {
      const answer = await mount.change('passkeys', 'rename', { id, name, csrfToken: await getCsrfToken() })
      const { passkey } = answer as { passkey?: PasskeyEntry }
      if (passkey === undefined) throw new ClientError('server-error', 'The server did not say the new name.')
      return passkey
    },
    async removePasskey(id) {
      const answer = await mount.change('passkeys', 'remove', { id, csrfToken: await getCsrfToken() })
      const { removed, signal } = answer as { removed?: unknown; signal?: RemovedPasskeySignal }
      if (removed !== true || signal === undefined) {
        throw new ClientError('server-error', 'The server did not say that the passkey is removed.')
      }
      await forgetPasskey(signal)
    },
  }
}
