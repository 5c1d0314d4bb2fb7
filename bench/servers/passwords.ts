import { monitorEventLoopDelay } from 'node:perf_hooks'
import express from 'express'
import { type AuthConfig, expressAuth, requireAuth, setPassword } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import Email from 'latchkey/providers/email'
import Passkey from 'latchkey/providers/passkey'
import Password, { argon2Hashes, bcryptHashes, djangoHashes, type HashImporter } from 'latchkey/providers/password'
import { SECRET, userOf } from '../people.js'

/** A kind of stored hash. `latchkey` needs no importer. */
export type HashFormat = 'latchkey' | 'bcrypt' | 'argon2' | 'django'

/** Options of the server. */
export interface PasswordOptions {
  /** How the passwords of people are stored. All people have the password of the benchmark. */
  readonly format: HashFormat
  readonly people: number
}

export const PASSWORD = 'copper lantern under seven bridges'

/** Where the server says how late its event loop was, and how much memory it had at most, since it was asked last. */
export const STRAIN = '/strain'

/** The answer of {@link STRAIN}: milliseconds, and MiB. */
export interface Strain {
  readonly delay99: number
  readonly longestDelay: number
  readonly memory: number
}

/** Passwords that Latchkey keeps, and a guarded route. */
export async function serve(origin: string, { format, people }: PasswordOptions): Promise<express.Express> {
  const adapter = memoryAdapter()
  const { importers, hash } = await HASHES[format]()
  const mails = Email({ sendVerificationRequest() {}, sendNotification() {} })
  const config: AuthConfig = {
    adapter,
    providers: [Password({ importers }), mails, Passkey()],
    secret: SECRET,
    url: origin,
    // What they cost is measured elsewhere, and one client sends thousands of tries.
    limits: false,
    logger: { error() {}, warn() {}, debug() {} },
  }
  for (let person = 0; person < people; person += 1) {
    await adapter.createUser({ ...userOf(person), emailVerified: new Date() })
    await setPassword(config, { userId: String(person), ...(hash ? { hash } : { password: PASSWORD }) })
  }
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  let memory = 0
  const watch = () => {
    memory = Math.max(memory, process.memoryUsage.rss())
  }
  setInterval(watch, 5).unref()
  const app = express()
  app.get(STRAIN, (_req, res) => {
    watch()
    // The histogram counts from the resolution on, in nanoseconds.
    const strain: Strain = {
      delay99: delays.percentile(99) / 1e6,
      longestDelay: delays.max / 1e6,
      memory: memory / 2 ** 20,
    }
    delays.reset()
    memory = 0
    res.json(strain)
  })
  app.get('/hello', requireAuth(config), (_req, res) => void res.json({ hello: res.locals['session'].user?.name }))
  app.use('/auth', expressAuth(config))
  return app
}

/** The importers of a format, and a hash of {@link PASSWORD} in it; null for a hash of Latchkey. */
const HASHES: Readonly<Record<HashFormat, () => Promise<{ importers: Importers; hash: string | null }>>> = {
  latchkey: async () => ({ importers: [], hash: null }),
  async bcrypt() {
    const { compare, hash } = await import('bcryptjs')
    const made = await hash(PASSWORD, 6)
    return { importers: [{ ...bcryptHashes(compare), sample: await hash('another one', 6) }], hash: made }
  },
  async argon2() {
    const { hash, verify } = await import('@node-rs/argon2')
    const cost = { memoryCost: 8192, timeCost: 2 }
    const sample = await hash('another one', cost)
    return { importers: [{ ...argon2Hashes(verify), sample }], hash: await hash(PASSWORD, cost) }
  },
  async django() {
    const { pbkdf2Sync } = await import('node:crypto')
    const made = (password: string) =>
      `pbkdf2_sha256$20000$saltofbench$${pbkdf2Sync(password, 'saltofbench', 20_000, 32, 'sha256').toString('base64')}`
    return { importers: [{ ...djangoHashes(), sample: made('another one') }], hash: made(PASSWORD) }
  },
}

type Importers = readonly HashImporter[]
