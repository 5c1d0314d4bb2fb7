import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Experiment } from './experiment.js'
import { holds } from './finding.js'
import { openLab, type Servers } from './harness/lab.js'
import { endWithProgram } from './harness/lifetime.js'
import { atMost } from './harness/wait.js'
import { EXPERIMENTS } from './names.js'
import { keepResults, type Report } from './report.js'

/** Minutes after which the whole program ends in any case. */
const LIMIT_MINUTES = 10

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    package: { type: 'string', default: join(import.meta.dirname, '..') },
    source: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const chosen = values.only?.split(',') ?? EXPERIMENTS
const unknown = chosen.filter((name) => !EXPERIMENTS.some((known) => known === name))
if (unknown.length > 0) {
  console.error(`There is no experiment ${unknown.join(', ')}. There are ${EXPERIMENTS.join(', ')}.`)
  process.exit(2)
}
const modules = resolve(values.package, values.source ? 'lib' : 'dist')

endWithProgram()
const start = performance.now()
const reports: Report[] = []
const servers: Servers = new Map()
setTimeout(() => finish(`Ended after ${LIMIT_MINUTES} minutes.`), LIMIT_MINUTES * 60_000)
console.log(`Tested: ${modules}`)
for (const name of chosen) {
  const report = await perform(name)
  reports.push(report)
  print(report)
}
await finish()

async function perform(name: string): Promise<Report> {
  const began = performance.now()
  const { experiment }: { experiment: Experiment } = await import(`./experiments/${name}.js`)
  const { lab, close } = openLab(modules, servers, (text) => showProgress(`${name}: ${text}`))
  const work = atMost(experiment.limit * 1000, `"${name}"`, experiment.run(lab))
  const findings = await work.catch((error: Error) => {
    // The experiment may have left a store frozen or stopped, so the next experiment gets another one.
    servers.clear()
    return [holds('the experiment comes to its end', false, error.message, 'an end')]
  })
  await atMost(30_000, 'Clearing up', close()).catch(() => undefined)
  showProgress('')
  return { name, title: experiment.title, seconds: Math.round((performance.now() - began) / 1000), findings }
}

function print({ name, title, seconds, findings }: Report): void {
  console.log(`\n${name}: ${title} (${seconds} s)`)
  for (const { what, measured, wanted, holds } of findings) {
    const verdict = holds === undefined ? '     ' : holds ? 'holds' : 'FAILS'
    console.log(`  ${verdict}  ${what}: ${measured}${wanted === undefined ? '' : ` (wanted: ${wanted})`}`)
  }
}

async function finish(reason?: string): Promise<never> {
  if (reason) console.error(`\n${reason}`)
  const asked = reports.flatMap(({ findings }) => findings).filter((finding) => finding.holds !== undefined)
  const failed = asked.filter((finding) => !finding.holds)
  const left = chosen.length - reports.length
  console.log(`\n${asked.length - failed.length} of ${asked.length} hold${left > 0 ? `; ${left} not tried` : ''}.`)
  console.log(`Took ${Math.round((performance.now() - start) / 1000)} s.`)
  if (values.json) await keepResults(values.json, reports)
  process.exit(failed.length > 0 || left > 0 ? 1 : 0)
}

/** Shows a line that the next one replaces. Writes nothing if the output is not a terminal. */
function showProgress(text: string): void {
  if (!process.stdout.isTTY) return
  process.stdout.write(`\r\u001b[2K${text.slice(0, (process.stdout.columns ?? 80) - 1)}`)
}
