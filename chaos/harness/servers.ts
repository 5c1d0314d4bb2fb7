import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { createClient } from 'redis'
import { findPostgresPrograms, freePort } from '../../test/support/own-postgres.js'
import { childrenOf, execute, hasEnded, killProcess, ownFolder, startProcess } from './lifetime.js'
import { until } from './wait.js'

/** How long a server may take to answer after its start. */
const START_MS = 30_000

/** A server of this program's own: it can be killed and come back with its data, and be frozen. */
export interface Server {
  readonly name: 'PostgreSQL' | 'MariaDB' | 'Redis'
  readonly port: number
  /** Makes an empty database, and gives its name. Redis has one for all. */
  createDatabase(): Promise<string>
  /** Where a database is, or what stands before it on another port. */
  url(database: string, port?: number): string
  /** Ends it at once, in the midst of whatever it does. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Stops all of its processes where they are; connections stay open. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** What tells the servers apart. */
interface Kind {
  readonly name: Server['name']
  readonly crashSignal: NodeJS.Signals
  launch(): ChildProcess
  url(database: string, port: number): string
  isAnswering(): Promise<boolean>
  createDatabase(name: string): Promise<void>
}

async function run(port: number, kind: Kind): Promise<Server> {
  let process = kind.launch()
  let count = 0
  const answering = async () => {
    const ready = await until(() => hasEnded(process) || kind.isAnswering(), START_MS)
    if (ready === null || hasEnded(process)) throw new Error(`${kind.name} did not start.`)
  }
  const signal = async (name: NodeJS.Signals) => {
    const { pid } = process
    if (pid === undefined) return
    // PostgreSQL answers each connection in a process of its own, which is a group of its own as well.
    for (const one of [pid, ...childrenOf(pid)]) globalThis.process.kill(one, name)
  }
  await answering()
  return {
    name: kind.name,
    port,
    url: (database, at = port) => kind.url(database, at),
    async createDatabase() {
      count += 1
      const name = `chaos_${count}`
      await kind.createDatabase(name)
      return name
    },
    async crash() {
      await killProcess(process, kind.crashSignal)
    },
    async start() {
      process = kind.launch()
      await answering()
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  }
}

/** PostgreSQL and MariaDB refuse to run as root; nothing is given when somebody else runs this. */
async function accountOf(user: string): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => (await execute('id', [flag, user])).stdout))
  return { uid: Number(uid), gid: Number(gid) }
}

export async function startPostgres(): Promise<Server> {
  const programs = await findPostgresPrograms()
  if (programs === null) throw new Error('initdb and postgres are not installed.')
  const folder = await ownFolder('postgres')
  const account = await accountOf('postgres')
  if (account) await execute('chown', ['postgres', folder])
  const data = join(folder, 'data')
  const how = ['-A', 'trust', '-U', 'postgres', '--no-sync', '--no-instructions', '-E', 'UTF8']
  await execute(join(programs, 'initdb'), ['-D', data, ...how], { cwd: folder, ...account })
  const port = await freePort()
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'max_connections=200',
  ]
  const url = (database: string, at: number) => `postgres://postgres@127.0.0.1:${at}/${database}`
  const query = async (database: string, statement: string) => {
    const client = new pg.Client({ connectionString: url(database, port), connectionTimeoutMillis: 2000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query(statement)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  return run(port, {
    name: 'PostgreSQL',
    // As "pg_ctl stop -m immediate".
    crashSignal: 'SIGQUIT',
    launch: () =>
      startProcess(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
        cwd: folder,
        stdio: 'ignore',
        ...account,
      }),
    url,
    isAnswering: () =>
      query('postgres', 'select 1').then(
        () => true,
        () => false,
      ),
    createDatabase: (name) => query('postgres', `create database ${name}`),
  })
}

export async function startMariaDB(): Promise<Server> {
  const folder = await ownFolder('mariadb')
  const account = await accountOf('mysql')
  if (account) await execute('chown', ['mysql', folder])
  const place = ['--no-defaults', `--datadir=${join(folder, 'data')}`, ...(account ? ['--user=mysql'] : [])]
  await execute('mariadb-install-db', [...place, '--auth-root-authentication-method=normal', '--skip-test-db'])
  const port = await freePort()
  const files = ['socket', 'pid-file', 'log-error'].map((name) => `--${name}=${join(folder, name)}`)
  const address = [`--port=${port}`, '--bind-address=127.0.0.1', '--innodb-flush-log-at-trx-commit=2']
  const url = (database: string, at: number) => `mysql://root@127.0.0.1:${at}/${database}`
  const query = async (statement: string) => {
    const connection = await mysql.createConnection({ uri: url('', port), connectTimeout: 2000 })
    try {
      await connection.query(statement)
    } finally {
      connection.destroy()
    }
  }
  return run(port, {
    name: 'MariaDB',
    crashSignal: 'SIGKILL',
    launch: () => startProcess('mariadbd', [...place, ...address, ...files], { stdio: 'ignore' }),
    url,
    isAnswering: () =>
      query('select 1').then(
        () => true,
        () => false,
      ),
    createDatabase: (name) => query(`create database ${name}`),
  })
}

export async function startRedis(): Promise<Server> {
  const folder = await ownFolder('redis')
  const port = await freePort()
  const url = (_database: string, at: number) => `redis://127.0.0.1:${at}`
  // What was answered is on the disk, as docs/guides/redis.md wants it of a server that holds users.
  const settings = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder]
  const connected = async (
    work: (client: { ping(): Promise<unknown>; flushAll(): Promise<unknown> }) => Promise<unknown>,
  ) => {
    const socket = { reconnectStrategy: false, connectTimeout: 2000 } as const
    const client = createClient({ url: url('', port), socket })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await work(client)
    } finally {
      client.destroy()
    }
  }
  return run(port, {
    name: 'Redis',
    crashSignal: 'SIGKILL',
    launch: () =>
      startProcess('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...settings], { stdio: 'ignore' }),
    url,
    isAnswering: () =>
      connected((client) => client.ping()).then(
        () => true,
        () => false,
      ),
    createDatabase: () => connected((client) => client.flushAll()),
  })
}
