import { nodeOn } from '../harness/cores.js'
import { interleave } from '../harness/rounds.js'
import { spreadOf } from '../harness/spread.js'
import type { Measure, Row, Spread } from '../section.js'
import { type Loaded, listLoaded } from './import/loaded.js'
import { CASES, type ImportCase, writeScripts } from './import/scripts.js'
import { type Start, startOnce } from './import/start.js'

const GOAL_MS = 15
const EXPRESS = 1

interface Timed {
  readonly subject: ImportCase
  /** Milliseconds above the same round's process that imports Express alone. */
  readonly above: Spread | null
  readonly cpu: Spread
  readonly whole: Spread
  readonly loaded: Loaded
}

/** How long a process takes to import each package, and how much it reads for that. */
export const measure: Measure = async ({ quick, progress }) => {
  const files = await writeScripts()
  const subjects = CASES.map((subject, index) => ({ ...subject, file: files[index] ?? '' }))
  const loaded: Loaded[] = []
  // Before the rounds, so that they find every file in the system's cache.
  for (const { file, name } of subjects) {
    progress(`files of ${name}`)
    loaded.push(await listLoaded(file))
  }
  const starts = await interleave(subjects, quick ? 2 : 5, progress, ({ file }) => startOnce(nodeOn('server', [file])))
  const express = starts[EXPRESS] ?? []
  const timed = subjects.map((subject, index) => timedOf(subject, starts[index] ?? [], express, loaded[index]))

  const latchkey = timed.find(({ subject }) => subject.isGoal)?.above
  return {
    id: 'import',
    title: 'Cold import',
    how:
      'Each round starts one new process on one core for each line, in turn, with warm file caches; a process imports Express first, and then ' +
      "the package. Its time is from the start of the process to its end; the first column is the difference to the same round's process " +
      'that imports Express alone. Files and sizes are of JavaScript; where Express comes first, they are what comes on top of it.',
    columns: ['above Express, ms', 'whole process, ms', 'CPU, ms', 'files', 'kB'],
    rows: timed.map((line) => rowOf(line, timed[EXPRESS]?.loaded)),
    goals: latchkey
      ? [
          {
            name: "cold `import 'latchkey'` above `import 'express'`",
            unit: 'ms',
            limit: GOAL_MS,
            is: 'at most',
            reached: latchkey.median,
          },
        ]
      : [],
  }
}

function timedOf(subject: ImportCase, starts: readonly Start[], express: readonly Start[], loaded?: Loaded): Timed {
  const differences = starts.map(({ elapsed }, round) => elapsed - (express[round]?.elapsed ?? Number.NaN))
  return {
    subject,
    above: subject.imports.length < 2 ? null : spreadOf(differences),
    cpu: spreadOf(starts.map(({ cpu }) => cpu)),
    whole: spreadOf(starts.map(({ elapsed }) => elapsed)),
    loaded: loaded ?? { files: 0, bytes: 0 },
  }
}

function rowOf({ subject, above, whole, cpu, loaded }: Timed, express: Loaded | undefined): Row {
  const own = subject.imports.length < 2 ? loaded : minus(loaded, express)
  return { name: subject.name, cells: [above, whole, cpu, String(own.files), String(Math.round(own.bytes / 1000))] }
}

const minus = (whole: Loaded, part: Loaded | undefined): Loaded => ({
  files: whole.files - (part?.files ?? 0),
  bytes: whole.bytes - (part?.bytes ?? 0),
})
