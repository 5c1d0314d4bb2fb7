import { Browser } from '../applications.js'
import { userOf } from '../people.js'
import { type Measure, quartilesOf, type Row } from '../results.js'
import { withServers } from '../server.js'
import { type HashFormat, PASSWORD } from '../servers/passwords.js'

/** What is asked about a person who exists, and about one who does not. */
interface Route {
  readonly name: string
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

const SIGN_IN: Route = { name: 'sign-in', path: 'callback/password', fields: { password: `not ${PASSWORD}` } }
const ROUTES: readonly Route[] = [
  { name: 'link for a password', path: 'password', fields: {} },
  { name: 'mailed sign-in link', path: 'signin/email', fields: {} },
]
const FORMATS: readonly HashFormat[] = ['latchkey', 'bcrypt', 'argon2', 'django']

/** How often each is asked. With hashes of other packages a try takes two hashes. */
const TRIES = { own: 2000, imported: 500 }

/** Whether the time of an answer says if somebody has an address (PWD-10). */
export const measure: Measure = async (quick) => {
  const rows: Row[] = []
  for (const format of FORMATS) {
    await withServers(async (start) => {
      const tries = quick ? 20 : TRIES[format === 'latchkey' ? 'own' : 'imported']
      const { origin } = await start('passwords', { format, people: 1 }, [process.execPath])
      for (const route of format === 'latchkey' ? [SIGN_IN, ...ROUTES] : [SIGN_IN]) {
        rows.push(rowOf(`${route.name}${route === SIGN_IN ? `, ${format}` : ''}`, await timesOf(origin, route, tries)))
      }
    })
  }
  return {
    id: 'same-answer',
    title: 'The same answer for known and unknown addresses',
    how: `Each route is asked ${TRIES.own} times about somebody who has an account and ${TRIES.own} times about somebody who has none; ${TRIES.imported} times each with hashes of other packages. There are two requests at a time, in an order by chance. A sign-in has a wrong password. "p" is that of a Mann–Whitney test: how often chance alone moves the two as far apart. "Shift" is the difference of the medians.`,
    columns: ['known, ms', 'unknown, ms', 'shift, ms', 'p'],
    rows,
    goals: [],
  }
}

interface Times {
  readonly known: number[]
  readonly unknown: number[]
}

async function timesOf(origin: string, { path, fields }: Route, tries: number): Promise<Times> {
  const browser = new Browser()
  const { csrfToken } = JSON.parse((await browser.send(`${origin}/auth/csrf`)).body)
  const times: Times = { known: [], unknown: [] }
  const ask = async (kind: keyof Times) => {
    const { email } = userOf(kind === 'known' ? 0 : 99_999)
    const own = new Browser()
    for (const [name, value] of browser.cookiesOf(origin)) own.cookiesOf(origin).set(name, value)
    const from = performance.now()
    const { status } = await own.send(`${origin}/auth/${path}`, { csrfToken, email, ...fields })
    times[kind].push(performance.now() - from)
    if (status !== 302) throw new Error(`${path} answered ${status}.`)
  }
  const order = Array.from({ length: tries }, () => (['known', 'unknown'] as const).toSorted(() => Math.random() - 0.5))
  const kinds = order.flat()
  // The first answers load code.
  await Promise.all([ask('known'), ask('unknown')])
  times.known.length = 0
  times.unknown.length = 0
  const work = async () => {
    for (let kind = kinds.pop(); kind; kind = kinds.pop()) await ask(kind)
  }
  await Promise.all([work(), work()])
  return times
}

function rowOf(name: string, { known, unknown }: Times): Row {
  const [a, b] = [quartilesOf(known), quartilesOf(unknown)]
  return { name, cells: [a, b, quartilesOf([a.median - b.median]), chance(known, unknown).toFixed(3)] }
}

/** Two-sided p of the Mann–Whitney test, by the normal distribution; there are many values, and hardly two equal ones. */
function chance(left: readonly number[], right: readonly number[]): number {
  const ranked = [
    ...left.map((value) => ({ value, isLeft: true })),
    ...right.map((value) => ({ value, isLeft: false })),
  ]
    .toSorted((a, b) => a.value - b.value)
    .map(({ isLeft }, index) => (isLeft ? index + 1 : 0))
  const rankSum = ranked.reduce((sum, rank) => sum + rank, 0)
  const u = rankSum - (left.length * (left.length + 1)) / 2
  const mean = (left.length * right.length) / 2
  const deviation = Math.sqrt((mean * (left.length + right.length + 1)) / 6)
  return 2 * upperTail(Math.abs(u - mean) / deviation)
}

/** The share of the normal distribution above z (Abramowitz and Stegun 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum
}
