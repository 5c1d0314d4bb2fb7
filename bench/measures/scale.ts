import { runPinned } from '../loop/pinned.js'
import type { Curve, Measure } from '../section.js'
import type { Point, ScaleTask } from './scale/point.js'

/** What a guarded request costs when there is more of something. */
export const measure: Measure = async ({ quick, progress }) => {
  const task: ScaleTask = quick
    ? { pace: { rounds: 5, millis: 15 }, sessions: [10, 100, 1000, 10_000] }
    : { pace: { rounds: 5, millis: 25 }, sessions: [10, 100, 1000, 10_000, 100_000, 1_000_000] }
  progress('providers, tenants and cookies')
  const configurations = await runPinned<Point[]>(import.meta.resolve('./scale/configurations.js'), task)
  progress('sessions in SQLite')
  const sqlite = await runPinned<Point[]>(import.meta.resolve('./scale/sqlite.js'), task)
  progress('sessions in Redis')
  const redis = await runPinned<Point[]>(import.meta.resolve('./scale/redis.js'), task)
  const points = [...configurations, ...sqlite, ...redis]
  return {
    id: 'scale',
    title: 'Scale',
    how:
      'CPU time per guarded request, in a loop without a server, whose cost is the same everywhere; each request comes with another of many ' +
      'sessions, and each answer was checked to be for the right user. Tenants are configurations that a function chooses from by host name. ' +
      'Stores were filled with rows as the adapter writes them, ten sessions a user; look-ups are at random. ' +
      (redis.length > 0
        ? 'For Redis, a process of its own, the diagram has the time until the answer.'
        : 'Redis was not reachable, and is left out.'),
    columns: ['CPU, µs', 'until let through, µs'],
    rows: points.map(({ series, x, cost }) => ({
      name: `${series}: ${x.toLocaleString('en')}`,
      cells: [cost.cpu, cost.elapsed],
    })),
    goals: [],
    curves: { x: 'how many there are', y: 'µs per guarded request', lines: linesOf(points) },
  }
}

function linesOf(points: readonly Point[]): Curve[] {
  const names = [...new Set(points.map(({ series }) => series))]
  return names.map((name) => ({
    name,
    points: points
      .filter(({ series }) => series === name)
      .map(({ x, cost, isElsewhere }) => ({ x, y: isElsewhere ? cost.elapsed : cost.cpu })),
  }))
}
