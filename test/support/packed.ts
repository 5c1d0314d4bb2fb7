import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ROOT } from '../docs/documents.js'

const run = promisify(execFile)

/** What npm tells its scripts is about this project, not about the ones that tests make. */
export const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|NODE_V8_COVERAGE|AUTH_)/i.test(name)),
)

/** Runs npm in a folder. */
export const npm = (cwd: string, args: string[]) =>
  run('npm', args, { cwd, env: ENVIRONMENT, maxBuffer: 16 * 1024 * 1024 })

/** The package as it is published. */
export interface Packed {
  readonly tarball: string
  /** Paths of its files. */
  readonly files: readonly string[]
  /** In bytes. */
  readonly size: number
  readonly unpackedSize: number
}

/** The packed package of each state of the sources, for all processes of a run, and for the next run. */
const FOLDER = join(ROOT, '.tmp/packed')
const LOCK = join(FOLDER, 'lock')
const SOURCES = ['lib', 'views', 'scripts', ...readdirSync(ROOT).filter((name) => /\.(md|json)$/.test(name))]

let made: Promise<Packed> | undefined

/** Builds and packs the package, once for a state of its sources. */
export function packed(): Promise<Packed> {
  made ??= packedSources()
  return made
}

async function packedSources(): Promise<Packed> {
  const folder = join(FOLDER, hashOfSources())
  const about = join(folder, 'packed.json')
  mkdirSync(FOLDER, { recursive: true })
  while (!existsSync(about)) {
    // The build writes into `dist/`, so one process at a time.
    if (!take(LOCK)) {
      await sleep(100)
      continue
    }
    try {
      if (!existsSync(about)) writeFileSync(about, JSON.stringify(await pack(folder)))
    } finally {
      rmSync(LOCK)
    }
  }
  return JSON.parse(readFileSync(about, 'utf8'))
}

/** Takes the lock, unless another process has it; one whose process is gone counts for nothing. */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    const holder = existsSync(lock) ? readFileSync(lock, 'utf8') : ''
    if (holder !== '' && !isRunning(Number(holder))) rmSync(lock, { force: true })
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    const path = join(ROOT, source)
    const below = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }).sort() : ['']
    for (const file of below.map((name) => join(path, name)).filter((name) => statSync(name).isFile())) {
      hash.update(`${file}\0`).update(readFileSync(file))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

async function pack(folder: string): Promise<Packed> {
  const older = readdirSync(FOLDER).filter((name) => join(FOLDER, name) !== LOCK)
  for (const name of older) rmSync(join(FOLDER, name), { recursive: true, force: true })
  mkdirSync(folder)
  const { stdout } = await npm(ROOT, ['pack', '--json', '--pack-destination', folder])
  // The build prints before the list.
  const [{ filename, files, size, unpackedSize }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[]; size: number; unpackedSize: number },
  ]
  return { tarball: join(folder, filename), files: files.map(({ path }) => path), size, unpackedSize }
}
