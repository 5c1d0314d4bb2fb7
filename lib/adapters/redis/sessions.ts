import type { AdapterSession } from '../adapter.js'
import { duplicate, inBatches, type Means } from './client.js'
import { decodeReply, decodeRow, encodeRow, encodeValue, expiryOf, stored } from './row.js'
import * as scripts from './scripts.js'

/**
 * Sessions, each a key that leaves when it ends, and for each user a list of them. Which sessions there are, the keys alone decide: the list, in
 * another slot, serves only to find them. A session is listed before it is written, so that none is missed.
 */
export function createSessions({ client, keys, run }: Means) {
  const note = ({ userId, sessionToken, expires }: AdapterSession) =>
    run(scripts.NOTE_END, [keys.sessionsOf(userId)], [sessionToken, String(expires.getTime()), String(Date.now())])

  return {
    async createSession(session: AdapterSession): Promise<AdapterSession> {
      await note(session)
      const fields = [...expiryOf(session.expires), ...encodeRow(session)]
      const isNew = await run(scripts.INSERT, [keys.session(session.sessionToken)], fields)
      if (!isNew) throw duplicate('Another session has this token.')
      return stored(session)
    },

    getSession: async (sessionToken: string): Promise<AdapterSession | null> =>
      decodeRow<AdapterSession>(await client.hGetAll(keys.session(sessionToken))),

    async updateSession(changes: Partial<AdapterSession> & Pick<AdapterSession, 'sessionToken'>) {
      const fields = [...expiryOf(changes.expires), ...encodeRow(changes)]
      const row = decodeReply<AdapterSession>(await run(scripts.UPDATE, [keys.session(changes.sessionToken)], fields))
      if (row && changes.expires) await note(row)
      return row
    },

    async deleteSession(sessionToken: string): Promise<AdapterSession | null> {
      const row = decodeReply<AdapterSession>(await run(scripts.TAKE, [keys.session(sessionToken)]))
      if (row) await run(scripts.FORGET, [keys.sessionsOf(row.userId)], [sessionToken])
      return row
    },

    async deleteSessionsByUserId(userId: string): Promise<void> {
      const list = keys.sessionsOf(userId)
      const tokens = (await run(scripts.MEMBERS, [list])) as string[]
      await inBatches(tokens, async (batch) => {
        await Promise.all(batch.map((token) => run(scripts.DELETE_OWNED, [keys.session(token)], [encodeValue(userId)])))
        await run(scripts.FORGET, [list], batch)
      })
    },
  }
}
