import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Measure } from '../section.js'
import { benchFolder } from '../subject.js'
import { type Installed, install, packSubject } from './install/npm.js'

const GOAL_PACKAGES = 20

/** What `npm install` of each package adds to an application that has Express. */
export const measure: Measure = async ({ quick, progress }) => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-install-'))
  try {
    const version = await versions()
    const pinned = (...names: string[]) => names.map((name) => `${name}@${version(name)}`)
    const express = pinned('express')
    progress('packing Latchkey')
    const cases = [
      { name: 'Latchkey', packages: [await packSubject(folder)] },
      { name: '@auth/express', packages: pinned('@auth/express') },
      { name: 'better-auth', packages: pinned('better-auth') },
      { name: 'express-openid-connect', packages: pinned('express-openid-connect') },
      { name: 'passport and express-session', packages: pinned('passport', 'express-session') },
      { name: 'iron-session', packages: pinned('iron-session') },
    ]
    const alone = await install(folder, express)
    progress('installing')
    // At once: most of the time is spent waiting for the registry, and none of it is measured.
    const rows = await Promise.all(
      (quick ? cases.slice(0, 1) : cases).map(async ({ name, packages }) => ({
        name,
        added: minus(await install(folder, [...express, ...packages]), alone),
      })),
    )
    const latchkey = rows[0]?.added.packages ?? Number.NaN
    return {
      id: 'install',
      title: 'Installed size',
      how:
        'Each package is installed by npm, beside Express, into an empty folder, Latchkey from what `npm pack` makes of it. Counted is what ' +
        `comes on top of the ${alone.packages} packages and ${megabytes(alone)} MB that Express alone installs. Sizes are of the files.`,
      columns: ['packages', 'MB'],
      rows: rows.map(({ name, added }) => ({ name, cells: [String(added.packages), megabytes(added)] })),
      goals: [
        {
          name: "run-time packages installed by `npm i latchkey` beyond Express's own",
          unit: 'packages',
          limit: GOAL_PACKAGES,
          is: 'at most',
          reached: latchkey,
        },
      ],
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The versions that all other measurements are made with. */
async function versions(): Promise<(name: string) => string> {
  const { dependencies } = JSON.parse(await readFile(join(benchFolder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return (name) => {
    const version = dependencies[name]
    if (version === undefined) throw new Error(`bench/package.json has no version of ${name}.`)
    return version
  }
}

const minus = (whole: Installed, part: Installed): Installed => ({
  packages: whole.packages - part.packages,
  bytes: whole.bytes - part.bytes,
})

const megabytes = ({ bytes }: Installed) => (bytes / 1e6).toFixed(1)
