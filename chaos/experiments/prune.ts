import mysql from 'mysql2/promise'
import pg from 'pg'
import type { Experiment, Lab } from '../experiment.js'
import { type Finding, holds, inSeconds, none, told, within } from '../finding.js'
import { countOf, longest, signInMany, startLoad } from '../harness/load.js'
import { pause } from '../harness/wait.js'

/** Number of expired sessions, and of expired mailed links. */
const EXPIRED = 100_000
const ALIVE = 20_000
/** How long a visitor may wait during the deletion, on a busy machine. */
const ANSWER_MS = 1000

/** Runs statements in a database with the tables of the package. */
interface Database {
  run(statement: string): Promise<unknown>
  count(statement: string): Promise<number>
}

export const experiment: Experiment = {
  title: `${EXPIRED.toLocaleString('en')} expired sessions and as many expired links are deleted while people use the application`,
  limit: 150,
  async run(lab) {
    return [...(await tryServer(lab, 'PostgreSQL')), ...(await tryServer(lab, 'MariaDB'))]
  },
}

async function tryServer(lab: Lab, name: 'PostgreSQL' | 'MariaDB'): Promise<Finding[]> {
  lab.progress(name)
  const provider = await lab.provider()
  const server = await lab.server(name)
  const url = server.url(await server.createDatabase())
  await lab.migrate(url)
  const { run, count } = name === 'PostgreSQL' ? openPostgres(lab, url) : openMariaDB(lab, url)
  await fill(run, name)
  const app = await lab.app({ issuer: provider.issuer, strategy: 'database', store: { kind: 'sql', url } })
  const visitors = await signInMany(8, provider, () => app.origin)
  const load = startLoad(visitors, 20)
  await pause(500)
  const began = performance.now()
  const { code, output } = await lab.command(['prune', '--database', url])
  const took = performance.now() - began
  await load.stop()
  const expired = 'where expires < current_timestamp'
  const sessions = await count(`sessions ${expired}`)
  const links = await count(`verification_token ${expired}`)
  const alive = await count('sessions where expires > current_timestamp')
  await app.kill()
  return [
    holds(`${name}: exit code of "latchkey prune"`, code === 0, String(code), '0'),
    told(`${name}: its last line`, output.trim().split('\n').at(-1)?.slice(0, 160) ?? ''),
    told(`${name}: duration`, inSeconds(took)),
    none(`${name}: expired sessions that are left`, sessions, EXPIRED),
    none(`${name}: expired links that are left`, links, EXPIRED),
    none(`${name}: valid sessions that are missing`, ALIVE + visitors.length - alive),
    none(`${name}: wrong answers meanwhile`, load.samples.length - countOf(load.samples, 'right'), load.samples.length),
    within(`${name}: longest wait of a visitor`, longest(load.samples), ANSWER_MS),
  ]
}

async function fill(run: Database['run'], name: string): Promise<void> {
  const isPostgres = name === 'PostgreSQL'
  const quoted = (column: string) => (isPostgres ? `"${column}"` : `\`${column}\``)
  const series = (count: number) => (isPostgres ? `generate_series(1, ${count}) as series (seq)` : `seq_1_to_${count}`)
  const ago = isPostgres ? `now() - interval '10 days'` : 'now() - interval 10 day'
  const ahead = isPostgres ? `now() + interval '10 days'` : 'now() + interval 10 day'
  await run(`insert into users (id, name) values ('somebody', 'Ada')`)
  const columns = `(${quoted('sessionToken')}, ${quoted('userId')}, expires)`
  await run(`insert into sessions ${columns} select concat('old-', seq), 'somebody', ${ago} from ${series(EXPIRED)}`)
  await run(`insert into sessions ${columns} select concat('good-', seq), 'somebody', ${ahead} from ${series(ALIVE)}`)
  await run(
    `insert into verification_token (identifier, token, expires) select concat('person', seq, '@example.com'), concat('token-', seq), ${ago} from ${series(EXPIRED)}`,
  )
}

function openPostgres(lab: Lab, url: string): Database {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  lab.afterwards(() => pool.end())
  return {
    run: (statement) => pool.query(statement),
    count: async (what) => Number((await pool.query(`select count(*) as found from ${what}`)).rows[0].found),
  }
}

function openMariaDB(lab: Lab, url: string): Database {
  const pool = mysql.createPool({ uri: url, connectionLimit: 1 })
  lab.afterwards(() => pool.end())
  return {
    run: (statement) => pool.query(statement),
    async count(what) {
      const [rows] = await pool.query<mysql.RowDataPacket[]>(`select count(*) as found from ${what}`)
      return Number(rows[0]?.['found'])
    },
  }
}
