import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { goal, type Measure } from '../results.js'

/** The compiled file is in `bench/.built/sections/`. */
const bench = fileURLToPath(new URL('../../', import.meta.url))

/** What `npm install` of each package adds to an application with Express. */
export const measure: Measure = async (quick) => {
  const { dependencies: versions } = JSON.parse(await readFile(join(bench, 'package.json'), 'utf8'))
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-install-'))
  const install = async (name: string, packages: readonly string[]) => {
    const cwd = join(folder, name.replaceAll('/', '-'))
    await mkdir(cwd)
    const pinned = ['express', ...packages].map((one) =>
      versions[one] && one !== 'latchkey' ? `${one}@${versions[one]}` : one,
    )
    npm(cwd, 'install', '--prefix', cwd, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...pinned)
    return contentOf(join(cwd, 'node_modules'))
  }
  try {
    // Latchkey as it is built now. Its scripts would build it again.
    npm(join(bench, '..'), 'pack', '--ignore-scripts', '--pack-destination', folder)
    const packed = join(folder, (await readdir(folder))[0] ?? '')
    const alone = await install('Express alone', [])
    const cases = Object.entries({
      Latchkey: [packed],
      '@auth/express': ['@auth/express'],
      'better-auth': ['better-auth'],
      'express-openid-connect': ['express-openid-connect'],
      'passport and express-session': ['passport', 'express-session'],
      'iron-session': ['iron-session'],
    }).slice(0, quick ? 1 : undefined)
    const rows: { name: string; packages: number; megabytes: number }[] = []
    for (const [name, packages] of cases) {
      const all = await install(name, packages)
      rows.push({ name, packages: all.packages - alone.packages, megabytes: all.megabytes - alone.megabytes })
    }
    return {
      id: 'install',
      title: 'Installed size',
      how: `npm installs each package beside Express into an empty folder, Latchkey from the file that \`npm pack\` makes. The figures are what comes on top of the ${alone.packages} packages and ${alone.megabytes.toFixed(1)} MB of Express alone. Sizes are those of the files.`,
      columns: ['packages', 'MB'],
      rows: rows.map(({ name, packages, megabytes }) => ({ name, cells: [String(packages), megabytes.toFixed(1)] })),
      goals: [
        goal(
          "run-time packages installed by `npm i latchkey` beyond Express's own",
          'at most',
          20,
          'packages',
          rows[0]?.packages,
        ),
      ],
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })

async function contentOf(modules: string): Promise<{ packages: number; megabytes: number }> {
  const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'))
  const files = (await readdir(modules, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  return { packages: Object.keys(lock.packages).length, megabytes: sizes.reduce((sum, size) => sum + size, 0) / 1e6 }
}
