import { AdapterError } from '../../kernel/errors.js'
import {
  type AccountChanges,
  type AccountExpectation,
  type AdapterAccount,
  CHANGING_ACCOUNT_MEMBERS,
} from '../adapter.js'
import { updateIn } from './row-statements.js'
import type { SqlStore } from './store.js'
import type { Row, Table } from './table.js'

/**
 * Changes members of an account in one statement, if others have the expected values.
 *
 * @returns whether there is such an account with these values
 * @throws {AdapterError} when a value has no room in its column, or a lease has no column
 */
export async function changeAccount(
  store: SqlStore,
  { provider, providerAccountId }: Pick<AdapterAccount, 'provider' | 'providerAccountId'>,
  given: AccountChanges,
  expected: AccountExpectation = {},
): Promise<boolean> {
  const place = await store.at('accounts', { provider, providerAccountId })
  if (!place) return false
  const { table } = place
  const { sql, db, dialect } = place.connection
  const expectation = table.holding({ ...expected })
  const changes = changesFor(table, given)
  if (!expectation) return false
  const condition = sql<boolean>`${place.condition} and ${expectation}`
  const isThere = async (condition: typeof expectation) => {
    const { rows } =
      await sql<Row>`select ${table.column('provider')} from ${table.reference} where ${condition}`.execute(db)
    return rows.length > 0
  }
  const written = table.write(changes)
  if (written.length === 0) return isThere(condition)
  const { isChanged } = await updateIn({ ...place, condition }, written)
  if (isChanged || dialect.returning.update) return isChanged
  // MySQL may count only rows whose values have changed. A row that is as expected, and has all new values, too, need
  // not change: then the change is made at this moment.
  const after = table.holding(changes)
  return after !== null && (await isThere(sql<boolean>`${condition} and ${after}`))
}

/** The members that may change and have a column. */
function changesFor(table: Table, given: AccountChanges): Row {
  const changes: Row = {}
  for (const member of CHANGING_ACCOUNT_MEMBERS) {
    const value = given[member]
    if (value === undefined) continue
    const column = table.columns.get(member)?.column
    if (column) {
      requireRoom(column.name, column, value)
      changes[member] = value
    } else if (member === 'tokenLease' && value !== null) {
      // Throws: if the lease were dropped, as other members are, two processes would have it.
      table.column(member)
    }
  }
  return changes
}

/** In some modes, MySQL cuts a text that is too long. */
function requireRoom(name: string, { type, length }: { type: string; length: number | null }, value: unknown): void {
  if (length === null || typeof value !== 'string') return
  const size = type.endsWith('text') ? Buffer.byteLength(value) : [...value].length
  if (size <= length) return
  throw new AdapterError(
    `The column "${name}" of the accounts holds ${length} characters, and a value has more: widen it.`,
  )
}
