import { memoryAdapter } from '../../lib/adapters/memory.js'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { expressAuth } from '../../lib/index.js'
import Nodemailer from '../../lib/providers/mail/nodemailer.js'
import Passkey from '../../lib/providers/passkey.js'

const config = {
  secret: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH',
  url: 'http://localhost:3000',
  adapter: memoryAdapter(),
}

/** What an application does at its start, by the package that it needs. */
const STARTS: Readonly<Record<string, () => unknown>> = {
  pg: () => sqlAdapter({ url: 'postgres://127.0.0.1:1/x' }),
  mysql2: () => sqlAdapter({ url: 'mysql://127.0.0.1:1/x' }),
  libsql: () => sqlAdapter({ sqlite: ':memory:' }),
  kysely: () => sqlAdapter({ url: 'postgres://127.0.0.1:1/x' }),
  redis: () => redisAdapter({ url: 'redis://127.0.0.1:1' }),
  nodemailer: () =>
    expressAuth({ ...config, providers: [Nodemailer({ server: 'smtp://x.example', from: 'a@b.example' })] }),
  '@simplewebauthn/server': () => expressAuth({ ...config, providers: [Passkey()] }),
}

try {
  STARTS[String(process.argv[2])]?.()
  console.log('it starts')
} catch (error) {
  console.log((error as Error).message)
}
