/** An axis: where values are, and which of them are named. */
export interface Scale {
  at(value: number): number
  readonly ticks: readonly number[]
}

/**
 * A logarithmic axis from a round number below the least value to one above the greatest. Values that are not positive have no place on it,
 * and are put at its beginning.
 *
 * @param places beginning and end, in pixels
 * @param room how many ticks there is room for; powers of ten are always named
 */
export function logScale(values: readonly number[], [from, to]: readonly [number, number], room: number): Scale {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value))
  if (positive.length === 0) throw new RangeError('a logarithmic axis needs a positive value')
  const candidates = roundNumbers(Math.min(...positive), Math.max(...positive))
  const first = candidates[0] ?? 1
  const last = candidates.at(-1) ?? 10
  const width = Math.log10(last / first)
  const decades = candidates.filter((value) => Number.isInteger(Math.log10(value)))
  return {
    at: (value) => from + ((to - from) * Math.log10(Math.max(value, first) / first)) / width,
    ticks: candidates.length > room ? decades : candidates,
  }
}

/** 1, 2 and 5 times powers of ten: all between two values, and the next beyond each, at least two. */
function roundNumbers(least: number, greatest: number): number[] {
  const all: number[] = []
  for (let exponent = Math.floor(Math.log10(least)); 10 ** exponent <= greatest * 10; exponent++) {
    for (const digit of [1, 2, 5]) all.push(Number((digit * 10 ** exponent).toPrecision(1)))
  }
  const begin = all.findLastIndex((value) => value <= least)
  const end = all.findIndex((value, index) => value >= greatest && index > begin)
  return all.slice(Math.max(0, begin), end + 1)
}
