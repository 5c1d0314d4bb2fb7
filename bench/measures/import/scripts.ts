import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { benchFolder, builtFile } from '../../subject.js'

/** What a process imports. */
export interface ImportCase {
  readonly name: string
  /** Names of packages, in the order in which an application would import them. */
  readonly imports: readonly string[]
  /** Whether the project has set itself a goal for it. */
  readonly isGoal?: true
}

const built = (path: string) => pathToFileURL(builtFile(path)).href
const latchkey = built('index.js')

/** The second is what the others are compared with. */
export const CASES: readonly ImportCase[] = [
  { name: 'nothing', imports: [] },
  { name: 'Express alone', imports: ['express'] },
  { name: 'Latchkey', imports: ['express', latchkey], isGoal: true },
  {
    name: 'Latchkey and one provider',
    imports: ['express', latchkey, built('providers/catalogue/google.js')],
  },
  { name: '@auth/express', imports: ['express', '@auth/express'] },
  { name: 'better-auth', imports: ['express', 'better-auth', 'better-auth/node'] },
  { name: 'express-openid-connect', imports: ['express', 'express-openid-connect'] },
  { name: 'passport and express-session', imports: ['express', 'express-session', 'passport'] },
  { name: 'iron-session', imports: ['express', 'iron-session'] },
]

/**
 * Writes a script for each case.
 *
 * @returns their files: below the folder whose `node_modules` has the packages, since a script finds those from where it is
 */
export async function writeScripts(): Promise<string[]> {
  const folder = join(benchFolder, '.built', 'scripts')
  await mkdir(folder, { recursive: true })
  return Promise.all(
    CASES.map(async ({ imports }, index) => {
      const file = join(folder, `import-${index}.mjs`)
      await writeFile(file, imports.map((name) => `import '${name}'\n`).join(''))
      return file
    }),
  )
}
