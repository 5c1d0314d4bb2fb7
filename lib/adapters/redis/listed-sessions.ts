import { beganAt, type ProviderSession, type SessionDetails } from '../adapter.js'
import type { RedisDependencies } from './client.js'
import type { ProviderName } from './keys.js'
import { listNamed } from './listed-rows.js'
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
