import type { Spread } from '../section.js'

/** Median and quartiles of measured values, interpolated. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right)
  const at = (share: number) => {
    const place = (sorted.length - 1) * share
    const below = sorted[Math.floor(place)] ?? Number.NaN
    const above = sorted[Math.ceil(place)] ?? below
    return below + (above - below) * (place - Math.floor(place))
  }
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}
