import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { goal, type Measure, quartilesOf } from '../results.js'
import { nodeOn } from '../server.js'

/** What a process imports after Express. The compiled file is in `bench/.built/sections/`. */
const CASES = {
  'Express alone': [],
  Latchkey: ['latchkey'],
  'Latchkey and one provider': ['latchkey', 'latchkey/providers/google'],
  '@auth/express': ['@auth/express'],
  'better-auth': ['better-auth', 'better-auth/node'],
  'express-openid-connect': ['express-openid-connect'],
  'passport and express-session': ['express-session', 'passport'],
  'iron-session': ['iron-session'],
}
const bench = fileURLToPath(new URL('../../', import.meta.url))

/** How long a process takes to import each package. */
export const measure: Measure = async (quick) => {
  const rounds = quick ? 1 : 7
  const times: number[][] = Object.values(CASES).map(() => [])
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, modules] of Object.values(CASES).entries()) {
      const code = ['express', ...modules].map((name) => `import '${name}'`).join('\n')
      const [program = '', ...args] = [...nodeOn('server'), '--input-type=module', '--eval', code]
      const start = performance.now()
      execFileSync(program, args, { cwd: bench, stdio: ['ignore', 'ignore', 'inherit'] })
      // The first round brings the files into the cache of the system.
      if (round > 0) times[index]?.push(performance.now() - start)
    }
  }
  const above = times.map((own) => quartilesOf(own.map((time, round) => time - (times[0]?.[round] ?? Number.NaN))))
  return {
    id: 'import',
    title: 'Cold import',
    how: `Each of ${rounds} rounds starts one process for each line, with the files in the cache of the system. A process imports Express first, and then the package. Its time is from its start to its end. The first column is the difference to the process of the same round that imports Express alone.`,
    columns: ['above Express, ms', 'whole process, ms'],
    rows: Object.keys(CASES).map((name, index) => {
      return { name, cells: [index === 0 ? null : (above[index] ?? null), quartilesOf(times[index] ?? [])] }
    }),
    goals: [goal("cold `import 'latchkey'` above `import 'express'`", 'at most', 15, 'ms', above[1]?.median)],
  }
}
