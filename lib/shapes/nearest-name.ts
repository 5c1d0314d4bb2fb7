/**
 * The name that somebody who wrote another one most likely meant: the same but for case and dashes, or one or two letters away.
 *
 * @returns undefined when none is near
 */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const plain = plainly(written)
  const same = names.find((name) => plainly(name) === plain)
  if (same !== undefined) return same
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(plain, plainly(name)), limit: limitFor(name) }))
    .filter(({ distance, limit }) => distance <= limit)
    .sort((one, other) => one.distance - other.distance)
  return nearest?.name
}

/** Whether two names differ in case, dashes and underscores alone. */
const plainly = (name: string) => name.toLowerCase().replace(/[-_]/g, '')

/** Two slips, or one in a short name: there, two make another word. */
const limitFor = (name: string) => Math.min(2, Math.floor(name.length / 3))

/**
 * How many letters have to be added, left out, replaced or swapped with their neighbour to make one text of another.
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
