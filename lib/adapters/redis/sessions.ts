import {
  type Adapter,
  type AdapterSession,
  type AdapterTokenSession,
  beganAt,
  MOST_LISTED,
  type ProviderSession,
  type SessionDetails,
} from '../adapter.js'
import { MARGIN_MS } from '../expired.js'
import { duplicateError } from '../failures.js'
import { inBatches, mapInBatches } from './client.js'
import { decodeReply, encodeValue, expiryCommand, type ProviderName, type RedisDependencies, stored } from './rows.js'
import * as scripts from './scripts.js'

/** How often the sessions of a user are looked for, at most: a session gets another token only when its user adds something. */
const MAX_ROUNDS = 5

/**
 * Each session is a key that expires with it, and each user has a list of sessions; so have the subjects and sessions of
 * providers. Only the keys decide which sessions exist. The lists, in other slots, are there to find them. A session is
 * listed before it is written, and before it lasts longer, so that none is missed.
 */
export function createSessions({ keys, run, rows }: RedisDependencies) {
  const lists = createListedSessions({ run }, { ofUser: keys.sessionsOf, atProvider: keys.sessionsAt })

  const note = (session: AdapterSession) => lists.note(session, session.sessionToken, session.expires)

  const getSession = async (sessionToken: string): Promise<AdapterSession | null> =>
    rows.find<AdapterSession>(keys.session(sessionToken))

  const deleteSession = async (sessionToken: string): Promise<AdapterSession | null> => {
    const row = await rows.take<AdapterSession>(keys.session(sessionToken))
    if (row) await lists.forget(row, sessionToken)
    return row
  }

  /**
   * Looks for all sessions of a user. A session may get another token after the list was read, or after a look for a row
   * under that token. So what is new in the list, and what was not there, is looked for again.
   *
   * @param look does its work with the row of one token; gives false when there is no such row of this user
   * @returns all tokens that were looked for
   */
  const lookForAll = async (userId: string, look: (token: string) => Promise<boolean>): Promise<readonly string[]> => {
    const listed = async () => (await run(scripts.MEMBERS, [keys.sessionsOf(userId)])) as string[]
    const known = new Set<string>()
    let next = await listed()
    for (let round = 1; round <= MAX_ROUNDS && next.length > 0; round += 1) {
      for (const token of next) known.add(token)
      const outcomes = await mapInBatches(next, look)
      const absent = next.filter((_, index) => !outcomes[index])
      const isAllGone = round > 1 && absent.length === next.length
      const added = (await listed()).filter((token) => !known.has(token))
      if (isAllGone && added.length === 0) break
      next = [...absent, ...added]
    }
    return [...known]
  }

  return {
    getSession,
    deleteSession,

    async createSession(session: AdapterSession): Promise<AdapterSession> {
      await note(session)
      const isNew = await rows.insert(keys.session(session.sessionToken), session, expiryCommand(session.expires))
      if (!isNew) throw duplicateError('Another session has this token.')
      return stored(session)
    },

    async updateSession(changes: Partial<AdapterSession> & Pick<AdapterSession, 'sessionToken'>) {
      const { sessionToken, expires } = changes
      if (expires || changes.provider || changes.subject || changes.sid) {
        const session = await getSession(sessionToken)
        if (!session) return null
        const given = Object.entries(changes).filter(([, value]) => value !== undefined)
        await note({ ...session, ...Object.fromEntries(given) })
      }
      return rows.update<AdapterSession>(keys.session(sessionToken), changes, expiryCommand(expires))
    },

    /**
     * The two keys may be in two slots, so this takes two steps: the row is written under the new token, and then
     * deleted under the old one. The call that deletes the old row has moved the session. If no call finds the old row,
     * the session was deleted meanwhile, and the deletion wins.
     */
    async changeSessionToken(sessionToken: string, newSessionToken: string): Promise<AdapterSession | null> {
      const session = await getSession(sessionToken)
      if (!session) return null
      const changed = { ...session, sessionToken: newSessionToken }
      await note(changed)
      if (!(await rows.insert(keys.session(newSessionToken), changed, expiryCommand(session.expires)))) {
        // Another call that moves the same session may have written the row already.
        const present = await getSession(newSessionToken)
        if (!present || isSameSession(present, changed)) return null
        throw duplicateError('Another session has this token.')
      }
      if (await deleteSession(sessionToken)) return stored(changed)
      await deleteSession(newSessionToken)
      return null
    },

    async deleteSessionsByUserId(userId: string): Promise<void> {
      const tokens = await lookForAll(userId, async (token) => {
        const reply = await run(scripts.TAKE_OWNED, [keys.session(token)], ['userId', encodeValue(userId)])
        const row = decodeReply<AdapterSession>(reply)
        // The list of the user forgets all at once.
        if (row?.provider) await lists.forget(row, token)
        return row !== null
      })
      await inBatches(tokens, async (batch) => {
        await run(scripts.FORGET, [keys.sessionsOf(userId)], batch)
      })
    },

    listSessionsByUserId: (userId: string): Promise<AdapterSession[]> =>
      listNamed({ run }, keys.sessionsOf(userId), async (token) => {
        const session = await getSession(token)
        return session && String(session.userId) === String(userId) ? session : null
      }),

    listSessionsByProvider: (at: ProviderSession): Promise<AdapterSession[]> => lists.atProvider(at, getSession),
  }
}

const isSameSession = (one: AdapterSession, other: AdapterSession) =>
  one.userId === other.userId && one.expires.getTime() === other.expires.getTime()

/**
 * Each token session is a key, and lists name those that are not revoked, as with sessions. Nothing but
 * their expiry deletes the keys: a token whose row is gone counts as one that was never revoked. So a row stays for a
 * time after its expiry, in case the clock of the server is ahead of the clocks of the processes that accept the token.
 * A revoked session leaves the list after its row says so, and a list leaves out what is revoked.
 */
export function createTokenSessions({ keys, run, rows }: RedisDependencies) {
  const find = async (id: string) => rows.find<AdapterTokenSession>(keys.tokenSession(id))

  const lists = createListedSessions({ run }, { ofUser: keys.tokenSessionsOf, atProvider: keys.tokenSessionsAt })

  const forget = (session: AdapterTokenSession) => lists.forget(session, session.id)

  /** The row, unless it is revoked: then the revocation was interrupted, or the session was extended meanwhile. */
  const findCounting = async (id: string) => {
    const row = await find(id)
    if (row === null || row.revokedAt == null) return row
    await forget(row)
    return null
  }

  return {
    async createTokenSession(session) {
      const { id, expires, revokedAt = null, tokenIssuedAt = null } = session
      // The list names a row before the row is written, and before it lasts longer, so that none is missed. A name
      // without a row, or with the row of another user, is ignored.
      if (revokedAt === null) await lists.note(session, id, endOf(expires))
      const row = { ...session, revokedAt, tokenIssuedAt }
      await rows.insert(keys.tokenSession(id), row, expiryCommand(endOf(expires)))
    },

    getTokenSession: find,

    async updateTokenSession(id, changes) {
      const { expires } = changes
      if (expires) {
        const session = await find(id)
        if (!session) return
        await lists.note(session, id, endOf(expires))
      }
      await rows.update(keys.tokenSession(id), changes, expiryCommand(expires && endOf(expires)))
    },

    async revokeTokenSession(id, revokedAt) {
      const reply = await run(scripts.REVOKE, [keys.tokenSession(id)], [encodeValue(revokedAt)])
      const row = decodeReply<AdapterTokenSession>(reply)
      if (row) await forget(row)
      return row !== null
    },

    listTokenSessionsByUserId: (userId) =>
      listNamed({ run }, keys.tokenSessionsOf(userId), async (id) => {
        const row = await findCounting(id)
        return row && String(row.userId) === String(userId) ? row : null
      }),

    listTokenSessionsByProvider: (at) => lists.atProvider(at, findCounting),
  } satisfies Adapter
}

/** When the key of a row ends. */
const endOf = (expires: Date) => new Date(expires.getTime() + MARGIN_MS)

/** The keys of the sorted sets that name one kind of sessions: sessions, or token sessions. */
export interface SessionSets {
  ofUser(userId: string): string
  /** Those that began at a provider with a subject, or with a `sid`. */
  atProvider(provider: string, name: ProviderName, value: string): string
}

type Listed = SessionDetails & { userId: string }

/**
 * The sets by which the sessions of a user and those of a provider are found. Each set is in its own slot, so no step
 * can change a row and its names. A set names a session before the row is written, and before the row lasts longer, and
 * for some time after the row is gone. So only the rows decide which sessions are listed. A name leaves its set at its
 * end, or before.
 */
function createListedSessions({ run }: Pick<RedisDependencies, 'run'>, sets: SessionSets) {
  const setsOf = (session: Listed): string[] => {
    const { provider, subject, sid } = session
    if (!provider) return [sets.ofUser(session.userId)]
    return [
      sets.ofUser(session.userId),
      ...(subject ? [sets.atProvider(provider, 'subject', subject)] : []),
      ...(sid ? [sets.atProvider(provider, 'sid', sid)] : []),
    ]
  }

  return {
    /** Names a session that ends at a time. */
    async note(session: Listed, name: string, end: Date): Promise<void> {
      const args = [name, String(end.getTime()), String(Date.now())]
      await Promise.all(setsOf(session).map((set) => run(scripts.NOTE_END, [set], args)))
    },

    /** Removes the names of a session that does not count any more. */
    async forget(session: Listed, name: string): Promise<void> {
      await Promise.all(setsOf(session).map((set) => run(scripts.FORGET, [set], [name])))
    },

    /** The sessions that began at a provider, as the contract lists them. */
    async atProvider<Row extends Listed & { expires: Date }>(
      at: ProviderSession,
      find: (name: string) => Promise<Row | null>,
    ): Promise<Row[]> {
      const { provider, subject, sid } = at
      const [name, value] = sid === undefined ? (['subject', subject] as const) : (['sid', sid] as const)
      if (value === undefined) return []
      return listNamed({ run }, sets.atProvider(provider, name, value), async (name) => {
        const row = await find(name)
        return row && beganAt(row, at) ? row : null
      })
    },
  }
}

/** How often names without a row are looked for again: a session gets another token only when its user adds something. */
const MOST_REPEATS = 5

/**
 * The rows that a sorted set of a user names, those that end last first, as many as the contract allows.
 *
 * A name without a row stays in the set, because its row may be about to be written. So that such names hide no others,
 * more names are read. Each reading begins at the latest end: thus no name is missed when others leave the set
 * meanwhile. A session may get another token after the set was read, or after a look for a row under that token. So the
 * names without a row are looked for again at the end.
 *
 * @param look gives the row of a name; null when there is none that counts
 */
export async function listNamed<Row extends { expires: Date | null }>(
  { run }: Pick<RedisDependencies, 'run'>,
  set: string,
  look: (name: string) => Promise<Row | null>,
): Promise<Row[]> {
  const found = new Map<string, Row>()
  const absent = new Set<string>()

  const lookFor = async (names: readonly string[]) => {
    const rows = await mapInBatches(names, look)
    for (const [index, name] of names.entries()) {
      const row = rows[index] ?? null
      if (row === null) {
        absent.add(name)
      } else {
        absent.delete(name)
        found.set(name, row)
      }
    }
  }

  /** Looks for the names that are not known yet. Gives false when there are none. */
  const lookForNew = async (): Promise<boolean> => {
    const count = String(MOST_LISTED + absent.size)
    const names = (await run(scripts.LATEST, [set], [String(Date.now()), count])) as string[]
    const added = names.filter((name) => !found.has(name) && !absent.has(name))
    await lookFor(added)
    return added.length > 0
  }

  for (let repeats = 0; repeats < MOST_REPEATS; repeats += 1) {
    while (found.size < MOST_LISTED && (await lookForNew())) {}
    if (found.size >= MOST_LISTED || absent.size === 0) break
    const known = found.size
    await lookFor([...absent])
    if (found.size === known && !(await lookForNew())) break
  }
  const endOf = ({ expires }: Row) => expires?.getTime() ?? Number.MAX_SAFE_INTEGER
  return [...found.values()].sort((one, other) => endOf(other) - endOf(one)).slice(0, MOST_LISTED)
}
