/** Characters of the longest text that is normalized while something is done: the time for it grows with the square. */
export async function longestNormalized(work: () => Promise<unknown>): Promise<number> {
  const { normalize } = String.prototype
  let longest = 0
  String.prototype.normalize = function (this: string, form?: string) {
    longest = Math.max(longest, this.length)
    return normalize.call(this, form)
  }
  try {
    await work()
  } finally {
    String.prototype.normalize = normalize
  }
  return longest
}

/** Accents in the wrong order, as many as a form may have. */
export const MANY_ACCENTS = `a${'\u0315'.repeat(5000)}${'\u0316'.repeat(5000)}`
