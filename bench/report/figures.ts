import type { Goal, Spread } from '../section.js'

/** A number as it is read: three digits that count, two below one, thousands set apart. Whole numbers are counts, and stay whole. */
export const figure = (value: number): string => (Number.isFinite(value) ? exact(value, decimalsOf(value)) : '–')

function decimalsOf(value: number): number {
  if (Number.isInteger(value)) return 0
  const size = Math.abs(Number(value.toPrecision(3)))
  if (size === 0 || size >= 100) return 0
  if (size >= 1) return size >= 10 ? 1 : 2
  return Math.min(4, 1 - Math.floor(Math.log10(size)))
}

function exact(value: number, decimals: number): string {
  const text = value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  // A noise check that comes out at nothing should not read as "-0".
  return /[1-9]/.test(text) ? text.replace('-', '−') : text.replace('-', '')
}

/** A median with its quartiles; alone where all rounds agree. */
export function spread({ median, low, high }: Spread): string {
  const [middle, from, to] = [figure(median), figure(low), figure(high)]
  return from === middle && to === middle ? middle : `${middle} (${from} … ${to})`
}

/** Whether a figure is as good as the project has set itself. What could not be measured is not. */
export const isMet = ({ is, limit, reached }: Goal): boolean => (is === 'at most' ? reached <= limit : reached >= limit)

/** What was reached, with as many digits as it takes to see on which side of the limit it is. */
export function reached(goal: Goal): string {
  if (!Number.isFinite(goal.reached)) return 'not measured'
  const fewest = decimalsOf(goal.reached)
  const side = isMet(goal)
  const isClear = (decimals: number) => isMet({ ...goal, reached: Number(goal.reached.toFixed(decimals)) }) === side
  const decimals = [0, 1, 2, 3, 4, 5].map((more) => fewest + more).find(isClear)
  return `${decimals === undefined ? goal.reached : exact(goal.reached, decimals)} ${goal.unit}`.trim()
}

/** What is wanted: "at most 15 ms". */
export const wanted = ({ is, limit, unit }: Goal): string => `${is} ${limit.toLocaleString('en')} ${unit}`.trim()
