import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { processSharedSecrets } from '../../lib/config/secrets.js'
import { type AuthConfig, expressAuth, type LogContext } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import { Visitor } from './visitor.js'

/** A secret long enough for production. */
export const SECRET = 'a secret that is long enough for anything'

// Many applications of a process have it. Which of them would be warned of the others depends on the order in which the
// process gets the files of tests, so the warning counts as given.
for (const url of ['https://one.example', 'https://other.example']) {
  const configuration = { secret: SECRET, sessionCookie: 'authjs.session-token', url, providers: [] }
  processSharedSecrets.isNewlyShared({ ...configuration, options: { providers: [] } })
}

/** What a logger got. */
export interface Log {
  /** What went wrong, whoever erred. */
  readonly errors: Error[]
  /** Those that are what a visitor did. */
  readonly infos: Error[]
  /** In which request each line was written, in the order of the lines of all levels. */
  readonly contexts: (LogContext | undefined)[]
  readonly warnings: string[]
  readonly lines: string[]
  readonly logger: NonNullable<AuthConfig['logger']>
}

export function createLog(): Log {
  const log = {
    errors: [] as Error[],
    infos: [] as Error[],
    contexts: [] as (LogContext | undefined)[],
    warnings: [] as string[],
    lines: [] as string[],
  }
  return {
    ...log,
    logger: {
      error(error, context) {
        log.errors.push(error)
        log.contexts.push(context)
      },
      info(error, context) {
        log.errors.push(error)
        log.infos.push(error)
        log.contexts.push(context)
      },
      warn(code, _metadata, context) {
        log.warnings.push(code)
        log.contexts.push(context)
      },
      debug: (message, metadata) => log.lines.push(`${message} ${JSON.stringify(metadata)}`),
    },
  }
}

/** A server on a port of its own. */
export interface Running {
  readonly origin: string
  readonly server: Server
  visitor(): Visitor
  close(): Promise<void>
}

/** An app by its name: an IP address is no relying party. */
export function atLocalhost(app: Running): Running {
  const origin = app.origin.replace('127.0.0.1', 'localhost')
  return { ...app, origin, visitor: () => new Visitor(origin) }
}

export async function listen(app: RequestListener): Promise<Running> {
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    server,
    visitor: () => new Visitor(origin),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Accepts Ada with the password "lovelace", and nobody else. */
export const passwords = Credentials({
  credentials: { username: { label: 'User name' }, password: { label: 'Password', type: 'password' } },
  authorize: ({ username, password }) =>
    username === 'ada' && password === 'lovelace'
      ? { id: '1815', name: 'Ada', email: 'ada@example.com', image: null }
      : null,
})

export const ADA = { username: 'ada', password: 'lovelace' }

/** A configuration that signs Ada in, quietly. Its logger gets each fault, however often it happens. */
export function testConfig(more: Partial<AuthConfig> = {}): AuthConfig {
  return {
    providers: [passwords],
    secret: SECRET,
    logger: createLog().logger,
    logging: { repeatInterval: 0 },
    ...more,
  }
}

/** An Express app with Latchkey at `/auth`. */
export async function startApp(
  config: AuthConfig = testConfig(),
  extend: (app: Express) => void = () => {},
): Promise<Running> {
  const app = express()
  app.use('/auth', expressAuth(config))
  extend(app)
  return listen(app)
}
