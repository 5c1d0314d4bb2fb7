import type { Store } from '../app/settings.js'
import type { Experiment, Lab } from '../experiment.js'
import { type Finding, holds, none, told, within } from '../finding.js'
import { inWords, tally } from '../harness/browser.js'
import { ask, longest, type Sample, signInMany, type Visitor } from '../harness/load.js'
import type { Provider } from '../harness/provider.js'
import type { Server } from '../harness/servers.js'
import { eachOf, until } from '../harness/wait.js'

const REQUESTS = 60
/** How long the browser waits in this experiment. Real browsers may wait for minutes. */
const PATIENCE_MS = 12_000
/** The default of `storeTimeout`, and a margin for a busy machine. */
const ANSWER_MS = 7_000
const RECOVERY_MS = 10_000

/** When the connection dies: before the process has used it, or after. */
type Moment = 'cold' | 'warm'

export const deadConnection: Experiment = {
  title: `the connection to the store dies silently; ${REQUESTS} requests meanwhile, and then the network is well again`,
  limit: 120,
  async run(lab) {
    const provider = await lab.provider()
    // They run at the same time, because each of them mostly waits.
    const findings = await Promise.all(
      (['PostgreSQL', 'MariaDB', 'Redis'] as const).map((name) => tryBoth(lab, provider, name)),
    )
    return findings.flat()
  },
}

async function tryBoth(lab: Lab, provider: Provider, name: Server['name']): Promise<Finding[]> {
  const server = await lab.server(name)
  const database = await server.createDatabase()
  if (name !== 'Redis') await lab.migrate(server.url(database))
  const kind = name === 'Redis' ? 'redis' : 'sql'
  const storeAt = (port: number): Store => ({ kind, url: server.url(database, port) })
  const warm = await tryServer(lab, provider, server, storeAt, 'warm')
  // A client of Redis connects before the first request, so there is no cold connection.
  return name === 'Redis' ? warm : [...(await tryServer(lab, provider, server, storeAt, 'cold')), ...warm]
}

async function tryServer(
  lab: Lab,
  provider: Provider,
  server: Server,
  storeAt: (port: number) => Store,
  moment: Moment,
): Promise<Finding[]> {
  const proxy = await lab.proxyBefore(server)
  const settings = { issuer: provider.issuer, strategy: 'database', store: storeAt(proxy.port) } as const
  let app = await lab.app(settings)
  const visitors = await signInMany(6, provider, () => app.origin, PATIENCE_MS)
  if (moment === 'cold') {
    await app.kill()
    app = await lab.app(settings)
  }
  proxy.swallow()
  const during = await askAll(visitors, REQUESTS)
  proxy.forward()
  const recovery = await until(async () => (await ask(visitors[0] as Visitor)).verdict === 'right', RECOVERY_MS, 100)
  const after = recovery === null ? [] : await askAll(visitors, 30)
  const name = `${server.name}, ${moment === 'cold' ? 'a new process' : 'a process that has served'}`
  const hung = during.filter(({ verdict }) => verdict === 'hung').length
  const wrong = during.filter(({ verdict }) => verdict === 'wrong' || verdict === 'right').length
  await app.kill()
  return [
    none(`${name}: requests without an answer after ${PATIENCE_MS / 1000} s`, hung, REQUESTS),
    none(`${name}: answers that are not 503`, wrong, REQUESTS),
    told(`${name}: answers`, tally(during.map(({ answer }) => inWords(answer)))),
    within(`${name}: longest wait`, hung > 0 ? null : longest(during), ANSWER_MS),
    within(`${name}: time until answers are right after the network is back`, recovery, RECOVERY_MS),
    holds(
      `${name}: 30 requests after that`,
      after.length > 0 && after.every(({ verdict }) => verdict === 'right'),
      tally(after.map(({ answer }) => inWords(answer))),
      'all 200',
    ),
  ]
}

const askAll = (visitors: readonly Visitor[], count: number): Promise<Pick<Sample, 'answer' | 'verdict'>[]> =>
  eachOf(
    Array.from({ length: count }, (_, index) => visitors[index % visitors.length] as Visitor),
    count,
    ask,
  )
