import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createOwnMariaDB, hasMariaDBPrograms } from './own-mariadb.js'
import { createOwnPostgres, findPostgresPrograms } from './own-postgres.js'

/**
 * The servers of a run, for all its processes. They flush nothing to the disk: to make and drop a database takes a second on a
 * server that does, and the tests do it hundreds of times.
 */
type Name = 'PostgreSQL' | 'MariaDB'

interface Shared {
  readonly port: number
  readonly pid: number
  readonly folder: string
}

const NAME = 'latchkey-servers-'
const FOLDER = join(tmpdir(), NAME + (process.env['TEST_RUN'] ?? process.pid))

/** Where no programs are installed, a server on its usual port may answer. */
const USUAL_PORTS: Readonly<Record<Name, number>> = { PostgreSQL: 5432, MariaDB: 3306 }

const START: Readonly<Record<Name, () => Promise<Shared | null>>> = {
  async PostgreSQL() {
    const programs = await findPostgresPrograms()
    if (programs === null) return null
    const { url, folder } = await createOwnPostgres(programs)
    const [pid] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')
    return { port: Number(new URL(url).port), pid: Number(pid), folder }
  },
  async MariaDB() {
    if (!(await hasMariaDBPrograms())) return null
    const { url, folder } = await createOwnMariaDB()
    return { port: Number(new URL(url).port), pid: Number(readFileSync(join(folder, 'pid'), 'utf8')), folder }
  },
}

const known = new Map<Name, Promise<number>>()

/** The port of a server. The first test of a run that needs it starts it, and {@link stopSharedServers} stops it. */
export function sharedPort(name: Name): Promise<number> {
  const port = known.get(name) ?? findOrStart(name)
  known.set(name, port)
  return port
}

async function findOrStart(name: Name): Promise<number> {
  const file = join(FOLDER, `${name}.json`)
  if (mkdirSync(join(FOLDER, name), { recursive: true }) !== undefined) {
    const started = await START[name]().catch(() => null)
    writeFileSync(`${file}.new`, JSON.stringify(started ?? { port: USUAL_PORTS[name] }))
    renameSync(`${file}.new`, file)
  }
  while (!existsSync(file)) await sleep(50)
  return JSON.parse(readFileSync(file, 'utf8')).port
}

/** Whether this run has used a server that was there before it. */
export function isLent(name: Name): boolean {
  const file = join(FOLDER, `${name}.json`)
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).pid === undefined
}

/** Stops the servers of this run, and those of runs that were killed. */
export async function stopSharedServers(): Promise<void> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(NAME))
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    const run = Number(folder.slice(join(tmpdir(), NAME).length))
    // A run that has a name of its own looks after its servers itself.
    if (folder !== FOLDER && !(Number.isInteger(run) && !isRunning(run))) continue
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
      const { pid, folder: data } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Partial<Shared>
      if (pid === undefined || data === undefined) continue
      // PostgreSQL ends the processes of its connections at this signal; MariaDB has none, and would write for a while.
      if (isRunning(pid)) process.kill(pid, file === 'PostgreSQL.json' ? 'SIGQUIT' : 'SIGKILL')
      for (let looks = 0; looks < 100 && isRunning(pid); looks += 1) await sleep(20)
      rmSync(data, { recursive: true, force: true })
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
