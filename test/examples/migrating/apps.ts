import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RunningExample, runExample } from '../../support/run-example.js'
import { Visitor } from '../../support/visitor.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const TSCONFIG = 'examples/migrating/tsconfig.json'

/** Which package the application uses: the old one, both, or Latchkey. */
export type Side = 'before' | 'between' | 'after'

/** Starts an application before or after its move, as a developer does. Its imports of the package lead to lib/. */
export const startApp = (name: string, side: Side, env: Record<string, string>) =>
  runExample(`examples/migrating/${name}/${side}/app.ts`, { TSX_TSCONFIG_PATH: TSCONFIG, ...env })

/** What the compiler says of all these applications. They are compiled apart, because each adds members to types. */
export function complaintsOfCompiler(name: string): string {
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '-p', TSCONFIG], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return stdout
    .split('\n')
    .filter((line) => line.includes(`examples/migrating/${name}/`))
    .join('\n')
}

/** The same browser at the address of another application: cookies of a host do not belong to a port. */
export function moved(visitor: Visitor, { url }: Pick<RunningExample, 'url'>): Visitor {
  const same = new Visitor(url)
  for (const [name, value] of visitor.jar) same.jar.set(name, value)
  return same
}
