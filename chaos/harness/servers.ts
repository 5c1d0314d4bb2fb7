import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { createClient } from 'redis'
import { freePort } from '../../test/support/free-port.js'
import { findPostgresPrograms } from '../../test/support/own-postgres.js'
import { childrenOf, execute, hasEnded, killProcess, ownFolder, startProcess } from './lifetime.js'
import { until } from './wait.js'

/** How long after its start a server may take to answer. */
const START_MS = 30_000

/** A server that this program starts. It can be killed, started again with its data, and frozen. */
export interface Server {
  readonly name: 'PostgreSQL' | 'MariaDB' | 'Redis'
  readonly port: number
  /** Creates an empty database, and returns its name. Redis has one database for all. */
  createDatabase(): Promise<string>
  /** URL of a database. With another port, the URL of a proxy in front of it. */
  url(database: string, port?: number): string
  /** Kills the server at once. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Stops all of its processes with SIGSTOP. Connections stay open. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** What is different for each kind of server. */
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
    // PostgreSQL has a process for each connection, and each of these processes is its own process group.
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

/** The account for PostgreSQL and MariaDB, which refuse to run as root. Undefined if this program does not run as root. */
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
    // The same as "pg_ctl stop -m immediate".
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
  // A write is on the disk before it is answered, as docs/guides/redis.md requires for a server with users.
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
