import pg from 'pg'
import { createClient } from 'redis'
import { PG_ADAPTER_TABLES } from '../../test/adapters/authjs/postgres.js'
import type { Store } from '../app/settings.js'
import type { Experiment, Lab } from '../experiment.js'
import { all, type Finding, none, told } from '../finding.js'
import type { App } from '../harness/app.js'
import { Browser, errorOf, inWords, tally } from '../harness/browser.js'
import { newPerson, type Person, type Provider } from '../harness/provider.js'
import type { StoreProxy } from '../harness/proxy.js'
import type { Server } from '../harness/servers.js'
import { eachOf, pause, until } from '../harness/wait.js'

/** How many people sign up at the same time, in each round. */
const PEOPLE = 40
/** The fault in each round, while they sign up. */
const ROUNDS: readonly Round[] = ['kill at', 'restart at', 'kill', 'kill at', 'kill', 'kill']

/** With `at`, the fault happens when all sign-ups have stored the user and not the account. Without it, they are at any point. */
type Round = 'kill at' | 'restart at' | 'kill'

/** The error for a person whose address another user has. It must not happen because of the person's own incomplete sign-up. */
const REFUSAL = 'OAuthAccountNotLinked'

/** The counts of rows in a store. */
interface Rows {
  readonly users: number
  readonly accounts: number
  readonly usersWithoutAccount: number
}

/** A store in which people sign up. */
interface Case {
  readonly name: string
  readonly server: Server
  readonly store: (port: number) => Store
  /** Whether the provider says that addresses are verified. */
  readonly isVerified: boolean
  /** The faults, one in each round. */
  readonly rounds: readonly Round[]
  /** A pattern of the statement that writes an account. Everything before this statement is stored by then. */
  readonly account: RegExp
  /** Delay of the store in milliseconds before a fault with `at`, so that all sign-ups reach the same point. */
  readonly delayMs: number
  count(): Promise<Rows>
  close(): Promise<void>
}

export const signUp: Experiment = {
  title: 'the process is killed, or the store restarted, while people sign up; each of them tries again',
  limit: 240,
  async run(lab) {
    const provider = await lab.provider()
    const findings: Finding[] = []
    for (const open of [ownSql, redis, authjsVerified, authjs]) {
      const one = await open(lab)
      lab.afterwards(one.close)
      findings.push(...(await tryStore(lab, provider, one)))
    }
    return findings
  },
}

async function tryStore(lab: Lab, provider: Provider, one: Case): Promise<Finding[]> {
  const proxy = await lab.proxyBefore(one.server)
  const settings = { issuer: provider.issuer, store: one.store(proxy.port), strategy: 'database' } as const
  const outcomes: string[] = []
  let left = 0
  let people = 0
  for (const round of one.rounds) {
    lab.progress(`${one.name}, ${people} people so far`)
    const app = await lab.app(settings)
    const before = (await one.count()).usersWithoutAccount
    const crowd = Array.from({ length: PEOPLE }, () => newPerson(one.isVerified))
    people += PEOPLE
    await interrupted(app, provider, proxy, one, crowd, round)
    proxy.holdAt = null
    proxy.delayMs = 0
    left += (await one.count()).usersWithoutAccount - before
    const again = app.hasEnded ? await lab.appAgain(app) : app
    outcomes.push(...(await eachOf(crowd, 8, (person) => tryAgain(again, provider, person))))
    await again.kill()
  }
  const rows = await one.count()
  const linked = outcomes.filter((outcome) => outcome === REFUSAL).length
  const signedIn = outcomes.filter((outcome) => outcome === 'signed in').length
  const { name } = one
  return [
    told(`${name}: users that were without an account after a fault`, left),
    none(`${name}: people refused with ${REFUSAL} when they try again`, linked, people),
    all(`${name}: people who are signed in when they try again`, signedIn, people),
    ...(signedIn < people ? [told(`${name}: what they got`, tally(outcomes))] : []),
    none(`${name}: users without an account at the end`, rows.usersWithoutAccount),
    none(
      `${name}: surplus or missing users and accounts`,
      Math.abs(rows.users - people) + Math.abs(rows.accounts - people),
    ),
  ]
}

const kindOf = (person: Person): 'oidc' | 'oauth' => (Number(person.sub.split('-').at(-1)) % 2 ? 'oidc' : 'oauth')

/** All people come back from the provider at the same time, and the fault happens before they get an answer. */
async function interrupted(app: App, provider: Provider, proxy: StoreProxy, one: Case, crowd: Person[], round: Round) {
  const origins = () => app.origin
  const ready = await eachOf(crowd, 8, async (person) => {
    const browser = new Browser(origins, 10_000)
    const path = await browser.goTo(provider, person, kindOf(person))
    if (typeof path !== 'string') throw new Error(`A sign-in could not begin: ${inWords(path)}.`)
    return { browser, path }
  })
  const isTargeted = round !== 'kill'
  proxy.delayMs = isTargeted ? one.delayMs : 20
  proxy.holdAt = isTargeted ? one.account : null
  let answered = 0
  const answers = eachOf(ready, PEOPLE, async ({ browser, path }) => {
    if (!isTargeted) await pause(Math.random() * 500)
    await browser.get(path)
    answered += 1
  })
  if (isTargeted) await allHeld(proxy)
  else await until(() => answered > PEOPLE / 4, 10_000, 2)
  if (round === 'restart at') await one.server.crash()
  else await app.kill()
  await answers
  if (round === 'restart at') await one.server.start()
}

/** Waits until the proxy holds no further connection. */
async function allHeld(proxy: StoreProxy): Promise<void> {
  await until(() => proxy.held > 0, 8000, 5)
  let before = 0
  while (proxy.held > before) {
    before = proxy.held
    await pause(250)
  }
}

/** A person who sees a fault tries again, until the application has its store back. A refusal is final. */
async function tryAgain(app: App, provider: Provider, person: Person): Promise<string> {
  let outcome = ''
  for (let tries = 0; tries < 5 && outcome !== 'signed in' && outcome !== REFUSAL; tries += 1) {
    if (tries > 0) await pause(1000)
    const refusal = await new Browser(() => app.origin).signIn(provider, person, kindOf(person))
    outcome = refusal === null ? 'signed in' : (errorOf(refusal) ?? inWords(refusal))
  }
  return outcome
}

const ACCOUNT_STATEMENT = /insert into "?accounts"?/i

async function ownSql(lab: Lab): Promise<Case> {
  const server = await lab.server('PostgreSQL')
  const database = await server.createDatabase()
  await lab.migrate(server.url(database))
  return {
    name: 'our SQL adapter on PostgreSQL',
    server,
    store: (port) => ({ kind: 'sql', url: server.url(database, port), max: PEOPLE }),
    isVerified: false,
    rounds: ROUNDS,
    account: ACCOUNT_STATEMENT,
    delayMs: 0,
    ...counting(server.url(database)),
  }
}

/** This adapter cannot store a sign-up in one step, and chooses the ids of users itself. */
async function authjsVerified(lab: Lab): Promise<Case> {
  const server = await lab.server('PostgreSQL')
  const database = await server.createDatabase()
  const pool = poolOf(server.url(database))
  await pool.query(PG_ADAPTER_TABLES)
  await pool.end()
  return {
    name: '@auth/pg-adapter, addresses verified',
    server,
    store: (port) => ({ kind: 'authjs', url: server.url(database, port), max: PEOPLE }),
    isVerified: true,
    rounds: ROUNDS,
    account: ACCOUNT_STATEMENT,
    delayMs: 0,
    ...counting(server.url(database)),
  }
}

/** The provider has not verified the address, so nothing identifies a user whose id the process did not learn: docs/guides/adapters.md. */
async function authjs(lab: Lab): Promise<Case> {
  const rounds = ['kill at', 'restart at', 'kill at'] as const
  return { ...(await authjsVerified(lab)), name: '@auth/pg-adapter, addresses not verified', isVerified: false, rounds }
}

function poolOf(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1 })
  pool.on('error', () => undefined)
  return pool
}

function counting(url: string): Pick<Case, 'count' | 'close'> {
  const pool = poolOf(url)
  const number = async (statement: string) =>
    Number((await pool.query(`select count(*) as found ${statement}`)).rows[0].found)
  return {
    count: async () => ({
      users: await number('from users'),
      accounts: await number('from accounts'),
      usersWithoutAccount: await number(
        'from users u where not exists (select from accounts a where a."userId" = u.id)',
      ),
    }),
    close: () => pool.end(),
  }
}

async function redis(lab: Lab): Promise<Case> {
  const server = await lab.server('Redis')
  await server.createDatabase()
  const client = createClient({ url: server.url('') })
  client.on('error', () => undefined)
  await client.connect()
  const keys = async (pattern: string) => {
    const found = new Set<string>()
    for await (const some of client.scanIterator({ MATCH: `latchkey:${pattern}`, COUNT: 1000 }))
      for (const key of some) found.add(key)
    return [...found]
  }
  return {
    name: 'our Redis adapter',
    server,
    store: (port) => ({ kind: 'redis', url: server.url('', port) }),
    isVerified: false,
    rounds: ROUNDS,
    // A command that runs a script and names an account. Other commands may be in the same packet.
    account: /EVAL(?:SHA)?\r\n(?:(?!\r\n\*\d+\r\n).)*account:/is,
    // All sign-ups share one connection. With this delay, every user is stored when the first account is written.
    delayMs: 120,
    async count() {
      const users = await keys('{user:*}')
      const withAccounts = new Set((await keys('{user:*}:accounts')).map((key) => key.replace(/:accounts$/, '')))
      return {
        users: users.length,
        accounts: (await keys('account:*')).length,
        usersWithoutAccount: users.filter((key) => !withAccounts.has(key)).length,
      }
    },
    close: async () => client.destroy(),
  }
}
