import type { ProviderSession } from '../adapter.js'
import { MOST_LISTED } from '../most-listed.js'
import type { Store } from './store.js'
import type { Lookup, Row } from './table.js'

type SessionModel = 'sessions' | 'tokenSessions'

/** The sessions that match and can still count, those that end last first, as many as the contract allows. */
export async function listSessionsIn(store: Store, model: SessionModel, lookup: Lookup): Promise<Row[]> {
  const connection = await store.connect()
  const { sql, db } = connection
  const table = await store.open(connection, model)
  const matching = table.matching(lookup)
  if (!matching) return []
  const condition = model === 'tokenSessions' ? sql`${matching} and ${table.column('revokedAt')} is null` : matching
  const { rows } = await sql<Row>`
    select ${table.selection()} from ${table.reference} where ${condition}
    order by ${table.column('expires')} desc limit ${sql.lit(MOST_LISTED)}`.execute(db)
  return rows.map((row) => table.read(row))
}

/**
 * The sessions that began at a provider, as {@link listSessionsIn}.
 *
 * @throws {AdapterError} when the table has no columns for them
 */
export async function listProviderSessionsIn(
  store: Store,
  model: SessionModel,
  { provider, subject, sid }: ProviderSession,
): Promise<Row[]> {
  // Without either, all sessions of the provider would match.
  if (subject === undefined && sid === undefined) return []
  return listSessionsIn(store, model, {
    provider,
    ...(sid !== undefined && { sid }),
    ...(subject !== undefined && { subject }),
  })
}
