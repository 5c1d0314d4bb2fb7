import type { AdapterSession } from '../adapter.js'
import { duplicateError } from '../failures.js'
import { inBatches, type RedisDependencies } from './client.js'
import { decodeReply, decodeRow, encodeRow, encodeValue, expiryOf, stored } from './row.js'
import * as rowScripts from './scripts/rows.js'

/** How often the sessions of a user are looked for, at most: a session gets another token only when its user adds something. */
const MAX_ROUNDS = 5

/**
 * Each session is a key that expires with it, and each user has a list of sessions. Only the keys decide which sessions
 * exist. The list, in another slot, is there to find them. A session is listed before it is written, so that none is
 * missed.
 */
export function createSessions({ client, keys, run }: RedisDependencies) {
  const note = ({ userId, sessionToken, expires }: AdapterSession) =>
    run(rowScripts.NOTE_END, [keys.sessionsOf(userId)], [sessionToken, String(expires.getTime()), String(Date.now())])

  const getSession = async (sessionToken: string): Promise<AdapterSession | null> =>
    decodeRow<AdapterSession>(await client.hGetAll(keys.session(sessionToken)))

  const deleteSession = async (sessionToken: string): Promise<AdapterSession | null> => {
    const row = decodeReply<AdapterSession>(await run(rowScripts.TAKE, [keys.session(sessionToken)]))
    if (row) await run(rowScripts.FORGET, [keys.sessionsOf(row.userId)], [sessionToken])
    return row
  }

  /** Deletes sessions of a user; gives the tokens under which there was none. */
  const deleteOwned = async (userId: string, tokens: readonly string[]): Promise<string[]> => {
    const absent: string[] = []
    await inBatches(tokens, async (batch) => {
      await Promise.all(
        batch.map(async (token) => {
          const deleted = await run(rowScripts.DELETE_OWNED, [keys.session(token)], [encodeValue(userId)])
          if (!deleted) absent.push(token)
        }),
      )
    })
    return absent
  }

  return {
    getSession,
    deleteSession,

    async createSession(session: AdapterSession): Promise<AdapterSession> {
      await note(session)
      const fields = [...expiryOf(session.expires), ...encodeRow(session)]
      const isNew = await run(rowScripts.INSERT, [keys.session(session.sessionToken)], fields)
      if (!isNew) throw duplicateError('Another session has this token.')
      return stored(session)
    },

    async updateSession(changes: Partial<AdapterSession> & Pick<AdapterSession, 'sessionToken'>) {
      const fields = [...expiryOf(changes.expires), ...encodeRow(changes)]
      const row = decodeReply<AdapterSession>(
        await run(rowScripts.UPDATE, [keys.session(changes.sessionToken)], fields),
      )
      if (row && changes.expires) await note(row)
      return row
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
      const fields = [...expiryOf(session.expires), ...encodeRow(changed)]
      if (!(await run(rowScripts.INSERT, [keys.session(newSessionToken)], fields))) {
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
      const list = keys.sessionsOf(userId)
      const listed = async () => (await run(rowScripts.MEMBERS, [list])) as string[]
      const known = new Set<string>()
      let next = await listed()
      // A session may get another token after the list was read, or after a look for a row under that token. So what is
      // new in the list, and what was not there, is looked for again.
      for (let round = 1; round <= MAX_ROUNDS && next.length > 0; round += 1) {
        for (const token of next) known.add(token)
        const absent = await deleteOwned(userId, next)
        const isAllGone = round > 1 && absent.length === next.length
        const added = (await listed()).filter((token) => !known.has(token))
        if (isAllGone && added.length === 0) break
        next = [...absent, ...added]
      }
      await inBatches([...known], async (batch) => {
        await run(rowScripts.FORGET, [list], batch)
      })
    },
  }
}

const isSameSession = (one: AdapterSession, other: AdapterSession) =>
  one.userId === other.userId && one.expires.getTime() === other.expires.getTime()
