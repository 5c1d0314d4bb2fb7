import { readFile, writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parseSetCookie } from 'cookie'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { Auth, type AuthConfig } from '../../lib/index.js'
import type { Provider } from '../../lib/providers/provider.js'
import {
  type FakeOpenIdProvider,
  fakeOpenIdProvider,
  type TestClock,
  type TestMailbox,
  testClock,
  testMailbox,
} from '../../lib/testing/index.js'
import { migratedDatabase, sqlite, type TestDatabase } from '../adapters/sql/databases.js'
import { testConfig } from './app.js'

/** The address of the application. */
export const FORMS_ORIGIN = 'https://app.example'
const TABLES = [
  'users',
  'accounts',
  'sessions',
  'token_sessions',
  'verification_token',
  'authenticators',
  'latchkey_records',
]
/** Coarse enough for a slow machine. */
const STEP_MINUTES = 5

/** The ways to keep sessions; `adapter` is an adapter for a SQL database. */
const SESSIONS: Readonly<Record<string, (adapter: AuthConfig['adapter']) => Partial<AuthConfig>>> = {
  'in tokens, without a store': () => ({}),
  'in tokens': (adapter) => ({ adapter, session: { strategy: 'jwt', remember: { maxAge: 90 * 24 * 60 * 60 } } }),
  'in tokens that can be revoked': (adapter) => ({
    adapter,
    session: { strategy: 'jwt', revocation: { store: adapter as NonNullable<typeof adapter>, checkEvery: 0 } },
  }),
  'in a store': (adapter) => ({
    adapter,
    session: { strategy: 'database', remember: { maxAge: 90 * 24 * 60 * 60 } },
  }),
}

/** The cookies and the rows that one step wrote, with a description in place of each value that differs from run to run. */
type Written = readonly string[]

const relative = (date: Date) => {
  const steps = Math.round((date.getTime() - Date.now()) / (STEP_MINUTES * 60 * 1000))
  return `now + ${steps * STEP_MINUTES} min`
}

function described(value: unknown): string {
  const text = String(value)
  if (/^eyJ[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return 'JWE'
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/.test(text)) return relative(new Date(text))
  if (typeof value === 'number' && value > 1e9) return relative(new Date(value * 1000))
  return text
    .replaceAll(/\b\d{10}\b/g, (seconds) => `<${relative(new Date(Number(seconds) * 1000))}>`)
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<UUID>')
    .replaceAll(/[\w+/=-]{20,}/g, (run) => `<${/^[\da-f]+$/.test(run) ? 'hex' : 'base64'}, ${run.length}>`)
}

function describedCookie(line: string): string {
  const { name, value = '', expires, ...attributes } = parseSetCookie(line, { decode: (text) => text })
  const all = { ...attributes, ...(expires && { expires: expires.getTime() === 0 ? 'the epoch' : relative(expires) }) }
  const words = Object.entries(all).map(([attribute, is]) => (is === true ? attribute : `${attribute}=${is}`))
  // The end of a name that is one of several tells one attempt from the other.
  return [`cookie ${name.replace(/\.[\w-]{8}$/, '.<attempt>')}=${described(value)}`, ...words.sort()].join('; ')
}

const describedRow = (row: Record<string, unknown>) =>
  Object.entries(row)
    .filter(([, value]) => value !== null)
    .map(([column, value]) => `${column}=${described(value)}`)
    .join(', ')

/** Rows of all tables by what tells one from the others. */
async function rowsOf({ run }: TestDatabase): Promise<Map<string, Record<string, unknown>>> {
  const rows = new Map<string, Record<string, unknown>>()
  for (const table of TABLES) {
    for (const row of await run(`select rowid as "#", * from ${table}`)) {
      const { '#': number, ...columns } = row
      rows.set(`${table} ${number}`, columns)
    }
  }
  return rows
}

async function changes(database: TestDatabase, before: Awaited<ReturnType<typeof rowsOf>>): Promise<string[]> {
  const after = await rowsOf(database)
  const lines: string[] = []
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(key), after.get(key)]
    const table = key.split(' ')[0]
    if (!is) lines.push(`deleted from ${table}`)
    else if (!was) lines.push(`new in ${table}: ${describedRow(is)}`)
    else {
      const changed = Object.entries(is).filter(([column, value]) => value !== was[column])
      if (changed.length > 0) lines.push(`changed in ${table}: ${describedRow(Object.fromEntries(changed))}`)
    }
  }
  return lines.sort()
}

/** A browser, whose answers are described under the names of their steps; without a name, they are not. */
interface Browser {
  readonly send: (step: string | null, path: string, form?: Record<string, string>) => Promise<Response>
  readonly post: (step: string | null, path: string, form: Record<string, string>) => Promise<Response>
  /** Signs in at the provider; `step` becomes two, one for the way there and one for the way back. */
  readonly atProvider: (step: string | null) => Promise<Response>
}

/** What a flow is made of. */
interface FlowParts {
  readonly browser: () => Browser
  readonly provider: FakeOpenIdProvider
  readonly mailbox: TestMailbox
  readonly clock: TestClock
}

/** Some flows, and a file of all that they write. */
interface Flows {
  /** `WRITE_FORMS=1` writes it anew: then its difference belongs to the change that made it. */
  readonly file: URL
  /** The provider that they sign in with where there is a store, beside those that every one has. */
  readonly more?: () => Provider
  /** Options of the OpenID provider. */
  readonly entry?: Parameters<FakeOpenIdProvider['entry']>[0]
  readonly run: (parts: FlowParts, hasStore: boolean) => Promise<unknown>
}

/** Goes through flows, and gives what each step writes. */
async function writtenBy(
  { more, entry, run }: Flows,
  options: (typeof SESSIONS)[string],
  hasStore: boolean,
): Promise<Record<string, Written>> {
  const written: Record<string, Written> = {}
  const clock = testClock()
  const database = await migratedDatabase(sqlite)
  const adapter = sqlAdapter(database.connection)
  const provider = await fakeOpenIdProvider({ user: { sub: 'ada', name: 'Ada', email: 'ada@example.com' } })
  const mailbox = testMailbox()
  const { providers: passwords, ...config } = testConfig({ url: FORMS_ORIGIN, ...options(adapter) })
  const users = hasStore ? [mailbox.provider(), ...(more ? [more()] : [])] : []
  // In a store, a session belongs to a user who is in it.
  const ofStore = hasStore ? { id: '1815', name: 'Ada', email: 'password@example.com', emailVerified: null } : null
  if (ofStore) await adapter.createUser(ofStore)
  // Counters and the cookie of a known browser are new: they have tests of their own.
  const all: AuthConfig = { ...config, limits: false, providers: [...passwords, provider.entry(entry), ...users] }

  const browser = (): Browser => {
    const jar = new Map<string, string>()
    const send = async (step: string | null, path: string, form?: Record<string, string>) => {
      clock.advance({ minutes: 1 })
      const before = await rowsOf(database)
      const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
      const body = form && new URLSearchParams(form)
      const answer = await Auth(
        new Request(new URL(path, FORMS_ORIGIN), {
          headers: { cookie },
          method: form ? 'POST' : 'GET',
          ...(body && { body }),
        }),
        all,
      )
      const lines = answer.headers.getSetCookie()
      for (const line of lines) {
        const { name, value = '', maxAge } = parseSetCookie(line, { decode: (text) => text })
        if (maxAge === 0) jar.delete(name)
        else jar.set(name, value)
      }
      if (step) {
        written[step] = [...lines.map(describedCookie).sort(), ...(await changes(database, before))]
      }
      return answer
    }
    const post = async (step: string | null, path: string, form: Record<string, string>) => {
      const { csrfToken } = (await (await send(null, '/auth/csrf')).json()) as { csrfToken: string }
      return send(step, path, { csrfToken, ...form })
    }
    const atProvider = async (step: string | null) => {
      const { headers } = await post(step && `${step}: goes there`, '/auth/signin/fake', { callbackUrl: '/after' })
      return send(step && `${step}: comes back`, (await provider.visit(headers.get('location'))).href)
    }
    return { send, post, atProvider }
  }

  try {
    await run({ browser, provider, mailbox, clock }, hasStore)
  } finally {
    clock.restore()
    await provider.close()
    await adapter.close()
    await database.drop()
  }
  return written
}

/** Says that flows write what they wrote, with every way to keep sessions. */
export function keepForms(flows: Flows): void {
  const forms: Record<string, Record<string, Written>> = {}

  for (const [name, options] of Object.entries(SESSIONS)) {
    it(`with sessions ${name}`, async function () {
      this.timeout(120_000)
      const written = await writtenBy(flows, options, name !== 'in tokens, without a store')
      forms[name] = written
      if (process.env['WRITE_FORMS']) return
      const kept = JSON.parse(await readFile(flows.file, 'utf8')) as typeof forms
      expect(written).to.deep.equal(kept[name])
    })
  }

  after(async () => {
    if (process.env['WRITE_FORMS']) await writeFile(flows.file, `${JSON.stringify(forms, null, 2)}\n`)
  })
}
