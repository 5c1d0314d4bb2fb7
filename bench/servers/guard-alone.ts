import { randomUUID } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import express from 'express'
import { type AuthConfig, requireAuth } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import { encode } from 'latchkey/jwt'
import { SECRET, userOf } from '../people.js'

/** The connection of all requests: to make one for each would leave most of the garbage that is collected meanwhile. */
const socket = new Socket()

/** The cookies that a browser has beside the session. */
const OTHERS = '_ga=GA1.1.1184772904.1763712345; theme=dark; locale=en-GB'
const COOKIE = 'authjs.session-token'

/** CPU microseconds for one request: of the guard without revocation, and of another guard directly before or after it. */
export type GuardPair = readonly [plain: number, other: number]

/** The guards that are compared with the guard without revocation. */
export const COMPARED = ['same', 'every30', 'everyTime'] as const

/**
 * `GET /measure/:guard/:pairs/:requests` calls two guards in turn, without HTTP, and answers with the times. A call gets the
 * objects that Express gives to a middleware. They are made before the time is taken.
 */
export async function serve(_origin: string, { people }: { readonly people: number }): Promise<express.Express> {
  const cookies = await Promise.all(Array.from({ length: people }, (_, person) => cookieOf(person)))
  const plain: AuthConfig = { providers: [], secret: SECRET, trustHost: true }
  const revocable = (checkEvery: number) =>
    requireAuth({ ...plain, session: { revocation: { store: memoryAdapter(), checkEvery } } })
  const guard = requireAuth(plain)
  const others = { same: requireAuth({ ...plain }), every30: revocable(30), everyTime: revocable(0) }

  const app = express()
  let next = 0
  const makeCalls = (count: number) => Array.from({ length: count }, () => callOf(app, cookies[next++ % people] ?? ''))

  /** CPU microseconds for one request. */
  const timeOf = (layer: typeof guard, calls: readonly Call[]): number => {
    let passed = 0
    const pass = () => {
      passed += 1
    }
    const start = process.cpuUsage()
    for (const [req, res] of calls) layer(req, res, pass)
    const { user, system } = process.cpuUsage(start)
    // A guard that waits or refuses would be measured wrongly.
    if (passed !== calls.length) throw new Error(`${calls.length - passed} of ${calls.length} requests did not pass.`)
    return (user + system) / calls.length
  }

  // The first look-ups give promises: they register the sessions.
  for (const layer of Object.values(others)) {
    await Promise.all(cookies.map((cookie) => new Promise((pass) => void layer(...callOf(app, cookie), pass))))
  }
  app.get('/measure/:guard/:pairs/:requests', async ({ params }, res) => {
    const other = others[params.guard as keyof typeof others]
    const times: GuardPair[] = []
    for (let pair = 0; pair < Number(params.pairs); pair += 1) {
      const [first, second] = [makeCalls(Number(params.requests)), makeCalls(Number(params.requests))]
      // Both orders equally often: no guard always has the caches that the other one left.
      if (pair % 2 === 0) times.push([timeOf(guard, first), timeOf(other, second)])
      else times.push([timeOf(other, first), timeOf(guard, second)].toReversed() as unknown as GuardPair)
      await new Promise(setImmediate)
    }
    res.json(times)
  })
  return app
}

type Call = readonly [req: express.Request, res: express.Response]

/** What Express gives to a middleware. */
function callOf(app: express.Express, cookie: string): Call {
  const req = new IncomingMessage(socket)
  Object.assign(req, { method: 'GET', url: '/hello' })
  Object.assign(req.headers, { host: 'localhost', cookie, accept: '*/*' })
  const res = new ServerResponse(req)
  Object.setPrototypeOf(req, app.request)
  Object.setPrototypeOf(res, app.response)
  return [Object.assign(req, { res }), Object.assign(res, { req, locals: {} })] as unknown as Call
}

async function cookieOf(person: number): Promise<string> {
  const { id, name, email } = userOf(person)
  const token = { sub: id, name, email, jti: randomUUID() }
  return `${OTHERS}; ${COOKIE}=${await encode({ token, secret: SECRET, salt: COOKIE })}`
}
