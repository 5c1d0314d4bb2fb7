import {
  type AccountChanges,
  type AdapterAccount,
  type AdapterRecord,
  CHANGING_ACCOUNT_MEMBERS,
  type ProviderSession,
} from '../../adapters/adapter.js'
import { missingMethods, type Store } from '../../adapters/gateway.js'
import { RECORD_METHODS } from '../../adapters/methods.js'
import { isRecord } from '../../kernel/describe-value.js'
import { sha256Base64url } from '../../kernel/digest.js'
import { parseObject } from '../../kernel/json-object.js'
import { unverifiedClaims } from '../../oauth/token-calls.js'
import type { TokenSet } from '../../providers/provider.js'
import type { HeldTokens, TokenRows } from './token-rows.js'

/*
 * An account has the tokens of the newest session that its user has at the provider: Auth.js keeps them there. When the same
 * person signs in at another browser, those of the session before go into a record, until that session ends at the provider or
 * the newer one does.
 */

/** Members of an account that are kept with a session at the provider, encrypted as they are in the account. */
const KEPT = CHANGING_ACCOUNT_MEMBERS.filter((name) => name !== 'tokenLease')

const keptOf = (row: { readonly [Name in keyof AdapterAccount]?: AdapterAccount[Name] | null }): AccountChanges =>
  Object.fromEntries(KEPT.map((name) => [name, row[name] ?? null]))

/** The tokens of a session at a provider that is not the newest one of the account. */
export interface OtherSession {
  readonly at: ProviderSession
  /** The account as it was when it had these tokens. */
  readonly row: AdapterAccount
  readonly record: AdapterRecord
}

/** A session at a provider seldom lasts longer. Then the application sends no ID token of it at the sign-out. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000

/** Of one account. Somebody can sign in at the provider any number of times. */
const MOST_KEPT = 10

const KIND = 'provider-session'

/** With the user, since an account may come to belong to another one, whose record it must not change. */
const keyOf = (userId: unknown, { provider, subject, sid }: ProviderSession): string =>
  sha256Base64url(JSON.stringify([String(userId), provider, subject, sid]))

/** The session at the provider that the tokens of an account are of; null if its ID token names none. */
export async function sessionOf({ row: { provider }, idToken }: HeldTokens): Promise<ProviderSession | null> {
  const { sub: subject, sid } = await unverifiedClaims(idToken)
  return subject !== undefined && typeof sid === 'string' ? { provider, subject, sid } : null
}

export type OtherSessions = ReturnType<typeof createOtherSessions>

/** What the tokens of other sessions are kept with. */
export interface OtherSessionsDependencies {
  readonly store: Store
  readonly rows: TokenRows
  /** Whether the tokens of a provider are kept for each session there: a sign-out ends that of one of them. */
  readonly keepsOtherSessions: (provider: string) => boolean
  /** Whether somebody is signed in here in a session at the provider; also true if no store lists sessions. */
  readonly isInUse: (at: ProviderSession) => Promise<boolean>
  readonly now: () => number
}

/**
 * The tokens of sessions at providers that are not the newest ones of their accounts, in records. An adapter without records
 * keeps none.
 */
export function createOtherSessions({ store, rows, keepsOtherSessions, isInUse, now }: OtherSessionsDependencies) {
  const keepsRecords = () => missingMethods(store.adapter, RECORD_METHODS).length === 0

  /** Those of a user. */
  const list = async (userId: string): Promise<readonly OtherSession[]> => {
    if (!keepsRecords()) return []
    const records = await store.listRecordsByOwner(KIND, String(userId))
    return records.flatMap((record) => otherSessionIn(record, now()) ?? [])
  }

  /** Deletes those of a session, and gives whether they were there. Of several calls at once, one gives true. */
  const take = async ({ record: { key } }: OtherSession): Promise<boolean> =>
    Boolean(await store.deleteRecord(KIND, key))

  /** Those of an account, the newest first. */
  const listOf = async ({ userId, provider, providerAccountId }: AdapterAccount) =>
    (keepsOtherSessions(provider) ? await list(userId) : [])
      .filter(({ row }) => row.provider === provider && row.providerAccountId === providerAccountId)
      .sort((one, other) => endOf(other) - endOf(one))

  const isUnchanged = async (account: AdapterAccount): Promise<boolean> => {
    const row = (await rows.reload(account))?.row
    return row !== undefined && sameTokens(row, account)
  }

  /**
   * Gives an account the tokens of the newest of the other sessions that is in use, if it still has the tokens that are
   * given. Gives whether it has them now.
   */
  const putBack = async (account: AdapterAccount): Promise<boolean> => {
    const { refresh_token = null, access_token = null } = account
    for (const kept of await listOf(account)) {
      // One that was not encrypted for this account cannot be read.
      if (rows.decrypted(kept.row).refreshToken === null || !(await take(kept))) continue
      if (!(await isInUse(kept.at))) continue
      let isTheirs = true
      try {
        // The account may belong to another user by now.
        isTheirs = await isUnchanged(account)
        const changes = { ...keptOf(kept.row), tokenLease: null }
        if (isTheirs && (await rows.change(account, changes, { refresh_token, access_token }))) return true
      } catch (error) {
        await store.createRecord(kept.record)
        throw error
      }
      if (isTheirs) await store.createRecord(kept.record)
      return false
    }
    return false
  }

  return {
    list,
    listOf,
    isInUse,
    take,
    putBack,

    /**
     * Keeps the tokens that an account has, before those of a sign-in replace them. Nothing is kept if both are of the same
     * session.
     */
    async setAside(account: AdapterAccount, replaced: Partial<TokenSet>): Promise<void> {
      const held = rows.decrypted(account)
      const before = await sessionOf(held)
      const { sid } = await unverifiedClaims(replaced.id_token ?? null)
      if (!keepsRecords() || before === null || before.sid === sid) return
      // A refresh token that stays in the account, or comes again, is in no record: a provider takes the use of two copies for
      // theft.
      const isReplaced = replaced.refresh_token && replaced.refresh_token !== held.refreshToken
      const row = rows.encrypted({
        ...account,
        access_token: held.accessToken ?? undefined,
        refresh_token: (isReplaced && held.refreshToken) || undefined,
        id_token: held.idToken ?? undefined,
      })
      const record = {
        kind: KIND,
        key: keyOf(row.userId, before),
        owner: String(row.userId),
        value: recordValue(before, row),
        expires: new Date(now() + KEPT_MS),
      }
      if (await store.createRecord({ ...record, version: 1 })) {
        for (const surplus of (await listOf(account)).slice(MOST_KEPT)) await take(surplus)
        return
      }
      const present = await store.getRecord(KIND, record.key)
      if (present) await store.updateRecord({ ...record, version: present.version + 1 })
    },

    /** As {@link take}, but the ID token stays, which a sign-out at the provider needs. */
    async takeTokens({ at, row, record }: OtherSession): Promise<boolean> {
      const value = recordValue(at, { ...row, access_token: null, refresh_token: null })
      return store.updateRecord({ ...record, value, version: record.version + 1 })
    },

    /** A session ends at the provider: the account of its user gets the tokens of another one, if there are any. */
    async withdraw(userId: string, at: ProviderSession): Promise<void> {
      const key = keyOf(userId, at)
      if (keepsRecords()) await store.deleteRecord(KIND, key)
      for (const row of await rows.list(userId)) {
        const session = await sessionOf(rows.decrypted(row))
        if (session !== null && keyOf(userId, session) === key) await putBack(row)
      }
    },
  }
}

const sameTokens = (one: AdapterAccount, other: AdapterAccount): boolean =>
  (one.refresh_token ?? null) === (other.refresh_token ?? null) &&
  (one.access_token ?? null) === (other.access_token ?? null)

const endOf = ({ record: { expires } }: OtherSession): number => expires?.getTime() ?? 0

const recordValue = (at: ProviderSession, row: Parameters<typeof keptOf>[0]): string => {
  const { provider, providerAccountId } = row
  return JSON.stringify({ at, provider, providerAccountId, tokens: keptOf(row) })
}

/** Null for a record that has expired or cannot be read. */
function otherSessionIn(record: AdapterRecord, time: number): OtherSession | null {
  const { owner, expires, value } = record
  const { at, provider, providerAccountId, tokens } = parseObject(value) ?? {}
  if (owner === null || !isRecord(at) || !isRecord(tokens) || (expires !== null && expires.getTime() <= time))
    return null
  const row = { ...tokens, userId: owner, type: 'oidc', provider, providerAccountId }
  return { at: at as unknown as ProviderSession, row: row as AdapterAccount, record }
}
