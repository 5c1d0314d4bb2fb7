import type { AccountChanges, AccountExpectation, AdapterAccount } from '../../adapters/adapter.js'
import type { Store } from '../../adapters/gateway.js'
import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { membersOf } from '../../kernel/objects.js'
import { randomToken } from '../../kernel/random.js'
import type { Account, TokenSet } from '../../providers/provider.js'

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

/** Reads and changes tokens in a store. */
export function createTokenRows(store: Store, encryption: ReturnType<typeof createTokenEncryption>) {
  /** An account with its tokens decrypted. */
  const decrypted = (row: AdapterAccount): HeldTokens => {
    const read = TOKEN_MEMBERS.map((member) => encryption.read(row, member, row[member]))
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

  const encryptedMembers = (name: AccountName, tokens: Partial<TokenSet>) => {
    const given = TOKEN_MEMBERS.filter((member) => typeof tokens[member] === 'string' && tokens[member] !== '')
    const pairs = given.map((member) => [member, encryption.encrypt(name, member, tokens[member] ?? '')])
    return Object.fromEntries(pairs) as Partial<Record<TokenMember, string>>
  }

  return {
    decrypted,
    /** The accounts of a user. */
    list: async (userId: string): Promise<readonly AdapterAccount[]> =>
      (await store.listAccountsByUserId(String(userId))) ?? [],
    /** An account as it is stored now; null if it is gone, or belongs to another user by now. */
    async reload({ provider, providerAccountId, userId }: AdapterAccount): Promise<HeldTokens | null> {
      const row = await store.getAccount(providerAccountId, provider)
      return row && String(row.userId) === String(userId) ? decrypted(row) : null
    },
    change: async (
      { provider, providerAccountId }: AccountName,
      changes: AccountChanges,
      expected?: AccountExpectation,
    ): Promise<boolean> => store.updateAccount({ provider, providerAccountId }, changes, expected),
    /** What a new answer of the provider changes: encrypted, and without a lease. */
    changesOf(name: AccountName, tokens: Partial<TokenSet>): AccountChanges {
      const { access_token, expires_at, scope, token_type, session_state } = tokens
      return {
        ...encryptedMembers(name, tokens),
        // The expiry is that of the access token, so a new token never keeps the expiry of the old one.
        ...(access_token !== undefined && { expires_at: expires_at ?? null }),
        ...(scope !== undefined && { scope }),
        ...(token_type !== undefined && { token_type }),
        ...(session_state !== undefined && { session_state }),
        tokenLease: null,
      } as AccountChanges
    },
    /** An account with its tokens encrypted, as they are stored. */
    encrypted: <Kind extends Account>(account: Kind): Kind => ({
      ...membersOf(account),
      ...encryptedMembers(account, account),
    }),
  }
}

/** The rows of a store that have tokens. */
export type TokenRows = ReturnType<typeof createTokenRows>

/** Some stores give whole numbers as text, or as BigInt. */
function secondsOf(stored: unknown): number | null {
  if (stored === null || stored === undefined || stored === '') return null
  const seconds = Number(stored)
  return Number.isFinite(seconds) ? seconds : null
}

/** The members of an account that are secret. */
export const TOKEN_MEMBERS = ['access_token', 'refresh_token', 'id_token'] as const
/** One of {@link TOKEN_MEMBERS}. */
export type TokenMember = (typeof TOKEN_MEMBERS)[number]

/** Names an account. */
export type AccountName = Pick<Account, 'provider' | 'providerAccountId'>

type ReadToken =
  /** The token; null if the member has no value. */
  | { readonly token: string | null; readonly isOutdated: boolean }
  /** It was encrypted with an unknown secret, for another account or member, or by another instance. */
  | 'unreadable'

/** At the beginning of each encrypted token. What has no such beginning is a token as Auth.js stores it. */
export const ENCRYPTED_PREFIX = 'encrypted:'

/**
 * The encryption of tokens in a store. The account and the name of the member are inside of each value. So a value that
 * somebody with access to the store copies to another row, or to another member of the row, is refused.
 *
 * @param secrets at least one; the first encrypts
 * @param isOn whether tokens are encrypted when they are stored; encrypted ones are read in any case
 */
export function createTokenEncryption(secrets: readonly string[], isOn: boolean, now: () => number) {
  const encryptionWith = (known: readonly string[]) =>
    createValueEncryption(known, 'account-token', now, { isInStore: true })
  const encryption = encryptionWith(secrets)
  const newest = encryptionWith(secrets.slice(0, 1))
  return {
    /** The form of a token in the store. */
    encrypt({ provider, providerAccountId }: AccountName, member: TokenMember, token: string): string {
      // A provider may give a token that begins like an encrypted one.
      if (!isOn && !token.startsWith(ENCRYPTED_PREFIX)) return token
      const value = { provider, account: providerAccountId, member, token }
      return ENCRYPTED_PREFIX + encryption.encrypt(value, Number.POSITIVE_INFINITY)
    },
    /** Reads a stored member. `isOutdated` if it is plain, or was encrypted with an older secret: it should be stored anew. */
    read({ provider, providerAccountId }: AccountName, member: TokenMember, stored: unknown): ReadToken {
      if (typeof stored !== 'string' || stored === '') return { token: null, isOutdated: false }
      if (!stored.startsWith(ENCRYPTED_PREFIX)) return { token: stored, isOutdated: isOn }
      const text = stored.slice(ENCRYPTED_PREFIX.length)
      const value = encryption.decrypt(text) as Partial<Record<string, unknown>> | null
      const { provider: ofProvider, account, member: ofMember, token } = value ?? {}
      const isOwn = ofProvider === provider && account === providerAccountId && ofMember === member
      if (!isOwn || typeof token !== 'string') return 'unreadable'
      return { token, isOutdated: isOn && newest.mayBeOfOtherKey(text) }
    },
  }
}

/*
 * A lease says that one process refreshes the tokens of an account. It is a nonce and the time until which it counts, so
 * that a process that was killed does not keep the others waiting.
 */

/** A new lease, which no other process has. */
export const newLease = (now: number, lengthMs: number): string => `${randomToken(16)}.${now + lengthMs}`

/**
 * Whether a stored lease counts. One that ends later than any process would choose was not made by Latchkey, or by a
 * process whose clock is far ahead: it must not keep everybody out for ever.
 */
export function isLeaseInForce(stored: string | null | undefined, now: number, lengthMs: number): boolean {
  const until = Number(/^[\w-]{22}\.(\d{1,16})$/.exec(stored ?? '')?.[1] ?? Number.NaN)
  return until > now && until <= now + lengthMs + CLOCK_DIFFERENCE_MS
}

const CLOCK_DIFFERENCE_MS = 60_000
