import { ClientError } from './client-error.js'
import type { FormResult, Mount } from './mount.js'

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

/** What the functions of {@link AccountsClient} send with. */
interface AccountsTools {
  /** Gives null where the server has the protection turned off. */
  getCsrfToken(): Promise<string | null>
  /** Adds the token to a form. */
  withCsrf(fields: URLSearchParams): Promise<URLSearchParams>
  conclude(result: FormResult, redirect: boolean | undefined): LinkAccountResult
}

/** The functions about accounts for a mount. */
export function createAccountsClient(mount: Mount, tools: AccountsTools): AccountsClient {
  return {
    getAccounts: ({ signal } = {}) => mount.getList('accounts', signal),
    async unlinkAccount(id) {
      const answer = await mount.change('accounts', 'unlink', { id, csrfToken: await tools.getCsrfToken() })
      if ((answer as { unlinked?: unknown }).unlinked !== true) {
        throw new ClientError('server-error', 'The server did not say that the account is removed.')
      }
    },
    async linkAccount(providerId, { redirectTo, redirect } = {}) {
      const fields = await tools.withCsrf(new URLSearchParams({ callbackUrl: mount.returnTarget(redirectTo) }))
      return tools.conclude(await mount.postForm(mount.url('link', providerId), fields), redirect)
    },
  }
}
