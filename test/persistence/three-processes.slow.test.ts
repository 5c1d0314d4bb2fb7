import { Agent, request } from 'node:http'
import { expect } from 'chai'
import { skipSuite } from '../adapters/redis/servers.js'
import { type ChildApp, startChild } from '../support/child-app.js'
import { STOPPABLE_STORES, type StoppableStore } from '../support/stoppable-stores.js'
import { Visitor } from '../support/visitor.js'

/** Seconds between two look-ups of one session. */
const CHECK_EVERY = 1
/** Requests while sessions are revoked; the most where the store is quickest, to keep the test short. */
const REQUESTS = { PostgreSQL: 2000, MariaDB: 2000, Redis: 10_000 }
const PARALLEL = 16

/** A request with the session of a person, and what came of it. */
interface Try {
  readonly person: string
  /** When it began, milliseconds. */
  readonly time: number
  readonly status: number
}

const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL })

const statusOf = (origin: string, cookie: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request(`${origin}/private`, { agent, headers: { cookie } }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
    })
    asked.once('error', reject).end()
  })

for (const [name, open] of Object.entries(STOPPABLE_STORES)) {
  describe(`three processes with revocable token sessions, over one ${name}`, () => {
    const apps: ChildApp[] = []
    let store: StoppableStore | undefined
    let origins: readonly string[] = []

    before(async function () {
      this.timeout(120_000)
      const opened = await open()
      if (typeof opened === 'string') return skipSuite(this, opened)
      store = opened
      const variables = { STORE_URL: store.url, CHECK_EVERY: String(CHECK_EVERY) }
      const start = async () => {
        const app = await startChild('revocable-app.ts', variables)
        apps.push(app)
        return app.origin
      }
      origins = await Promise.all([start(), start(), start()])
    })
    after(async () => {
      await Promise.all(apps.map((app) => app.stop()))
      await store?.remove()
    })

    /** Signs a person in at the first process; gives the cookies. */
    const signIn = async (person: string): Promise<string> => {
      const visitor = new Visitor(origins[0] ?? '')
      await visitor.post('/auth/callback/credentials', { csrfToken: await visitor.csrfToken(), name: person })
      return visitor.cookieHeader()
    }

    const everywhere = (cookie: string) => Promise.all(origins.map((origin) => statusOf(origin, cookie)))

    it('SESS-14: let no request of a revoked session pass after the interval, whichever process gets it', async function () {
      this.timeout(120_000)
      const people = Array.from({ length: 12 }, (_, index) => `person-${index}`)
      const leaving = new Set(people.filter((_, index) => index % 2 === 0))
      const cookies = new Map<string, string>()
      for (const person of people) cookies.set(person, await signIn(person))
      for (const cookie of cookies.values()) expect(await everywhere(cookie)).to.deep.equal([200, 200, 200])

      const tries: Try[] = []
      const revokedAt = new Map<string, number>()
      const total = REQUESTS[name as keyof typeof REQUESTS]
      const isDone = () => tries.length >= total && lastRevocation() + 2 * CHECK_EVERY * 1000 < performance.now()
      const lastRevocation = () =>
        revokedAt.size < leaving.size ? Number.POSITIVE_INFINITY : Math.max(...revokedAt.values())
      const worker = async (_: unknown, index: number) => {
        for (let round = index; !isDone(); round += 1) {
          const person = people[round % people.length] ?? ''
          const origin = origins[Math.floor(round / people.length) % origins.length] ?? ''
          const time = performance.now()
          tries.push({ person, time, status: await statusOf(origin, cookies.get(person) ?? '') })
        }
      }
      const revokeAll = async () => {
        for (const [index, person] of [...leaving].entries()) {
          while (tries.length < ((index + 1) * total) / 10) await new Promise((done) => setTimeout(done, 5))
          const process = new Visitor(origins[index % origins.length] ?? '')
          const isSignOut = index % 2 === 0
          if (isSignOut) {
            for (const pair of (cookies.get(person) ?? '').split('; ')) {
              const at = pair.indexOf('=')
              process.jar.set(pair.slice(0, at), pair.slice(at + 1))
            }
            await process.post('/auth/signout', { csrfToken: await process.csrfToken() })
          } else await process.post(`/revoke-all/${person}`, {})
          revokedAt.set(person, performance.now())
        }
      }
      await Promise.all([revokeAll(), ...Array.from({ length: PARALLEL }, worker)])

      expect(tries.length).to.be.at.least(total)
      const late = tries.filter(
        ({ person, time, status }) =>
          status !== 401 && time > (revokedAt.get(person) ?? Number.POSITIVE_INFINITY) + CHECK_EVERY * 1000,
      )
      expect(late, 'requests that passed').to.deep.equal([])
      const refused = tries.filter(({ person, status }) => !leaving.has(person) && status !== 200)
      expect(refused, 'requests of people who did not leave').to.deep.equal([])
      const after = tries.filter(({ person, status }) => leaving.has(person) && status === 401)
      expect(after.length, 'refusals that were seen').to.be.greaterThan(50)
    })

    it('SESS-15: answer 503 while the store is stopped, and then go on, for those who did not leave', async function () {
      this.timeout(120_000)
      const stays = await signIn('stays')
      const leaves = await signIn('leaves')
      for (const cookie of [stays, leaves]) expect(await everywhere(cookie)).to.deep.equal([200, 200, 200])
      const leaver = new Visitor(origins[1] ?? '')
      await leaver.post('/revoke-all/leaves', {})
      await store?.stop()
      await new Promise((done) => setTimeout(done, CHECK_EVERY * 1000 + 100))
      expect(await everywhere(stays), 'store stopped').to.deep.equal([503, 503, 503])
      const ended = await everywhere(leaves)
      expect(ended.includes(200), 'a revoked session passed').to.equal(false)
      await store?.start()
      for (let tries = 0; tries < 100 && (await everywhere(stays)).includes(503); tries += 1) {
        await new Promise((done) => setTimeout(done, 100))
      }
      expect(await everywhere(stays), 'store started again').to.deep.equal([200, 200, 200])
      expect(await everywhere(leaves)).to.deep.equal([401, 401, 401])
    })
  })
}
