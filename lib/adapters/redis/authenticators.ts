import { AdapterError } from '../../kernel/errors.js'
import type { Adapter, AdapterAuthenticator } from '../adapter.js'
import { duplicateError } from '../failures.js'
import type { RedisDependencies } from './client.js'
import type { OwnedRows } from './owned-rows.js'
import { decodeReply, decodeRow, encodeRow, encodeValue, NO_EXPIRY, required, stored } from './row.js'
import * as rowScripts from './scripts/rows.js'
import * as userScripts from './scripts/users.js'

const ABSENT = 'There is no passkey with this id.'

export function createAuthenticators({ client, keys, run }: RedisDependencies, owned: OwnedRows) {
  const find = async (id: string) => decodeRow<AdapterAuthenticator>(await client.hGetAll(keys.authenticator(id)))

  /**
   * Whether the deletion of a user was interrupted, and rows are left. In another store, a new user may have the same
   * id.
   */
  const isBeingDeleted = async (userId: string): Promise<boolean> =>
    Boolean(await run(userScripts.IS_BEING_DELETED, [keys.user(userId), keys.deletion(userId)]))

  return {
    async createAuthenticator(given) {
      const { userId, credentialID } = given
      // The set of the user names the passkey before the passkey is written, so that a deletion of the user finds it. A
      // name without a passkey is ignored.
      const ofUser = [keys.user(userId), keys.authenticatorsOf(userId), keys.deletion(userId)]
      const addName = () => run(userScripts.ADD_UNLESS_BEING_DELETED, ofUser, [credentialID])
      if (!(await addName())) {
        await owned.deleteAll(userId)
        if (!(await addName())) throw new AdapterError('The user is being deleted.')
      }
      if (!(await run(rowScripts.INSERT, [keys.authenticator(credentialID)], [...NO_EXPIRY, ...encodeRow(given)]))) {
        const present = await find(credentialID)
        if (present && String(present.userId) !== String(userId)) {
          await run(rowScripts.REMOVE, [keys.authenticatorsOf(userId)], [credentialID])
        }
        throw duplicateError('This passkey is registered already.')
      }
      return stored(given)
    },

    async getAuthenticator(credentialID) {
      const row = await find(credentialID)
      return row && !(await isBeingDeleted(row.userId)) ? row : null
    },

    async listAuthenticatorsByUserId(userId) {
      if (await isBeingDeleted(userId)) return []
      const found = await Promise.all((await client.sMembers(keys.authenticatorsOf(userId))).map(find))
      return found.filter((row) => row !== null).filter((row) => String(row.userId) === String(userId))
    },

    async updateAuthenticatorCounter(credentialID, newCounter) {
      const reply = await run(rowScripts.RAISE_COUNTER, [keys.authenticator(credentialID)], [encodeValue(newCounter)])
      return required(decodeReply<AdapterAuthenticator>(reply), ABSENT)
    },

    async updateAuthenticator(credentialID, { name, lastUsedAt, credentialBackedUp, credentialDeviceType }) {
      const fields = encodeRow({ credentialID, name, lastUsedAt, credentialBackedUp, credentialDeviceType })
      const reply = await run(rowScripts.UPDATE, [keys.authenticator(credentialID)], [...NO_EXPIRY, ...fields])
      return required(decodeReply<AdapterAuthenticator>(reply), ABSENT)
    },

    async deleteAuthenticator(credentialID) {
      const row = decodeReply<AdapterAuthenticator>(await run(rowScripts.TAKE, [keys.authenticator(credentialID)]))
      if (row) await run(rowScripts.REMOVE, [keys.authenticatorsOf(row.userId)], [credentialID])
      return row
    },
  } satisfies Adapter
}
