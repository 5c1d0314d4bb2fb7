import { join } from 'node:path'
import type { Experiment, Lab } from '../experiment.js'
import { type Finding, holds, none, told, within } from '../finding.js'
import { measureLargeMigration } from '../large-migration.js'

const SESSIONS = { PostgreSQL: 1_000_000, MariaDB: 200_000 } as const
/** Seconds for which a transaction that began before the migration keeps its locks. */
const READER_SECONDS = 8
/** How long a visitor may wait for a statement. With the reading transaction, as long as the migration waits for a lock. */
const WAIT_MS = { alone: 1000, besideReader: 2500 } as const

export const experiment: Experiment = {
  title: `a database of Auth.js with ${SESSIONS.PostgreSQL.toLocaleString('en')} sessions is migrated while people use it`,
  limit: 150,
  async run(lab) {
    return [
      ...(await migrate(lab, 'PostgreSQL', 0)),
      ...(await migrate(lab, 'PostgreSQL', READER_SECONDS)),
      ...(await migrate(lab, 'MariaDB', 0)),
    ]
  },
}

async function migrate(lab: Lab, name: 'PostgreSQL' | 'MariaDB', readerSeconds: number): Promise<Finding[]> {
  const server = await lab.server(name)
  const url = server.url(await server.createDatabase())
  const title = readerSeconds > 0 ? `${name} beside a reader of ${readerSeconds} s` : name
  lab.progress(title)
  const isSource = lab.modules.endsWith('lib')
  const figures = await measureLargeMigration({
    engine: name === 'PostgreSQL' ? 'postgres' : 'mariadb',
    url,
    sessions: SESSIONS[name],
    readerSeconds,
    program: join(lab.modules, 'cli', isSource ? 'latchkey.ts' : 'latchkey.js'),
    onLine: (line) => lab.progress(`${title}: ${line}`),
  })
  const limit = readerSeconds > 0 ? WAIT_MS.besideReader : WAIT_MS.alone
  const { readSession, extendSession, signUp } = figures.during
  return [
    holds(`${title}: exit code`, figures.code === 0, String(figures.code), '0'),
    told(`${title}: takes`, `${Math.round(figures.seconds)} s`),
    within(`${title}: longest wait to read a session`, readSession, limit),
    within(`${title}: longest wait to renew a session`, extendSession, limit),
    within(`${title}: longest wait to sign up`, signUp, limit),
    none(`${title}: visitors' statements that failed`, figures.failed),
  ]
}
