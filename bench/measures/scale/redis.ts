import { randomUUID } from 'node:crypto'
import { createClient } from 'redis'
import type * as Redis from '../../../dist/adapters/redis.js'
import { report, taskOf } from '../../loop/pinned.js'
import { storedSessions } from '../../loop/stored-sessions.js'
import { loadBuilt } from '../../subject.js'
import { type PointLoop, type ScaleTask, timePoints } from './point.js'
import { createRows } from './redis-rows.js'
import { sessionLoop } from './sessions.js'

/** The process that asks Redis; it gives nothing when there is none. */
const { pace, sessions: numbers } = taskOf<ScaleTask>()
const client = createClient({
  url: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379',
  disableOfflineQueue: true,
  socket: { connectTimeout: 1000, reconnectStrategy: false },
})
client.on('error', () => {
  // Whoever awaits the call hears of it.
})
const isThere = await client.connect().then(
  () => true,
  () => false,
)
report(isThere ? await measure() : [])

async function measure() {
  const { redisAdapter } = await loadBuilt<typeof Redis>('adapters/redis.js')
  // A server may have other users: nothing outside this prefix is touched.
  const run = `latchkey-bench:${randomUUID()}:`
  const filled: { remove(): Promise<void> }[] = []
  try {
    const loops: PointLoop[] = []
    for (const x of numbers) {
      const prefix = `${run}${x}:`
      const sessions = storedSessions(String(x))
      const rows = await createRows(client, prefix, x, sessions)
      filled.push(rows)
      await rows.write()
      const adapter = redisAdapter(client, { prefix })
      loops.push(await sessionLoop({ series: 'sessions in Redis', x, isElsewhere: true }, adapter, sessions))
    }
    return await timePoints(loops, pace)
  } finally {
    for (const rows of filled) await rows.remove()
    await client.close()
  }
}
