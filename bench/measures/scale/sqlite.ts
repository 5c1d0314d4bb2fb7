import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { default as LibsqlDatabase } from 'libsql'
import type * as Sql from '../../../dist/adapters/sql.js'
import { report, taskOf } from '../../loop/pinned.js'
import { type StoredSessions, storedSessions } from '../../loop/stored-sessions.js'
import { loadBuilt, loadDependency } from '../../subject.js'
import { type PointLoop, type ScaleTask, timePoints } from './point.js'
import { batches, sessionLoop, userOf, usersOf } from './sessions.js'

/** The process that asks SQLite: a file for each number of sessions, so that all of them can be asked in turn. */
const { pace, sessions: numbers } = taskOf<ScaleTask>()
const { migrateToLatest, sqlAdapter } = await loadBuilt<typeof Sql>('adapters/sql.js')
const { default: Database } = await loadDependency<{ default: typeof LibsqlDatabase }>('libsql')
const folder = await mkdtemp(join(tmpdir(), 'latchkey-scale-'))
const adapters: Sql.SqlAdapter[] = []
try {
  const loops: PointLoop[] = []
  for (const x of numbers) {
    const file = join(folder, `${x}.db`)
    const sessions = storedSessions(String(x))
    await migrateToLatest({ sqlite: file })
    fill(file, x, sessions)
    const adapter = sqlAdapter({ sqlite: file })
    adapters.push(adapter)
    loops.push(await sessionLoop({ series: 'sessions in SQLite', x }, adapter, sessions))
  }
  report(await timePoints(loops, pace))
} finally {
  for (const adapter of adapters) await adapter.close()
  await rm(folder, { recursive: true, force: true })
}

/** Writes rows as the adapter does: dates in ISO 8601. The guard reads them through the adapter, and would notice. */
function fill(file: string, count: number, sessions: StoredSessions): void {
  const db = new Database(file)
  // What is lost in a power cut is measured again.
  db.exec('pragma synchronous = off; pragma cache_size = -262144')
  const addUser = db.prepare('insert into users (id, name, email, image) values (?, ?, ?, ?)')
  writeAll(db, usersOf(count), (number) => {
    const { id, name, email, image } = sessions.user(number)
    addUser.run(id, name, email, image)
  })
  const addSession = db.prepare('insert into sessions ("sessionToken", "userId", expires) values (?, ?, ?)')
  writeAll(db, count, (number) => {
    const { sessionToken, userId, expires } = sessions.row(number, userOf(number))
    addSession.run(sessionToken, userId, expires.toISOString())
  })
  db.close()
}

function writeAll(db: LibsqlDatabase.Database, count: number, write: (number: number) => void): void {
  for (const batch of batches(count, 50_000)) {
    db.exec('begin')
    for (const number of batch) write(number)
    db.exec('commit')
  }
}
