import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.js'

const run = promisify(execFile)

/** A PostgreSQL server of a test's own, which can be stopped and started again with its data. */
export interface OwnPostgres {
  readonly url: string
  /** Everything of it is there. */
  readonly folder: string
  start(): Promise<void>
  /** Stops it at once, in the midst of whatever it does, as a fault would. */
  stop(): Promise<void>
  remove(): Promise<void>
}

/** Where the programs are that make and run a server; null when they are not installed. */
export async function findPostgresPrograms(): Promise<string | null> {
  const root = '/usr/lib/postgresql'
  const versions = await readdir(root).catch(() => [])
  const newest = versions.sort((one, other) => Number(other) - Number(one))[0]
  const candidates = [...(newest === undefined ? [] : [join(root, newest, 'bin')]), '/usr/local/bin', '/usr/bin']
  for (const folder of candidates) {
    const found = await run(join(folder, 'initdb'), ['--version']).catch(() => null)
    if (found) return folder
  }
  return null
}

/** Makes a server, and starts it. */
export async function createOwnPostgres(programs: string): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-postgres-'))
  const port = await freePort()
  // PostgreSQL refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []
  if (asUser.length > 0) await run('chown', ['postgres', folder])
  const call = (program: string, args: readonly string[]) => {
    const [file = '', ...rest] = [...asUser, join(programs, program), ...args]
    return run(file, rest, { cwd: folder, timeout: 20_000 })
  }
  const data = join(folder, 'data')
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off -c full_page_writes=off`
  const control = (...args: string[]) => call('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'log'), ...args])
  const start = async () => {
    await control('start', '-o', settings)
  }
  const stop = async () => {
    await control('stop', '-m', 'immediate')
  }
  await call('initdb', [
    '-D',
    data,
    '-A',
    'trust',
    '-U',
    'postgres',
    '--no-sync',
    '--no-instructions',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  ])
  await start()
  return {
    folder,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    async remove() {
      await stop().catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
