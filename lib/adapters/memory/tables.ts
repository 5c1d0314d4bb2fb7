import { membersOf } from '../../kernel/objects.js'
import {
  type AccountChanges,
  type AccountExpectation,
  type Adapter,
  type AdapterAccount,
  type AdapterAuthenticator,
  type AdapterRecord,
  type AdapterSession,
  type AdapterTokenSession,
  type AdapterUser,
  beganAt,
  CHANGING_ACCOUNT_MEMBERS,
  type DeleteExpiredOptions,
  type ExpiredReport,
  MOST_LISTED,
  type VerificationToken,
} from '../adapter.js'
import { MARGIN_MS, startPruning } from '../expired.js'

/**
 * The keys of the rows that belong to one user. A deletion of the user finds them without a search. The user may be in
 * another store.
 */
interface OwnedKeys {
  readonly accounts: Set<string>
  readonly sessions: Set<string>
  readonly authenticators: Set<string>
}

/** All rows of a memory adapter. */
export type Tables = ReturnType<typeof createTables>

export const createTables = () => ({
  users: new Map<string, AdapterUser>(),
  userIdByEmail: new Map<string, string>(),
  /** Under the key that {@link pairKey} makes, as verification tokens are. */
  accounts: new Map<string, AdapterAccount>(),
  sessions: new Map<string, AdapterSession>(),
  tokenSessions: new Map<string, AdapterTokenSession>(),
  /**
   * The ids of token sessions that are not revoked, by user id. They are apart from {@link OwnedKeys}: a deletion of the
   * user leaves them.
   */
  tokenSessionIds: new Map<string, Set<string>>(),
  verificationTokens: new Map<string, VerificationToken>(),
  authenticators: new Map<string, AdapterAuthenticator>(),
  records: new Map<string, AdapterRecord>(),
  /** By user id. */
  ownedKeys: new Map<string, OwnedKeys>(),
})

/** The keys of the rows of one user, to be added to or taken from. */
export function ownedBy({ ownedKeys }: Pick<Tables, 'ownedKeys'>, userId: string): OwnedKeys {
  const owned = ownedKeys.get(userId) ?? {
    accounts: new Set(),
    sessions: new Set(),
    authenticators: new Set(),
  }
  ownedKeys.set(userId, owned)
  return owned
}

/** One text of two texts, different for every two: the length shows where the first text ends. */
export const pairKey = (first: string, second: string): string => `${first.length}:${first}${second}`

export const copyOrNull = <Row extends object>(row: Row | undefined): Row | null => (row ? copy(row) : null)

/** A copy that shares nothing with the row, without its undefined members: they mean "not given". */
export function copy<Row extends object>(row: Row): Row {
  const made = { ...membersOf(row) } as Record<string, unknown>
  for (const name in made) {
    const value = made[name]
    // Where the copy is assigned to other objects, such a member would become their prototype.
    if (value === undefined || name === '__proto__') delete made[name]
    else if (value instanceof Date) made[name] = new Date(value)
    else if (typeof value === 'object' && value !== null) made[name] = structuredClone(value)
  }
  return made as Row
}

type Keys = ReadonlySet<string> | undefined

/** Copies of the rows with these keys. */
export const copiesOf = <Row extends object>(keys: Keys, rows: ReadonlyMap<string, Row>): Row[] =>
  [...(keys ?? [])].flatMap((key) => rows.get(key) ?? []).map(copy)

/** Copies of the sessions with these keys, those that end last first, as many as the contract allows. */
export const listed = <Row extends { expires: Date }>(keys: Keys, sessions: ReadonlyMap<string, Row>): Row[] =>
  copiesOf(keys, sessions)
    .sort((one, other) => other.expires.getTime() - one.expires.getTime())
    .slice(0, MOST_LISTED)

/** The keys of the rows that fit. A demo has few rows, so all of them are looked at. */
export const keysOf = <Row>(rows: ReadonlyMap<string, Row>, fits: (row: Row) => boolean): Set<string> =>
  new Set([...rows].filter(([, row]) => fits(row)).map(([key]) => key))

/** Whether each expected member has its value. */
export const hasExpected = (account: AdapterAccount, expected: AccountExpectation): boolean =>
  Object.entries(expected).every(([name, value]) => (account[name as keyof AccountExpectation] ?? null) === value)

/** The account with its changes. Only members that may change are taken; null deletes a member. */
export function withAccountChanges(account: AdapterAccount, changes: AccountChanges): AdapterAccount {
  const given = CHANGING_ACCOUNT_MEMBERS.filter((name) => changes[name] !== undefined)
  const kept = Object.entries(account).filter(([name]) => !given.some((each) => each === name))
  const set = given.filter((name) => changes[name] !== null).map((name) => [name, changes[name]])
  return Object.fromEntries([...kept, ...set]) as AdapterAccount
}

/** `deleteExpired` of the memory adapter. It takes one step. */
export function deleteExpiredRows(
  { sessions, tokenSessions, tokenSessionIds, verificationTokens, records, ownedKeys }: Tables,
  options?: DeleteExpiredOptions,
): ExpiredReport {
  const pruning = startPruning(options)
  if (pruning.isStopped()) return pruning.report()
  const before = Date.now() - MARGIN_MS
  const readable = [...sessions.values(), ...tokenSessions.values(), ...verificationTokens.values()].filter(
    ({ expires }) => isDate(expires),
  )
  pruning.addUnreadable(sessions.size + tokenSessions.size + verificationTokens.size - readable.length)
  const endedSessions = [...sessions.values()].filter(({ expires }) => isBefore(expires, before))
  const endedTokenSessions = [...tokenSessions.values()].filter(({ expires }) => isBefore(expires, before))
  const endedTokens = keysOf(verificationTokens, ({ expires }) => isBefore(expires, before))
  const endedRecords = keysOf(records, ({ expires }) => isBefore(expires, before))
  if (!pruning.dryRun) {
    for (const { sessionToken, userId } of endedSessions) {
      sessions.delete(sessionToken)
      ownedKeys.get(userId)?.sessions.delete(sessionToken)
    }
    for (const { id, userId } of endedTokenSessions) {
      tokenSessions.delete(id)
      const ids = tokenSessionIds.get(userId)
      ids?.delete(id)
      if (ids?.size === 0) tokenSessionIds.delete(userId)
    }
    for (const key of endedTokens) verificationTokens.delete(key)
    for (const key of endedRecords) records.delete(key)
  }
  pruning.add({
    sessions: endedSessions.length + endedTokenSessions.length,
    verificationTokens: endedTokens.size,
    leftovers: endedRecords.size,
  })
  return pruning.report()
}

const isDate = (value: unknown): value is Date => value instanceof Date && !Number.isNaN(value.getTime())

const isBefore = (end: unknown, moment: number) => isDate(end) && end.getTime() < moment

/** The methods of token sessions. A deletion of the user leaves the rows, because they say which tokens are revoked. */
export function createTokenSessions({ tokenSessions, tokenSessionIds }: Tables) {
  /** Stores a row. The ids of a user are those of the sessions that are not revoked. */
  const put = (session: AdapterTokenSession): void => {
    const { id, userId, revokedAt } = session
    tokenSessions.set(id, session)
    const ids = tokenSessionIds.get(userId) ?? new Set()
    if (revokedAt) ids.delete(id)
    else ids.add(id)
    if (ids.size > 0) tokenSessionIds.set(userId, ids)
    else tokenSessionIds.delete(userId)
  }

  return {
    createTokenSession(given) {
      if (!tokenSessions.has(given.id)) put(copy(given))
    },

    getTokenSession: (id) => copyOrNull(tokenSessions.get(id)),

    updateTokenSession(id, changes) {
      const session = tokenSessions.get(id)
      if (session) put({ ...session, ...copy(changes) })
    },

    revokeTokenSession(id, revokedAt) {
      const session = tokenSessions.get(id)
      if (!session || session.revokedAt !== null) return false
      put({ ...session, revokedAt: new Date(revokedAt) })
      return true
    },

    listTokenSessionsByUserId: (userId) => listed(tokenSessionIds.get(userId), tokenSessions),

    listTokenSessionsByProvider: (at) =>
      listed(
        keysOf(tokenSessions, (session) => session.revokedAt === null && beganAt(session, at)),
        tokenSessions,
      ),
  } satisfies Adapter
}

/** The methods of records. */
export function createRecords({ records }: Tables) {
  return {
    createRecord(given) {
      const key = pairKey(given.kind, given.key)
      if (records.has(key)) return false
      records.set(key, copy(given))
      return true
    },

    getRecord: (kind, key) => copyOrNull(records.get(pairKey(kind, key))),

    updateRecord({ kind, key, value, expires, version }) {
      const found = records.get(pairKey(kind, key))
      if (found?.version !== version - 1) return false
      records.set(pairKey(kind, key), copy({ ...found, value, expires, version }))
      return true
    },

    deleteRecord(kind, key) {
      const found = records.get(pairKey(kind, key))
      records.delete(pairKey(kind, key))
      return found ?? null
    },

    listRecordsByOwner: (kind, owner) =>
      copiesOf(
        keysOf(records, (record) => record.kind === kind && record.owner === owner),
        records,
      ).slice(0, MOST_LISTED),
  } satisfies Adapter
}
