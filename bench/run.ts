import { writeFile } from 'node:fs/promises'
import { cpus, release, type } from 'node:os'
import { parseArgs } from 'node:util'
import { renderGoals, renderReport, renderSection, withAlignedColumns } from './report.js'
import type { Measure, Results, Section } from './results.js'

/**
 * The files of `sections/` in the order of the report. The others come only with `--only`: `instructions` needs valgrind and takes
 * minutes, `revocation-cost` is a part of `guard`, `password-storm` and `same-answer` use all cores, and the last takes ten minutes.
 */
const SECTIONS = ['guard', 'endpoints', 'sign-in', 'scale', 'memory', 'revocation', 'import', 'install']

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } })
const { quick, only } = values
const sections: Section[] = []
for (const id of only?.split(',') ?? SECTIONS) {
  console.log(`Measuring ${id}`)
  try {
    const { measure }: { measure: Measure } = await import(`./sections/${id}.js`)
    const section = await measure(quick)
    sections.push(section)
    console.log(withAlignedColumns(`\n${renderSection(section)}\n`))
  } catch (error) {
    console.error(`${id} could not be measured.`, error)
    process.exitCode = 1
  }
}
const goals = sections.flatMap((section) => section.goals)
if (goals.length > 0) console.log(withAlignedColumns(`${renderGoals(goals)}\n`))
if (quick) console.log('A quick run shows that everything works. Its figures are rough.')
else if (only === undefined && sections.length === SECTIONS.length) {
  const system = `${type()} ${release()}`
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, system }
  const results: Results = { takenOn: new Date().toISOString(), machine, quick, sections }
  // This file is compiled to `bench/.built/`.
  await writeFile(new URL('../results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(new URL('../../docs/performance.md', import.meta.url), renderReport(results))
}
