import { MOST_LISTED } from '../most-listed.js'
import type { Store } from './store.js'
import type { Row } from './table.js'

/** The sessions of a user that can still count, those that end last first, as many as the contract allows. */
export async function listSessionsIn(
  store: Store,
  model: 'sessions' | 'tokenSessions',
  userId: string,
): Promise<Row[]> {
  const connection = await store.connect()
  const { sql, db } = connection
  const table = await store.open(connection, model)
  const ofUser = table.matching({ userId })
  if (!ofUser) return []
  const condition = model === 'tokenSessions' ? sql`${ofUser} and ${table.column('revokedAt')} is null` : ofUser
  const { rows } = await sql<Row>`
    select ${table.selection()} from ${table.reference} where ${condition}
    order by ${table.column('expires')} desc limit ${sql.lit(MOST_LISTED)}`.execute(db)
  return rows.map((row) => table.read(row))
}
