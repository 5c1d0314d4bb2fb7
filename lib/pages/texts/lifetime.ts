const UNITS = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
] as const

/**
 * A lifetime in words, in the largest unit of which it has at least two. It is rounded down, so that no link expires
 * before the time that a mail or a page names.
 */
export function inWords(seconds: number, language: string): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= 2 * size) ?? ['second', 1]
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.floor(seconds / size),
  )
}
