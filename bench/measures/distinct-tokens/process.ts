import { setImmediate } from 'node:timers/promises'
import type { Middleware } from '../../../dist/index.js'
import { loadLatchkey } from '../../harness/latchkey.js'
import { emailIn, passThrough } from '../../loop/exchange.js'
import { report, taskOf } from '../../loop/pinned.js'
import { cookieHeader, createMint, emailOf, SECRET } from '../../loop/tokens.js'

/** The process when it has seen so many tokens. */
export interface Filled {
  readonly tokens: number
  /** Bytes of the heap above those of the beginning. */
  readonly heap: number
  /** µs of CPU time per request, since the number before. */
  readonly cpu: number
}

const BATCH = 1000

const { requireAuth } = await loadLatchkey()
const mint = await createMint(SECRET)
const makeGuard = () => requireAuth({ providers: [], secret: SECRET, trustHost: true })
// What the first requests make lazily is not what is looked for; what they leave in a cache goes with their guard.
await show(makeGuard(), 0, BATCH)
const guard = makeGuard()
const before = await heapUsed()

const filled: Filled[] = []
let shown = 0
for (const tokens of taskOf<readonly number[]>()) {
  let cpu = 0
  const first = shown
  for (; shown < tokens; shown += BATCH) cpu += await show(guard, shown, BATCH)
  filled.push({ tokens, heap: (await heapUsed()) - before, cpu: cpu / (shown - first) })
}
report(filled)

/** Shows new tokens to the guard, and gives the CPU time that it took; making the tokens is not in it. */
async function show(through: Middleware, first: number, count: number): Promise<number> {
  const cookies = Array.from({ length: count }, (_, index) => cookieHeader(mint(first + index)))
  const start = process.cpuUsage()
  for (const [index, cookie] of cookies.entries()) {
    const email = emailIn(await passThrough(through, cookie))
    if (email !== emailOf(first + index)) throw new Error(`${emailOf(first + index)} came through as ${String(email)}.`)
  }
  const { user, system } = process.cpuUsage(start)
  return user + system
}

async function heapUsed(): Promise<number> {
  if (!global.gc) throw new Error('The process needs --expose-gc.')
  // Several times, with turns between them: some of what is garbage is let go of by finalizers only.
  for (let run = 0; run < 4; run++) {
    global.gc()
    await setImmediate()
  }
  return process.memoryUsage().heapUsed
}
