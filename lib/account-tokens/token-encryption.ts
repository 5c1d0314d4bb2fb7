import { createValueEncryption } from '../crypto/encrypted-values.js'
import type { Account } from '../providers/provider.js'

/** The members of an account that are secret. */
export const TOKEN_MEMBERS = ['access_token', 'refresh_token', 'id_token'] as const
/** One of {@link TOKEN_MEMBERS}. */
export type TokenMember = (typeof TOKEN_MEMBERS)[number]

/** Names an account. */
export type AccountName = Pick<Account, 'provider' | 'providerAccountId'>

/** What a stored member says. */
export type ReadToken =
  /** The token; null if the member has no value. */
  | { readonly token: string | null; readonly isOutdated: boolean }
  /** It was encrypted with an unknown secret, for another account or member, or by another instance. */
  | 'unreadable'

/** Encrypts the tokens of accounts for the store, and reads stored ones. */
export interface TokenEncryption {
  /** The form of a token in the store. */
  encrypt(name: AccountName, member: TokenMember, token: string): Promise<string>
  /** Reads a stored member. `isOutdated` if it is plain, or was encrypted with an older secret: it should be stored anew. */
  read(name: AccountName, member: TokenMember, stored: unknown): Promise<ReadToken>
}

/** At the beginning of each encrypted token. What has no such beginning is a token as Auth.js stores it. */
export const ENCRYPTED_PREFIX = 'encrypted:'

/**
 * The encryption of tokens in a store. The account and the name of the member are inside of each value. So a value that
 * somebody with access to the store copies to another row, or to another member of the row, is refused.
 *
 * @param secrets at least one; the first encrypts
 * @param isOn whether tokens are encrypted when they are stored; encrypted ones are read in any case
 */
export function createTokenEncryption(secrets: readonly string[], isOn: boolean, now: () => number): TokenEncryption {
  const encryption = createValueEncryption(secrets, 'account-token', now)
  const newest = createValueEncryption(secrets.slice(0, 1), 'account-token', now)
  return {
    async encrypt({ provider, providerAccountId }, member, token) {
      // A provider may give a token that begins like an encrypted one.
      if (!isOn && !token.startsWith(ENCRYPTED_PREFIX)) return token
      const value = { provider, account: providerAccountId, member, token }
      return ENCRYPTED_PREFIX + (await encryption.encrypt(value, Number.POSITIVE_INFINITY))
    },
    async read({ provider, providerAccountId }, member, stored) {
      if (typeof stored !== 'string' || stored === '') return { token: null, isOutdated: false }
      if (!stored.startsWith(ENCRYPTED_PREFIX)) return { token: stored, isOutdated: isOn }
      const text = stored.slice(ENCRYPTED_PREFIX.length)
      const value = (await encryption.decrypt(text)) as Partial<Record<string, unknown>> | null
      const { provider: ofProvider, account, member: ofMember, token } = value ?? {}
      const isOwn = ofProvider === provider && account === providerAccountId && ofMember === member
      if (!isOwn || typeof token !== 'string') return 'unreadable'
      return { token, isOutdated: isOn && newest.mayBeOfOtherKey(text) }
    },
  }
}
