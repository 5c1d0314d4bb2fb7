import { MOST_LISTED } from '../most-listed.js'
import { mapInBatches, type RedisDependencies } from './client.js'
import * as rowScripts from './scripts/rows.js'

/** How often names without a row are looked for again: a session gets another token only when its user adds something. */
const MOST_REPEATS = 5

/**
 * The rows that a sorted set of a user names, those that end last first, as many as the contract allows.
 *
 * A name without a row stays in the set, because its row may be about to be written. So that such names hide no others,
 * more names are read. Each reading begins at the latest end: thus no name is missed when others leave the set
 * meanwhile. A session may get another token after the set was read, or after a look for a row under that token. So the
 * names without a row are looked for again at the end.
 *
 * @param look gives the row of a name; null when there is none that counts
 */
export async function listNamed<Row extends { expires: Date }>(
  { run }: Pick<RedisDependencies, 'run'>,
  set: string,
  look: (name: string) => Promise<Row | null>,
): Promise<Row[]> {
  const found = new Map<string, Row>()
  const absent = new Set<string>()

  const lookFor = async (names: readonly string[]) => {
    const rows = await mapInBatches(names, look)
    for (const [index, name] of names.entries()) {
      const row = rows[index] ?? null
      if (row === null) {
        absent.add(name)
      } else {
        absent.delete(name)
        found.set(name, row)
      }
    }
  }

  /** Looks for the names that are not known yet. Gives false when there are none. */
  const lookForNew = async (): Promise<boolean> => {
    const count = String(MOST_LISTED + absent.size)
    const names = (await run(rowScripts.LATEST, [set], [String(Date.now()), count])) as string[]
    const added = names.filter((name) => !found.has(name) && !absent.has(name))
    await lookFor(added)
    return added.length > 0
  }

  for (let repeats = 0; repeats < MOST_REPEATS; repeats += 1) {
    while (found.size < MOST_LISTED && (await lookForNew())) {}
    if (found.size >= MOST_LISTED || absent.size === 0) break
    const known = found.size
    await lookFor([...absent])
    if (found.size === known && !(await lookForNew())) break
  }
  return [...found.values()].sort((one, other) => +other.expires - +one.expires).slice(0, MOST_LISTED)
}
