import type { Adapter, AdapterTokenSession } from '../adapter.js'
import { MARGIN_MS } from '../expired.js'
import type { RedisDependencies } from './client.js'
import { createListedSessions, listNamed } from './listed-sessions.js'
import { decodeReply, decodeRow, encodeRow, encodeValue, expiryOf } from './row.js'
import * as rowScripts from './scripts/rows.js'

/**
 * Each token session is a key, and lists name those that are not revoked, as with sessions. Nothing but
 * their expiry deletes the keys: a token whose row is gone counts as one that was never revoked. So a row stays for a
 * time after its expiry, in case the clock of the server is ahead of the clocks of the processes that accept the token.
 * A revoked session leaves the list after its row says so, and a list leaves out what is revoked.
 */
export function createTokenSessions({ client, keys, run }: RedisDependencies) {
  const find = async (id: string) => decodeRow<AdapterTokenSession>(await client.hGetAll(keys.tokenSession(id)))

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
      const fields = encodeRow({ ...session, revokedAt, tokenIssuedAt })
      await run(rowScripts.INSERT, [keys.tokenSession(id)], [...expiryOf(endOf(expires)), ...fields])
    },

    getTokenSession: find,

    async updateTokenSession(id, changes) {
      const { expires } = changes
      if (expires) {
        const session = await find(id)
        if (!session) return
        await lists.note(session, id, endOf(expires))
      }
      const fields = [...expiryOf(expires && endOf(expires)), ...encodeRow(changes)]
      await run(rowScripts.UPDATE, [keys.tokenSession(id)], fields)
    },

    async revokeTokenSession(id, revokedAt) {
      const reply = await run(rowScripts.REVOKE, [keys.tokenSession(id)], [encodeValue(revokedAt)])
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
