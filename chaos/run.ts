import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Experiment } from './experiment.js'
import { deadConnection } from './experiments/dead-connection.js'
import { frozenStore, storeDown } from './experiments/outage.js'
import { providerDown } from './experiments/provider-down.js'
import { signUp } from './experiments/sign-up.js'
import { type Finding, holds } from './finding.js'
import { openLab, type Servers } from './harness/lab.js'
import { endWithProgram } from './harness/lifetime.js'
import { atMost } from './harness/wait.js'

/** All experiments, in the order of the report. */
const EXPERIMENTS: Readonly<Record<string, Experiment>> = {
  'sign-up': signUp,
  'dead-connection': deadConnection,
  'frozen-store': frozenStore,
  'store-down': storeDown,
  'provider-down': providerDown,
}

/** Minutes after which the whole program ends in any case. */
const LIMIT_MINUTES = 10

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    package: { type: 'string', default: join(import.meta.dirname, '..') },
    source: { type: 'boolean', default: false },
  },
})
const names = values.only?.split(',') ?? Object.keys(EXPERIMENTS)
const chosen = names.map((name) => ({ name, experiment: experimentOf(name) }))
const modules = resolve(values.package, values.source ? 'lib' : 'dist')

endWithProgram()
const start = performance.now()
const findings: Finding[] = []
let tried = 0
const servers: Servers = new Map()
setTimeout(() => finish(`Ended after ${LIMIT_MINUTES} minutes.`), LIMIT_MINUTES * 60_000)
console.log(`Tested: ${modules}`)
for (const { name, experiment } of chosen) {
  findings.push(...(await perform(name, experiment)))
  tried += 1
}
finish()

function experimentOf(name: string): Experiment {
  const experiment = EXPERIMENTS[name]
  if (experiment) return experiment
  console.error(`There is no experiment ${name}. There are ${Object.keys(EXPERIMENTS).join(', ')}.`)
  process.exit(2)
}

/** Runs an experiment, and prints what it found. */
async function perform(name: string, experiment: Experiment): Promise<readonly Finding[]> {
  const began = performance.now()
  const { lab, close } = openLab(modules, servers, (text) => showProgress(`${name}: ${text}`))
  const work = atMost(experiment.limit * 1000, `"${name}"`, experiment.run(lab))
  const found = await work.catch((error: Error) => {
    // The experiment may have left a store frozen or stopped, so the next experiment gets another one.
    servers.clear()
    return [holds('the experiment comes to its end', false, error.message, 'an end')]
  })
  await atMost(30_000, 'Clearing up', close()).catch(() => undefined)
  showProgress('')
  console.log(`\n${name}: ${experiment.title} (${Math.round((performance.now() - began) / 1000)} s)`)
  for (const { what, measured, wanted, holds } of found) {
    const verdict = holds === undefined ? '     ' : holds ? 'holds' : 'FAILS'
    console.log(`  ${verdict}  ${what}: ${measured}${wanted === undefined ? '' : ` (wanted: ${wanted})`}`)
  }
  return found
}

function finish(reason?: string): never {
  if (reason) console.error(`\n${reason}`)
  const asked = findings.filter((finding) => finding.holds !== undefined)
  const failed = asked.filter((finding) => !finding.holds)
  const left = chosen.length - tried
  console.log(`\n${asked.length - failed.length} of ${asked.length} hold${left > 0 ? `; ${left} not tried` : ''}.`)
  console.log(`Took ${Math.round((performance.now() - start) / 1000)} s.`)
  process.exit(failed.length > 0 || left > 0 ? 1 : 0)
}

/** Shows a line that the next one replaces. Writes nothing if the output is not a terminal. */
function showProgress(text: string): void {
  if (!process.stdout.isTTY) return
  process.stdout.write(`\r\u001b[2K${text.slice(0, (process.stdout.columns ?? 80) - 1)}`)
}
