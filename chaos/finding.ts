/** One line of what an experiment has to say. */
export interface Finding {
  /** In words: "people refused with OAuthAccountNotLinked". */
  readonly what: string
  /** With its unit: "0 of 240". */
  readonly measured: string
  /** What must hold; absent for a figure that only tells how hard the experiment was. */
  readonly wanted?: string
  /** Whether it does; absent with {@link wanted}. */
  readonly holds?: boolean
}

/** A figure that says something about the experiment, and of which nothing is asked. */
export const told = (what: string, measured: string | number): Finding => ({ what, measured: String(measured) })

/** @param measured how many; there must be none */
export const none = (what: string, measured: number, of?: number): Finding => ({
  what,
  measured: of === undefined ? String(measured) : `${measured} of ${of}`,
  wanted: 'none',
  holds: measured === 0 && of !== 0,
})

/** @param measured the part of `of` that must be the whole of it */
export const all = (what: string, measured: number, of: number): Finding => ({
  what,
  measured: `${measured} of ${of}`,
  wanted: 'all',
  holds: measured === of && of > 0,
})

/** @param milliseconds what was measured; null when it never happened while the experiment waited */
export const within = (what: string, milliseconds: number | null, limit: number): Finding => ({
  what,
  measured: milliseconds === null ? 'never' : inSeconds(milliseconds),
  wanted: `at most ${inSeconds(limit)}`,
  holds: milliseconds !== null && milliseconds <= limit,
})

/** A statement that is true or not. */
export const holds = (what: string, isSo: boolean, measured: string, wanted: string): Finding => ({
  what,
  measured,
  wanted,
  holds: isSo,
})

/** For people: "0.42 s", "12 s". */
export function inSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000
  return `${seconds < 10 ? Number(seconds.toFixed(2)) : Math.round(seconds)} s`
}
