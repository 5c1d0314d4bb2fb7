import { writeFile } from 'node:fs/promises'
import { cpus, release, type } from 'node:os'
import { parseArgs } from 'node:util'
import { goalsAsText, sectionAsText } from './harness/print.js'
import type { Measure, Results, Section } from './section.js'
import { linkDependencies } from './subject.js'

/** All sections, in the order of the report; each is a file of `measures/`. */
const SECTIONS = [
  'guard',
  'endpoints',
  'sign-in',
  'scale',
  'distinct-tokens',
  'memory',
  'import',
  'install',
  'floors',
  'instructions',
] as const

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})
/** What is measured only when it is asked for by name, since it needs a tool of its own and takes minutes. */
const SPECIAL: readonly string[] = ['instructions']
/** What a quick run leaves out, since it takes long to say little. */
const SLOW: readonly string[] = ['distinct-tokens', 'memory', 'install']
const chosen =
  values.only?.split(',') ?? SECTIONS.filter((id) => !SPECIAL.includes(id) && !(values.quick && SLOW.includes(id)))
const unknown = chosen.filter((id) => !SECTIONS.some((known) => known === id))
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(', ')}. There are ${SECTIONS.join(', ')}.`)
  process.exit(2)
}

const start = performance.now()
await linkDependencies()
const sections: Section[] = []
const failed: string[] = []
const took: string[] = []
for (const id of chosen) {
  const began = performance.now()
  try {
    const { measure }: { measure: Measure } = await import(`./measures/${id}.js`)
    const section = await measure({ quick: values.quick, progress: (text) => showProgress(`${id}: ${text}`) })
    sections.push(section)
    showProgress('')
    console.log(sectionAsText(section))
  } catch (error) {
    failed.push(id)
    showProgress('')
    console.error(`\n${id} could not be measured.`, error)
  }
  took.push(`${id} ${Math.round((performance.now() - began) / 1000)} s`)
}
const goals = sections.flatMap((section) => section.goals)
if (goals.length > 0) console.log(goalsAsText(goals))
if (values.quick)
  console.log('A quick run shows that everything works. Its figures are rough: servers are still warming up.')
if (failed.length > 0) {
  console.error(`Not measured: ${failed.join(', ')}.`)
  process.exitCode = 1
} else if (!values.quick && values.only === undefined) {
  await keep(sections)
}
console.log(`\nTook ${Math.round((performance.now() - start) / 1000)} s: ${took.join(', ')}.`)

/** Keeps a whole run, for the report and for comparisons. */
async function keep(sections: readonly Section[]): Promise<void> {
  const results: Results = {
    takenOn: new Date().toISOString(),
    machine: {
      node: process.version,
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      system: `${type()} ${release()}`,
    },
    quick: false,
    sections,
  }
  await writeFile(new URL('../results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`)
  const { writeReport } = await import('./report/report.js')
  await writeReport(results)
}

/** One line that is written over; nothing where nobody watches. */
function showProgress(text: string): void {
  if (!process.stdout.isTTY) return
  process.stdout.write(`\r\u001b[2K${text.slice(0, (process.stdout.columns ?? 80) - 1)}`)
}
