const HOUR = 60 * 60
const DAY = 24 * HOUR

/**
 * Says how long a number of seconds is, and what to write if it was meant as milliseconds: `86400000 seconds, which is 1000
 * days. It is in seconds, not in milliseconds: 1 day is 86400.`
 */
export const inDays = (seconds: number): string =>
  `${seconds} seconds, which is ${inWords(seconds)}. It is in seconds, not in milliseconds: ${inWords(seconds / 1000)} ${isOne(seconds / 1000) ? 'is' : 'are'} ${Math.round(seconds / 1000)}.`

function inWords(seconds: number): string {
  const [length, unit] = unitOf(seconds)
  return `${rounded(seconds / length)} ${unit}${isOne(seconds) ? '' : 's'}`
}

const unitOf = (seconds: number): [length: number, unit: string] =>
  seconds >= DAY ? [DAY, 'day'] : seconds >= HOUR ? [HOUR, 'hour'] : seconds >= 60 ? [60, 'minute'] : [1, 'second']

/** One digit after the point for small numbers, and none for large ones. */
const rounded = (count: number) => (count < 10 ? Math.round(count * 10) / 10 : Math.round(count))

const isOne = (seconds: number) => rounded(seconds / unitOf(seconds)[0]) === 1
