import { type Cost, type Loop, type Pace, timeLoops } from '../../loop/hot-loop.js'

/** What the processes of this measurement are told. */
export interface ScaleTask {
  readonly pace: Pace
  /** Numbers of live sessions. */
  readonly sessions: readonly number[]
}

/** What a request costs when there are so many of something. */
export interface Point {
  /** What there are many of. */
  readonly series: string
  readonly x: number
  readonly cost: Cost
  /** Whether another process does the work, so that the CPU time of this one says little. */
  readonly isElsewhere?: boolean
}

/** A loop for one point. */
export interface PointLoop extends Omit<Point, 'cost'> {
  readonly run: Loop['run']
}

/** Times the loops of several points side by side. */
export async function timePoints(loops: readonly PointLoop[], pace: Pace): Promise<Point[]> {
  const costs = await timeLoops(
    loops.map(({ series, x, run }) => ({ name: `${series}: ${x}`, run, waits: true })),
    pace,
  )
  return loops.map(({ run: _, ...point }, index) => {
    const cost = costs[index]
    if (!cost) throw new Error(`There is no time for ${point.series}.`)
    return { ...point, cost }
  })
}
