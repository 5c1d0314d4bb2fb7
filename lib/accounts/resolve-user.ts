import { timeoutError } from '../adapters/failures.js'
import { within } from '../awaitable.js'
import { AdapterError, CredentialsSignin } from '../errors.js'
import type { Account } from '../providers/provider.js'
import { createEmailConfirmation } from './confirm-email.js'
import { createDirectory, notLinked, type ResolverSettings } from './directory.js'
import type { Identity, IdentityResolver, ResolvedUser } from './identity.js'
import { userDigest } from './initiator.js'
import { createEmailResolver } from './resolve-email.js'
import { createOAuthResolver } from './resolve-oauth.js'
import { createPasskeyResolver } from './resolve-passkey.js'
import { createSignUps } from './sign-up.js'

/** The resolver over an adapter. */
export function createIdentityResolver(settings: ResolverSettings): IdentityResolver {
  const directory = createDirectory(settings)
  const confirmation = createEmailConfirmation(directory, settings)
  const signUps = createSignUps(directory, settings)
  const resolveOAuth = createOAuthResolver(directory, confirmation, signUps, settings)
  const resolveEmail = createEmailResolver(directory, confirmation, settings)
  const resolvePasskey = createPasskeyResolver(directory, signUps, settings)
  const inOrder = createQueue(settings.storeTimeout * 1000)
  const { adapter, providers, sessionsNeedUser } = settings
  const hasMailedLinks = providers.some(({ type }) => type === 'email')

  /** Credentials are the application's own: it knows its users, and Latchkey makes none. */
  const resolveCredentials = async (identity: Identity): Promise<ResolvedUser> => {
    const { user, account, checkedFrom = Number.POSITIVE_INFINITY } = identity
    const mayBeStored = sessionsNeedUser || (hasMailedLinks && adapter.getUser !== undefined)
    const stored = mayBeStored ? ((await directory.users.getUser(user.id)) ?? null) : null
    if (sessionsNeedUser && !stored) {
      throw new AdapterError(
        'authorize() gave the id of no stored user. With stored sessions it must give a user that the adapter has, with its id.',
      )
    }
    if (!hasMailedLinks || stored === null) return { user, account, isNewUser: false }
    // The owner of the address confirmed it while the application looked at a password that this has ended.
    if (stored.emailVerified && new Date(stored.emailVerified).getTime() > checkedFrom) {
      throw new CredentialsSignin("The user's address was confirmed while what was entered was being checked.")
    }
    const isOpen = !stored.emailVerified
    return { user, account, isNewUser: false, ...(isOpen && { isUnconfirmed: true }) }
  }

  return {
    known: ({ account }) => (isOAuth(account) ? directory.byAccount(account) : Promise.resolve(null)),
    async initiator(readPrincipal) {
      const signedIn = await directory.signedInUser(readPrincipal)
      return signedIn && userDigest(signedIn.user)
    },
    resolve(identity, readPrincipal) {
      const { type, provider, providerAccountId } = identity.account
      const key = `${provider} ${providerAccountId}`
      if (isOAuth(identity.account)) return inOrder(key, () => resolveOAuth(identity, readPrincipal))
      if (type === 'webauthn') return inOrder(key, () => resolvePasskey(identity, readPrincipal))
      if (type === 'email') return inOrder(`email ${providerAccountId}`, () => resolveEmail(identity, readPrincipal))
      return resolveCredentials(identity)
    },
    async recheck({ user, account, isUnconfirmed }) {
      // A session token knows by itself.
      if (!isUnconfirmed || !sessionsNeedUser) return
      const now = (await directory.users.getUser(user.id)) ?? null
      if (now === null || now.emailVerified) throw notLinked(account)
    },
  }
}

const isOAuth = ({ type }: Account) => type === 'oauth' || type === 'oidc'

/**
 * Runs work of one key one after the other, and of different keys at once.
 *
 * @param waitMs how long work waits for its turn; then it fails. Behind work that hangs, each would have to wait until all before it were given up
 */
function createQueue(waitMs: number) {
  /** By key, what ends with the last work that is under way or waits. */
  const ends = new Map<string, Promise<unknown>>()
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = ends.get(key) ?? Promise.resolve()
    const run = within(before, waitMs, tooLong(waitMs)).then(work)
    // Work that gave up its turn ends no sooner than what it waited for: whoever comes after it waits for that as well.
    const end = Promise.allSettled([before, run])
    ends.set(key, end)
    end.then(() => {
      if (ends.get(key) === end) ends.delete(key)
    })
    return run
  }
}

const tooLong = (milliseconds: number) => () =>
  timeoutError('Another sign-in with the same account was not done', { option: 'storeTimeout', milliseconds })
