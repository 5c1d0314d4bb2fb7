/**
 * The name that was probably meant by a misspelt one: a name that differs in case and dashes only, or in one or two letters.
 *
 * @returns undefined if no name is near
 */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const plain = plainly(written)
  const same = names.find((name) => plainly(name) === plain)
  if (same !== undefined) return same
  const [nearest] = names
    // Only so many letters may differ, and a visitor may have written a text of any length.
    .filter((name) => Math.abs(plainly(name).length - plain.length) <= limitFor(name))
    .map((name) => ({ name, distance: editDistance(plain, plainly(name)), limit: limitFor(name) }))
    .filter(({ distance, limit }) => distance <= limit)
    .sort((one, other) => one.distance - other.distance)
  return nearest?.name
}

/** The same for two names that differ in case, dashes and underscores only. */
const plainly = (name: string) => name.toLowerCase().replace(/[-_]/g, '')

/** The most letters that may differ: two, or one in a short name, where two changed letters make another word. */
const limitFor = (name: string) => Math.min(2, Math.floor(name.length / 3))

/**
 * How many letters must be added, removed, replaced or swapped with their neighbour to turn one text into the other.
 *
 * @see Damerau, "A technique for computer detection and correction of spelling errors", 1964; here as optimal string alignment
 */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return last[other.length] ?? 0
}
