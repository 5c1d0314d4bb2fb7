import type { Adapter, VerificationToken } from '../adapter.js'
import type { RedisDependencies } from './client.js'
import { decodeReply, decodeRow, encodeRow, expiryOf, stored } from './row.js'
import * as rowScripts from './scripts/rows.js'

export function createVerificationTokens({ client, keys, run }: RedisDependencies) {
  return {
    async createVerificationToken(given) {
      const key = keys.verificationToken(given.identifier, given.token)
      await run(rowScripts.REPLACE, [key], [...expiryOf(given.expires), ...encodeRow(given)])
      return stored(given)
    },

    async useVerificationToken({ identifier, token }) {
      return decodeReply<VerificationToken>(await run(rowScripts.TAKE, [keys.verificationToken(identifier, token)]))
    },

    async getVerificationToken({ identifier, token }) {
      return decodeRow<VerificationToken>(await client.hGetAll(keys.verificationToken(identifier, token)))
    },
  } satisfies Adapter
}
