import type { Experiment, Lab } from '../experiment.js'
import { type Finding, holds, none, told, within } from '../finding.js'
import { inWords, tally } from '../harness/browser.js'
import { countOf, type Load, longest, type Sample, signInMany, startLoad } from '../harness/load.js'
import type { Server } from '../harness/servers.js'
import { pause } from '../harness/wait.js'

/** What happens to a store while people use the application. */
interface Outage {
  readonly title: string
  /** Begins the outage: the store no longer answers. */
  begin(server: Server): Promise<void>
  readonly lastsMs: number
  /** Ends the outage: the store answers again. */
  end(server: Server): Promise<void>
}

/** The default of `storeTimeout`, and a margin for a busy machine. */
const ANSWER_MS = 7000
const VISITORS = 8
const RECOVERY_MS = 6_000

/** An experiment with this outage of each kind of store. */
const outageExperiment = (outage: Outage): Experiment => ({
  title: outage.title,
  limit: 90,
  async run(lab) {
    const findings = await Promise.all(
      (['PostgreSQL', 'MariaDB', 'Redis'] as const).map((name) => tryServer(lab, name, outage)),
    )
    return findings.flat()
  },
})

/** During the outage, the store's port refuses connections. */
export const storeDown = outageExperiment({
  title: 'the store crashes, and comes back after 4 seconds, under load',
  begin: (server) => server.crash(),
  lastsMs: 4000,
  end: (server) => server.start(),
})

/** As on a machine that swaps, or a virtual machine that is moved: connections stay open, and nothing answers. */
export const frozenStore = outageExperiment({
  title: 'the store is stopped by SIGSTOP for 8 seconds, under load',
  begin: (server) => server.freeze(),
  lastsMs: 8000,
  end: (server) => server.thaw(),
})

async function tryServer(lab: Lab, name: Server['name'], outage: Outage): Promise<Finding[]> {
  const provider = await lab.provider()
  const server = await lab.server(name)
  const database = await server.createDatabase()
  const url = server.url(database)
  if (name !== 'Redis') await lab.migrate(url)
  const store = { kind: name === 'Redis' ? 'redis' : 'sql', url } as const
  const settings = { issuer: provider.issuer, strategy: 'database', store } as const
  const apps = [await lab.app(settings), await lab.app(settings)]
  const origins = () => apps[Math.floor(Math.random() * apps.length)]?.origin ?? ''
  const load = startLoad(await signInMany(VISITORS, provider, origins, 15_000), 100)
  await pause(1000)
  const from = load.now()
  await outage.begin(server)
  await pause(outage.lastsMs)
  await outage.end(server)
  const to = load.now()
  const recovery = await allServed(load, to)
  await load.stop()
  const survived = apps.filter((app) => !app.hasEnded).length
  for (const app of apps) await app.kill()
  return findingsOf(name, load.samples, { from, to, recovery, survived })
}

/** Milliseconds from a moment until all visitors get only right answers. Null if that does not happen. */
async function allServed(load: Load, since: number): Promise<number | null> {
  await pause(RECOVERY_MS)
  const late = load.samples.filter(({ at, verdict, answer }) => verdict !== 'right' && at + answer.took > since)
  const last = Math.max(since, ...late.map(({ at, answer }) => at + answer.took))
  const isServed = load.samples.filter(({ at, verdict }) => at >= last && verdict === 'right').length >= VISITORS
  return isServed ? last - since : null
}

function findingsOf(
  name: string,
  samples: readonly Sample[],
  { from, to, recovery, survived }: { from: number; to: number; recovery: number | null; survived: number },
): Finding[] {
  const during = samples.filter(({ at, answer }) => at + answer.took >= from && at <= to)
  return [
    told(`${name}: answers meanwhile`, tally(during.map(({ answer }) => inWords(answer)))),
    none(`${name}: wrong answers in the whole time`, countOf(samples, 'wrong'), samples.length),
    none(`${name}: requests without an answer`, countOf(samples, 'hung'), samples.length),
    within(`${name}: longest wait`, longest(during), ANSWER_MS),
    within(`${name}: time until all answers are right again`, recovery, RECOVERY_MS),
    holds(`${name}: processes that still run`, survived === 2, `${survived} of 2`, 'all'),
  ]
}
