import type { createClient } from 'redis'
import type * as Keys from '../../../dist/adapters/redis/keys.js'
import type * as Row from '../../../dist/adapters/redis/row.js'
import { LIFETIME_SECONDS, type StoredSessions } from '../../loop/stored-sessions.js'
import { loadInternal } from '../../subject.js'
import { batches, userOf, usersOf } from './sessions.js'

/** The calls of the client that are needed. */
type Client = Pick<ReturnType<typeof createClient>, 'eval' | 'unlink'>

/** Rows in a call: more make no fewer packets, and hold others up. */
const BATCH = 500
/** Calls that are under way at once. */
const IN_FLIGHT = 8

/** Writes hashes of as many fields as ARGV[2] says; all of them expire at ARGV[1], milliseconds since the epoch. */
const WRITE = `
local width = tonumber(ARGV[2]) * 2
for index, key in ipairs(KEYS) do
  local first = 3 + (index - 1) * width
  redis.call('HSET', key, unpack(ARGV, first, first + width - 1))
  redis.call('PEXPIREAT', key, ARGV[1])
end`

/** Users and sessions below a prefix, with the adapter's own keys and in its own form. */
export async function createRows(client: Client, prefix: string, count: number, sessions: StoredSessions) {
  const { createKeys } = await loadInternal<typeof Keys>('adapters/redis/keys.js')
  const { encodeRow } = await loadInternal<typeof Row>('adapters/redis/row.js')
  const keys = createKeys(prefix)
  // Users expire as well, which they otherwise do not: nothing may stay behind.
  const expiresAt = String(Date.now() + LIFETIME_SECONDS * 1000)

  const write = (batch: readonly { key: string; row: object }[]) => {
    const fields = batch.map(({ row }) => encodeRow(row))
    const width = (fields[0]?.length ?? 0) / 2
    const args = [expiresAt, String(width), ...fields.flat()]
    return client.eval(WRITE, { keys: batch.map(({ key }) => key), arguments: args })
  }
  const userAt = (number: number) => ({ key: keys.user(sessions.user(number).id), row: sessions.user(number) })
  const sessionAt = (number: number) => {
    const row = sessions.row(number, userOf(number))
    return { key: keys.session(row.sessionToken), row }
  }

  const everyBatch = async (act: (batch: readonly { key: string; row: object }[]) => Promise<unknown>) => {
    await severalAtOnce(batches(usersOf(count), BATCH), (batch) => act(batch.map(userAt)))
    await severalAtOnce(batches(count, BATCH), (batch) => act(batch.map(sessionAt)))
  }
  return {
    write: () => everyBatch(write),
    remove: () => everyBatch((batch) => client.unlink(batch.map(({ key }) => key))),
  }
}

/** Works through a sequence, with a few calls under way at any time. */
async function severalAtOnce<Item>(items: Iterable<Item>, act: (item: Item) => Promise<unknown>): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await act(next.value)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
}
