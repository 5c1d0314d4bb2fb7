/** One result of an experiment. */
export interface Finding {
  /** What was measured, in words: "people refused with OAuthAccountNotLinked". */
  readonly what: string
  /** The measured value, with its unit: "0 of 240". */
  readonly measured: string
  /** The expected value. Absent if the figure only describes the experiment. */
  readonly wanted?: string
  /** Whether the value is as expected. Absent if {@link wanted} is absent. */
  readonly holds?: boolean
}

/** A figure that describes the experiment. No value is expected. */
export const told = (what: string, measured: string | number): Finding => ({ what, measured: String(measured) })

/** @param measured a count that must be zero */
export const none = (what: string, measured: number, of?: number): Finding => ({
  what,
  measured: of === undefined ? String(measured) : `${measured} of ${of}`,
  wanted: 'none',
  holds: measured === 0 && of !== 0,
})

/** @param measured a count that must be equal to `of` */
export const all = (what: string, measured: number, of: number): Finding => ({
  what,
  measured: `${measured} of ${of}`,
  wanted: 'all',
  holds: measured === of && of > 0,
})

/** @param milliseconds the measured time; null if the event did not happen while the experiment waited */
export const within = (what: string, milliseconds: number | null, limit: number): Finding => ({
  what,
  measured: milliseconds === null ? 'never' : inSeconds(milliseconds),
  wanted: `at most ${inSeconds(limit)}`,
  holds: milliseconds !== null && milliseconds <= limit,
})

/** A statement that must be true. */
export const holds = (what: string, isSo: boolean, measured: string, wanted: string): Finding => ({
  what,
  measured,
  wanted,
  holds: isSo,
})

/** A time as people read it: "0.42 s", "12 s". */
export function inSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000
  return `${seconds < 10 ? Number(seconds.toFixed(2)) : Math.round(seconds)} s`
}
