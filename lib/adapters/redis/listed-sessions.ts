import { beganAt, MOST_LISTED, type ProviderSession, type SessionDetails } from '../adapter.js'
import { mapInBatches, type RedisDependencies } from './client.js'
import type { ProviderName } from './keys.js'
import * as rowScripts from './scripts/rows.js'

/** The keys of the sorted sets that name one kind of sessions: sessions, or token sessions. */
export interface SessionSets {
  ofUser(userId: string): string
  /** Those that began at a provider with a subject, or with a `sid`. */
  atProvider(provider: string, name: ProviderName, value: string): string
}

type Listed = SessionDetails & { userId: string }

/**
 * The sets by which the sessions of a user and those of a provider are found. Each set is in its own slot, so no step
 * can change a row and its names. A set names a session before the row is written, and before the row lasts longer, and
 * for some time after the row is gone. So only the rows decide which sessions are listed. A name leaves its set at its
 * end, or before.
 */
export function createListedSessions({ run }: Pick<RedisDependencies, 'run'>, sets: SessionSets) {
  const setsOf = (session: Listed): string[] => {
    const { provider, subject, sid } = session
    if (!provider) return [sets.ofUser(session.userId)]
    return [
      sets.ofUser(session.userId),
      ...(subject ? [sets.atProvider(provider, 'subject', subject)] : []),
      ...(sid ? [sets.atProvider(provider, 'sid', sid)] : []),
    ]
  }

  return {
    /** Names a session that ends at a time. */
    async note(session: Listed, name: string, end: Date): Promise<void> {
      const args = [name, String(end.getTime()), String(Date.now())]
      await Promise.all(setsOf(session).map((set) => run(rowScripts.NOTE_END, [set], args)))
    },

    /** Removes the names of a session that does not count any more. */
    async forget(session: Listed, name: string): Promise<void> {
      await Promise.all(setsOf(session).map((set) => run(rowScripts.FORGET, [set], [name])))
    },

    /** The sessions that began at a provider, as the contract lists them. */
    async atProvider<Row extends Listed & { expires: Date }>(
      at: ProviderSession,
      find: (name: string) => Promise<Row | null>,
    ): Promise<Row[]> {
      const { provider, subject, sid } = at
      const [name, value] = sid === undefined ? (['subject', subject] as const) : (['sid', sid] as const)
      if (value === undefined) return []
      return listNamed({ run }, sets.atProvider(provider, name, value), async (name) => {
        const row = await find(name)
        return row && beganAt(row, at) ? row : null
      })
    },
  }
}

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
