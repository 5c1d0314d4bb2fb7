import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { AuthConfig } from '../../lib/index.js'
import { createApp } from './app.js'
import { openDatabase } from './database.js'
import { startIdentityProvider } from './identity-provider.js'

/** A running demo. */
export interface Demo {
  readonly url: string
  /** URL of the OpenID provider that runs beside the application. */
  readonly issuer: string
  /** The SQLite file. */
  readonly database: string
  close(): Promise<void>
}

/** How to start the demo. */
export interface DemoOptions {
  /** 0 means any free port. 3000 by default. */
  readonly port?: number
  /** The SQLite file, which is created if it is missing. By default `.data/demo.sqlite` beside this file. */
  readonly database?: string
  /** The console by default. */
  readonly logger?: AuthConfig['logger']
}

const DATABASE = fileURLToPath(new URL('.data/demo.sqlite', import.meta.url))

/** The passwords in the database cannot be read without the secret, so it is kept as long as they are. */
function secretBeside(database: string): string {
  const file = `${database}.secret`
  if (!existsSync(file)) writeFileSync(file, randomBytes(33).toString('base64'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

/**
 * Starts the application and the OpenID provider. Both are reachable from this machine only.
 */
export async function startDemo({ port = 3000, database: file = DATABASE, logger }: DemoOptions = {}): Promise<Demo> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const own = (server.address() as AddressInfo).port
  const url = `http://localhost:${own}`
  // A visitor may type either of the two.
  const hosts = [url, `http://127.0.0.1:${own}`]
  const provider = await startIdentityProvider(
    url,
    hosts.map((host) => `${host}/auth/callback/harbour`),
  )
  const database = await openDatabase(file)
  const secret = process.env.AUTH_SECRET || secretBeside(file)
  server.on('request', await createApp({ secret, provider, database, logger }))
  return {
    url,
    issuer: provider.issuer,
    database: file,
    close: () =>
      new Promise((resolve) => {
        provider.close()
        server.close(() => resolve(database.close()))
        server.closeAllConnections()
      }),
  }
}
