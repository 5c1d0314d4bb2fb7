import { request } from 'undici'
import { Browser } from '../applications.js'
import { openConnections } from '../load.js'
import { userOf } from '../people.js'
import { type Measure, quartilesOf } from '../results.js'
import { withServers } from '../server.js'
import { PASSWORD, type PasswordOptions, STRAIN, type Strain } from '../servers/passwords.js'

/** What many sign-ins at once do to a server, and to those who are signed in. */
export const measure: Measure = async (quick) => {
  const atOnce = quick ? 10 : 200
  return withServers(async (start) => {
    const options: PasswordOptions = { format: 'latchkey', people: 1 }
    // On any core: hashing has threads of its own.
    const { origin } = await start('passwords', options, [process.execPath])
    const { email } = userOf(0)
    const browser = new Browser()
    const { csrfToken } = JSON.parse((await browser.send(`${origin}/auth/csrf`)).body)
    const form = { csrfToken, email, password: PASSWORD }
    const signIn = async () => {
      const from = performance.now()
      const own = new Browser()
      for (const [name, value] of browser.cookiesOf(origin)) own.cookiesOf(origin).set(name, value)
      const { status, location } = await own.send(`${origin}/auth/callback/password`, form)
      const isIn = status === 302 && !location?.includes('error')
      return { isIn, milliseconds: performance.now() - from, own }
    }
    const { own } = await signIn()
    const cookie = own.headerFor(origin)
    const readStrain = async () => (await (await request(`${origin}${STRAIN}`)).body.json()) as Strain
    /** Milliseconds that each request of somebody who is signed in takes, until the work is done. */
    const guardDuring = async (work: Promise<unknown>) => {
      const get = openConnections(origin, 1)('/hello', [cookie], /hello/)
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      const waits: number[] = []
      while (!isDone) {
        const from = performance.now()
        await get(1)
        waits.push(performance.now() - from)
        // Without a pause, the two would take all cores by themselves.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await done
      return waits
    }
    const calm = await guardDuring(new Promise((resolve) => setTimeout(resolve, quick ? 300 : 3000)))
    const before = await readStrain()
    const from = performance.now()
    const all = Promise.all(Array.from({ length: atOnce }, signIn))
    const waits = await guardDuring(all)
    const results = await all
    const last = performance.now() - from
    const during = await readStrain()
    const inTime = results.filter(({ isIn }) => isIn)
    const row = (name: string, strain: Strain, guard: readonly number[], more: readonly string[]) => ({
      name,
      cells: [
        ...more,
        quartilesOf(guard),
        quartilesOf([Math.max(...guard)]),
        quartilesOf([strain.delay99]),
        quartilesOf([strain.longestDelay]),
        quartilesOf([strain.memory]),
      ],
    })
    return {
      id: 'password-storm',
      title: 'A storm of sign-ins with passwords',
      how: `${atOnce} people send the right password in the same moment. Two hashes are computed at a time; what has waited for 15 seconds is refused with 503. Meanwhile somebody who is signed in requests a guarded route, with 20 ms between an answer and the next request. The server may use all cores.`,
      columns: [
        'let in',
        'until the last answer, s',
        'guarded route, ms',
        'its longest, ms',
        'event loop late, 99 %, ms',
        'at most, ms',
        'resident at most, MiB',
      ],
      rows: [
        row('before', before, calm, ['', '']),
        row('during', during, waits, [`${inTime.length} of ${atOnce}`, (last / 1000).toFixed(1)]),
      ],
      goals: [],
    }
  })
}
