import type { AccountChanges, AccountExpectation, AdapterAccount } from '../adapters/adapter.js'
import type { Store } from '../adapters/gateway.js'
import type { Account, TokenSet } from '../providers/provider.js'
import { membersOf } from '../shapes/members-of.js'
import { type AccountName, TOKEN_MEMBERS, type TokenEncryption, type TokenMember } from './token-encryption.js'

/** The methods of a store that gives tokens out and refreshes them. */
export const ACCOUNT_TOKEN_METHODS = ['getAccount', 'listAccountsByUserId', 'updateAccount'] as const

/** An account as it is stored, with its tokens readable. */
export interface HeldTokens {
  readonly row: AdapterAccount
  readonly accessToken: string | null
  readonly refreshToken: string | null
  readonly idToken: string | null
  /** Seconds since the epoch when the access token expires; null if that is not known. */
  readonly expiresAt: number | null
  /** Members that should be stored anew, because they are plain or encrypted with an older secret. */
  readonly outdated: readonly TokenMember[]
  /** Members that were not encrypted here, or for another account. They count as absent. */
  readonly unreadable: readonly TokenMember[]
}

/** The rows of a store that have tokens. */
export interface TokenRows {
  /** The accounts of a user. */
  list(userId: string): Promise<readonly AdapterAccount[]>
  /** An account as it is stored now; null if it is gone, or belongs to another user by now. */
  reload(row: AdapterAccount): Promise<HeldTokens | null>
  /** An account with its tokens decrypted. */
  decrypted(row: AdapterAccount): Promise<HeldTokens>
  change(name: AccountName, changes: AccountChanges, expected?: AccountExpectation): Promise<boolean>
  /** What a new answer of the provider changes: encrypted, and without a lease. */
  changesOf(name: AccountName, tokens: Partial<TokenSet>): Promise<AccountChanges>
  /** An account with its tokens encrypted, as they are stored. */
  encrypted<Kind extends Account>(account: Kind): Promise<Kind>
}

/** Reads and changes tokens in a store. */
export function createTokenRows(store: Store, encryption: TokenEncryption): TokenRows {
  const decrypted = async (row: AdapterAccount): Promise<HeldTokens> => {
    const read = await Promise.all(TOKEN_MEMBERS.map((member) => encryption.read(row, member, row[member])))
    const tokens = read.map((each) => (each === 'unreadable' ? null : each.token))
    const [accessToken = null, refreshToken = null, idToken = null] = tokens
    const isOutdated = (index: number) => {
      const each = read[index]
      return each !== undefined && each !== 'unreadable' && each.isOutdated
    }
    return {
      row,
      accessToken,
      refreshToken,
      idToken,
      expiresAt: secondsOf(row.expires_at),
      outdated: TOKEN_MEMBERS.filter((_, index) => isOutdated(index)),
      unreadable: TOKEN_MEMBERS.filter((_, index) => read[index] === 'unreadable'),
    }
  }

  const encryptedMembers = async (name: AccountName, tokens: Partial<TokenSet>) => {
    const given = TOKEN_MEMBERS.filter((member) => typeof tokens[member] === 'string' && tokens[member] !== '')
    const pairs = given.map(async (member) => [member, await encryption.encrypt(name, member, tokens[member] ?? '')])
    return Object.fromEntries(await Promise.all(pairs)) as Partial<Record<TokenMember, string>>
  }

  return {
    decrypted,
    list: async (userId) => (await store.listAccountsByUserId(String(userId))) ?? [],
    async reload({ provider, providerAccountId, userId }) {
      const row = await store.getAccount(providerAccountId, provider)
      return row && String(row.userId) === String(userId) ? decrypted(row) : null
    },
    change: async ({ provider, providerAccountId }, changes, expected) =>
      store.updateAccount({ provider, providerAccountId }, changes, expected),
    async changesOf(name, tokens) {
      const { access_token, expires_at, scope, token_type, session_state } = tokens
      return {
        ...(await encryptedMembers(name, tokens)),
        // The expiry is that of the access token, so a new token never keeps the expiry of the old one.
        ...(access_token !== undefined && { expires_at: expires_at ?? null }),
        ...(scope !== undefined && { scope }),
        ...(token_type !== undefined && { token_type }),
        ...(session_state !== undefined && { session_state }),
        tokenLease: null,
      } as AccountChanges
    },
    encrypted: async (account) => ({ ...membersOf(account), ...(await encryptedMembers(account, account)) }),
  }
}

/** Some stores give whole numbers as text, or as BigInt. */
function secondsOf(stored: unknown): number | null {
  if (stored === null || stored === undefined || stored === '') return null
  const seconds = Number(stored)
  return Number.isFinite(seconds) ? seconds : null
}
