import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { goal, type Measure, type Row } from '../results.js'

/** What is installed beside Express. An empty list stands for Latchkey as it is built now. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  Latchkey: [],
  '@auth/express': ['@auth/express'],
  'better-auth': ['better-auth'],
  'express-openid-connect': ['express-openid-connect'],
  'passport and express-session': ['passport', 'express-session'],
  'iron-session': ['iron-session'],
}
const BENCH = fileURLToPath(new URL('../../', import.meta.url))

/** What `npm install` of each package adds to an application with Express. */
export const measure: Measure = async (quick) => {
  const { dependencies } = JSON.parse(await readFile(join(BENCH, 'package.json'), 'utf8'))
  const pinned = (name: string) => `${name}@${dependencies[name]}`
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-install-'))
  try {
    npm(join(BENCH, '..'), 'pack', '--ignore-scripts', '--pack-destination', folder)
    const packed = join(folder, (await readdir(folder))[0] ?? '')
    const alone = await install(await mkdtemp(join(folder, 'app-')), [pinned('express')])
    const rows: Row[] = []
    for (const [name, packages] of Object.entries(CASES).slice(0, quick ? 1 : undefined)) {
      const own = packages.length === 0 ? [packed] : packages.map(pinned)
      const all = await install(await mkdtemp(join(folder, 'app-')), [pinned('express'), ...own])
      const megabytes = (all.megabytes - alone.megabytes).toFixed(1)
      rows.push({ name, cells: [String(all.packages - alone.packages), megabytes] })
    }
    const what = "run-time packages installed by `npm i latchkey` beyond Express's own"
    return {
      id: 'install',
      title: 'Installed size',
      how: `npm installs each package beside Express into an empty folder, Latchkey from the file that \`npm pack\` makes. The figures are what comes on top of the ${alone.packages} packages and ${alone.megabytes.toFixed(1)} MB of Express alone. Sizes are those of the files.`,
      columns: ['packages', 'MB'],
      rows,
      goals: [goal(what, 'at most', 20, 'packages', Number(rows[0]?.cells[0]))],
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })

/** Installs packages into an empty folder, and counts packages and the sizes of all files. */
async function install(cwd: string, packages: readonly string[]) {
  npm(cwd, 'install', '--prefix', cwd, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...packages)
  const modules = join(cwd, 'node_modules')
  const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'))
  const files = (await readdir(modules, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  return { packages: Object.keys(lock.packages).length, megabytes: sizes.reduce((sum, size) => sum + size, 0) / 1e6 }
}
