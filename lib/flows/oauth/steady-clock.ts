/**
 * A clock that never goes back, in milliseconds; it measures ages. Between two readings it advances as far as the wall
 * clock or as the machine's own clock, as far as the faster of the two: the wall clock may be set back, and the
 * machine's clock stands still while the machine sleeps.
 *
 * @param now milliseconds since the epoch
 * @param elapsed milliseconds since any time, on a clock that nobody sets
 */
export function createSteadyClock(now: () => number, elapsed = () => performance.now()): () => number {
  let time = 0
  let before = { wall: now(), machine: elapsed() }
  return () => {
    const read = { wall: now(), machine: elapsed() }
    time += Math.max(read.wall - before.wall, read.machine - before.machine, 0)
    before = read
    return time
  }
}
