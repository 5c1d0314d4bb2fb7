import pg from 'pg'
import { createClient } from 'redis'
import type { Experiment, Lab } from '../experiment.js'
import { all, type Finding, holds, none, told, within } from '../finding.js'
import { type Answer, inWords, pathOf, tally } from '../harness/browser.js'
import { ask, signInMany, type Visitor } from '../harness/load.js'
import { textOf } from '../harness/page.js'
import { eachOf, until } from '../harness/wait.js'

/** How many people sign out with the form, and how many with a script. */
const PEOPLE = 10
/** How long the sessions may still exist after the store is back. */
const RETRY_MS = 45_000

/** A store of sessions, and how to read it without the application. */
interface Case {
  readonly server: Awaited<ReturnType<Lab['server']>>
  readonly store: { readonly kind: 'sql' | 'redis'; readonly url: string }
  countSessions(): Promise<number>
}

export const experiment: Experiment = {
  title: 'people sign out while the store is down; then it comes back, and nobody asks again',
  limit: 120,
  async run(lab) {
    // Both run at the same time, because each of them mostly waits.
    const [onOne, onOther] = await Promise.all([onPostgres(lab), onRedis(lab)])
    return (await Promise.all([tryStore(lab, onOne), tryStore(lab, onOther)])).flat()
  },
}

async function tryStore(lab: Lab, { server, store, countSessions }: Case): Promise<Finding[]> {
  const { name } = server
  lab.progress(name)
  const provider = await lab.provider()
  const app = await lab.app({ issuer: provider.issuer, strategy: 'database', store })
  const visitors = await signInMany(2 * PEOPLE, provider, () => app.origin)
  const copies = visitors.map(({ person, browser }): Visitor => ({ person, browser: browser.copy() }))
  await server.crash()
  const forms = await eachOf(visitors.slice(0, PEOPLE), 5, ({ browser }) => browser.post('/auth/signout'))
  const script = { headers: { 'x-auth-return-redirect': '1' } }
  const scripts = await eachOf(visitors.slice(PEOPLE), 5, ({ browser }) => browser.post('/auth/signout', {}, script))
  const page = await visitors[0]?.browser.get(pathOf(forms[0] as Answer))
  await server.start()
  const rowsGone = await until(async () => (await countSessions().catch(() => 1)) === 0, RETRY_MS, 200)
  const left = rowsGone === null ? await countSessions() : 0
  const asCopies = await Promise.all(copies.map(ask))
  await app.kill()
  return [
    told(`${name}: forms are answered with`, tally(forms.map(inWords))),
    told(`${name}: the text of the page`, page ? textOf(page) : ''),
    all(
      `${name}: forms whose answer says so`,
      forms.filter((answer) => inWords(answer).includes('error=')).length,
      PEOPLE,
    ),
    all(`${name}: scripts that get 503`, scripts.filter(({ status }) => status === 503).length, PEOPLE),
    none(
      `${name}: browsers that keep the cookie`,
      visitors.filter(({ browser }) => browser.isSignedIn).length,
      visitors.length,
    ),
    none(`${name}: sessions that remain in the store`, left, visitors.length),
    within(`${name}: the last of them is gone after`, rowsGone, RETRY_MS),
    holds(
      `${name}: copies of the cookies at the end`,
      asCopies.every(({ verdict, answer }) => verdict === 'wrong' && answer.status !== 0),
      tally(asCopies.map(({ answer }) => inWords(answer))),
      'refused',
    ),
  ]
}

async function onPostgres(lab: Lab): Promise<Case> {
  const server = await lab.server('PostgreSQL')
  const url = server.url(await server.createDatabase())
  await lab.migrate(url)
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  lab.afterwards(() => pool.end())
  const countSessions = async () => Number((await pool.query('select count(*) as found from sessions')).rows[0].found)
  return { server, store: { kind: 'sql', url }, countSessions }
}

async function onRedis(lab: Lab): Promise<Case> {
  const server = await lab.server('Redis')
  await server.createDatabase()
  const url = server.url('')
  const client = createClient({ url, socket: { reconnectStrategy: 50 } })
  client.on('error', () => undefined)
  await client.connect()
  lab.afterwards(async () => client.destroy())
  const countSessions = async () => (await client.keys('latchkey:session:*')).length
  return { server, store: { kind: 'redis', url }, countSessions }
}
