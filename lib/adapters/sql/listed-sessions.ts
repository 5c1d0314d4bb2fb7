import { MOST_LISTED, type ProviderSession } from '../adapter.js'
import type { RowOf } from './models.js'
import type { SqlStore } from './store.js'
import type { Lookup, Row } from './table.js'

type SessionModel = 'sessions' | 'tokenSessions'

/** The sessions that match and can still count, those that end last first, as many as the contract allows. */
export async function listSessionsIn<Model extends SessionModel>(
  store: SqlStore,
  model: Model,
  lookup: Lookup,
): Promise<RowOf[Model][]> {
  const place = await store.at(model, lookup)
  if (!place) return []
  const { table } = place
  const { sql, db } = place.connection
  const isListed = model === 'tokenSessions' ? sql` and ${table.column('revokedAt')} is null` : sql``
  const { rows } = await sql<Row>`
    select ${table.selection()} from ${table.reference} where ${place.condition}${isListed}
    order by ${table.column('expires')} desc limit ${sql.lit(MOST_LISTED)}`.execute(db)
  // As with every row of the store.
  return rows.map((row) => table.read(row)) as unknown as RowOf[Model][]
}

/**
 * The sessions that began at a provider, as {@link listSessionsIn}.
 *
 * @throws {AdapterError} when the table has no columns for them
 */
export async function listProviderSessionsIn<Model extends SessionModel>(
  store: SqlStore,
  model: Model,
  { provider, subject, sid }: ProviderSession,
): Promise<RowOf[Model][]> {
  // Without either, all sessions of the provider would match.
  if (subject === undefined && sid === undefined) return []
  return listSessionsIn(store, model, {
    provider,
    ...(sid !== undefined && { sid }),
    ...(subject !== undefined && { subject }),
  })
}
