import { type Application, startApplication } from './applications.js'
import { CONNECTIONS, type Load, openConnections } from './load.js'
import { type Quartiles, quartilesOf, REFERENCE_BARE } from './results.js'
import { BARE_ROUTE, nodeOn, type Server, withServers } from './server.js'

/** A load that is measured. Samples of workloads with the same name are put together. */
export interface Workload {
  readonly name: string
  readonly server: Server
  readonly load: Load
  /** The load of the bare route of the same server. */
  readonly bare: Load
  /** How many times each load is done in a batch: few, so that a batch takes milliseconds. */
  readonly batch: Readonly<Record<'load' | 'bare', number>>
  /** How many times each is done before the first sample, until code is compiled and caches are full. */
  readonly warmUp: number
  /** Samples in each of {@link ROUNDS} rounds. */
  readonly samples: number
}

/** Two batches, one directly after the other: CPU microseconds of the server for each time. */
type Sample = Readonly<Record<'cost' | 'bare', number>>

/** How often it is the turn of each workload. */
export const ROUNDS = 2

/** Headings of the first columns, and words for headings: "CPU added, scaled, µs". The report explains them. */
export const COST_COLUMNS = ['CPU, µs', 'bare route meanwhile, µs']
export const AT_REFERENCE = 'scaled, µs'

/**
 * Measures workloads in turn. Each sample has a batch of the bare route beside it: a disturbance that lasts longer than both slows
 * both, so that their ratio stays. A short disturbance changes few samples. A quick comparison takes few samples, almost cold.
 */
export async function compare(workloads: readonly Workload[], quick: boolean): Promise<Summaries> {
  for (const { load, bare, warmUp } of workloads) {
    for (const part of [bare, load, bare, load]) await part(quick ? 20 : warmUp / 2)
  }
  const samples = new Map(workloads.map(({ name }) => [name, [] as Sample[]]))
  for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
    // Backwards every second time: no workload always follows the same neighbour, or always begins with its own batch.
    const isForward = round % 2 === 0
    for (const workload of isForward ? workloads : workloads.toReversed()) {
      const count = quick ? 3 : workload.samples
      samples.get(workload.name)?.push(...(await takeSamples(workload, count, isForward)))
    }
  }
  return new Map(Array.from(samples, ([name, own]) => [name, summaryOf(own)]))
}

async function takeSamples({ server, load, bare, batch }: Workload, count: number, bareFirst: boolean) {
  // One sample more at each end does not count: the change from another process, and the question for the times, fall into them.
  for (let sample = 0; sample < count + 2; sample += 1) {
    if (bareFirst) await bare(batch.bare)
    await load(batch.load)
    if (!bareFirst) await bare(batch.bare)
  }
  const times = (await server.usage()).batches.slice(-2 * (count + 2))
  return Array.from({ length: count }, (_, index): Sample => {
    const [first = Number.NaN, second = Number.NaN] = times.slice(2 * index + 2)
    const [bareTime, loadTime] = bareFirst ? [first, second] : [second, first]
    return { cost: loadTime / batch.load, bare: bareTime / batch.bare }
  })
}

/** Summaries by the names of workloads, in their order. */
type Summaries = ReadonlyMap<string, ReturnType<typeof summaryOf>>

/** Medians and quartiles. `atReference` are microseconds where the bare route costs {@link REFERENCE_BARE}. */
function summaryOf(samples: readonly Sample[]) {
  const each = (value: (sample: Sample) => number) => quartilesOf(samples.map(value))
  return {
    cost: each(({ cost }) => cost),
    bare: each(({ bare }) => bare),
    share: each(({ cost, bare }) => bare / cost),
    atReference: each(({ cost, bare }) => (cost / bare) * REFERENCE_BARE),
    addedAtReference: each(({ cost, bare }) => (cost / bare - 1) * REFERENCE_BARE),
  }
}

/** Batches that each workload has in {@link compareInTurn}. */
export const TURNS = 100

/**
 * How many times the CPU time of the first workload each of the others is. All of them are loaded one after the other, a batch
 * each, and only times of the same turn are compared: a disturbance that lasts longer than a turn slows all of them.
 *
 * @returns quartiles of `first / other` over all turns, by the name of the other
 */
export async function compareInTurn(
  [first, ...others]: readonly [Workload, ...Workload[]],
  quick: boolean,
): Promise<ReadonlyMap<string, Quartiles>> {
  const workloads = [first, ...others]
  const turns = quick ? 3 : TURNS
  // A turn more at each end does not count: the question for the times falls into it.
  for (let turn = 0; turn < turns + 2; turn += 1) {
    const isForward = turn % 2 === 0
    for (const { load, bare, batch } of isForward ? workloads : workloads.toReversed()) {
      // It wakes the process, and ends the batch before.
      await bare(CONNECTIONS)
      await load(batch.load)
    }
  }
  const timesOf = async ({ server, batch }: Workload) => {
    const batches = (await server.usage()).batches.slice(-2 * (turns + 2))
    return batches.filter((_, index) => index % 2 === 1).map((time) => time / batch.load)
  }
  const own = await timesOf(first)
  const ratios = new Map<string, Quartiles>()
  for (const other of others) {
    const times = await timesOf(other)
    const shares = own.map((time, turn) => time / (times[turn] ?? Number.NaN))
    ratios.set(other.name, quartilesOf(shares.slice(1, -1)))
  }
  return ratios
}

/** A route that is measured, by default the guarded one, of an application that is started for it. */
export interface RouteCase extends Application, Pick<Workload, 'batch' | 'warmUp' | 'samples'> {
  readonly path?: string
  /** A pattern of every right answer. */
  readonly shows?: RegExp
  /** How many people are signed in and send the requests; 0 for visitors without cookies. */
  readonly people: number
  /** Processes of the application: two processes of one program differ by several µs. */
  readonly processes?: number
}

/** Requests in a batch: few for small costs, and more for large costs, which leave the bare route cold caches. */
export const SMALL_BATCH = { load: 3 * CONNECTIONS, bare: 3 * CONNECTIONS }
export const LARGE_BATCH = { load: 5 * CONNECTIONS, bare: 5 * CONNECTIONS }

/** Starts the applications and {@link compare}s their routes with the bare route in the same process. */
export function compareRoutes(cases: readonly RouteCase[], quick: boolean): Promise<Summaries> {
  return withServers(async (start) => {
    const provider = await start('identity-provider', {}, nodeOn('load'))
    const workloads: Workload[] = []
    for (const { path = '/hello', shows, people, processes = 1, ...route } of cases) {
      for (let process = 0; process < (quick ? 1 : processes); process += 1) {
        const { server, cookies } = await startApplication(
          start,
          provider,
          route,
          quick ? Math.min(people, 40) : people,
        )
        const loadOf = openConnections(server.origin)
        workloads.push({ ...route, server, load: loadOf(path, cookies, shows), bare: loadOf(BARE_ROUTE, cookies) })
      }
    }
    return compare(workloads, quick)
  })
}
