import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import mysql from 'mysql2/promise'
import { freePort } from './free-port.js'

const run = promisify(execFile)

/** A MariaDB server of a test's own, which can be stopped and started again with its data. */
export interface OwnMariaDB {
  readonly url: string
  /** Everything of it is there. */
  readonly folder: string
  start(): Promise<void>
  /** Kills it, in the midst of whatever it does, as a fault would. */
  stop(): Promise<void>
  remove(): Promise<void>
}

/** Whether the programs are installed that make and run a server. */
export async function hasMariaDBPrograms(): Promise<boolean> {
  const found = [run('mariadbd', ['--version']), run('sh', ['-c', 'command -v mariadb-install-db'])]
  return (await Promise.allSettled(found)).every(({ status }) => status === 'fulfilled')
}

/**
 * Makes a server with an empty database, and starts it.
 *
 * @param zone the time zone of the server, such as `Europe/Berlin`
 */
export async function createOwnMariaDB(zone = 'UTC'): Promise<OwnMariaDB> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-mariadb-'))
  const port = await freePort()
  // MariaDB refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['--user=mysql'] : []
  if (asUser.length > 0) await run('chown', ['mysql', folder])
  const place = ['--no-defaults', `--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`, ...asUser]
  const address = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`]
  // What a killed process has written is still there: only a machine that goes down would lose it.
  const unflushed = ['--innodb-flush-method=nosync', '--debug-no-sync']
  const texts = ['--character-set-server=utf8mb4', '--collation-server=utf8mb4_general_ci']
  const files = [`--pid-file=${join(folder, 'pid')}`, `--log-error=${join(folder, 'log')}`]
  await run('mariadb-install-db', [
    ...place,
    '--debug-no-sync',
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ])
  const origin = `mysql://root@127.0.0.1:${port}`
  let server: ChildProcess | undefined
  const start = async () => {
    server = spawn('mariadbd', [...place, ...address, ...files, ...unflushed, ...texts], {
      stdio: 'ignore',
      env: { ...process.env, TZ: zone },
    })
    // A server that a run shares outlives the process that started it.
    server.unref()
    await answering(origin, server)
  }
  const stop = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  await start()
  const connection = await mysql.createConnection(origin)
  await connection.query('create database app')
  await connection.end()
  return {
    folder,
    url: `${origin}/app`,
    start,
    stop,
    async remove() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 400 && server.exitCode === null; tries += 1) {
    const connection = await mysql.createConnection(url).catch(() => null)
    if (connection) return connection.end()
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error('MariaDB did not start.')
}
