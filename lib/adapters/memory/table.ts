import { membersOf } from '../../kernel/objects.js'

/** The rows of a memory adapter of one kind, by their keys, and the keys by the value of one member. */
export class Table<Row extends object> {
  readonly #rows = new Map<string, Row>()
  /** The rows themselves: whoever hands one on copies it. */
  readonly rows: ReadonlyMap<string, Row> = this.#rows
  readonly #member: keyof Row
  readonly #keys = new Map<unknown, Set<string>>()

  /** @param member by which rows are found; a row where it is empty is found by its key alone */
  constructor(member: keyof Row) {
    this.#member = member
  }

  /** Stores a row that nobody else has, in place of the one with its key, and gives a copy of it. */
  put(key: string, row: Row): Row {
    const before = this.#rows.get(key)
    const value = row[this.#member]
    if (before && before[this.#member] !== value) this.#forget(before[this.#member], key)
    // The id of a user may be 0.
    if (value !== undefined && value !== null && value !== '')
      this.#keys.set(value, (this.#keys.get(value) ?? new Set()).add(key))
    this.#rows.set(key, row)
    return copy(row)
  }

  /** Deletes a row, and gives it; null when there is none. */
  take(key: string): Row | null {
    const row = this.#rows.get(key) ?? null
    if (row) this.#forget(row[this.#member], key)
    this.#rows.delete(key)
    return row
  }

  /** Deletes the rows whose member has a value. */
  takeWith(value: string): void {
    for (const key of this.#keys.get(value) ?? []) this.take(key)
  }

  /** Copies of the rows whose member has a value, without a search. */
  rowsWith(value: string): Row[] {
    return [...(this.#keys.get(value) ?? [])].flatMap((key) => this.#rows.get(key) ?? []).map((row) => copy(row))
  }

  /** Copies of the rows that fit. A demo has few rows, so all of them are looked at. */
  where(fits: (row: Row) => boolean): Row[] {
    return [...this.#rows.values()].filter(fits).map((row) => copy(row))
  }

  #forget(value: unknown, key: string): void {
    const keys = this.#keys.get(value)
    keys?.delete(key)
    if (keys?.size === 0) this.#keys.delete(value)
  }
}

/** One text of two texts, different for every two: the length shows where the first text ends. */
export const pairKey = (first: string, second: string): string => `${first.length}:${first}${second}`

export const copyOrNull = <Row extends object>(row: Row | undefined): Row | null => (row ? copy(row) : null)

/** A copy that shares nothing with the row, without its undefined members: they mean "not given". */
export function copy<Row extends object>(row: Row): Row {
  const made = { ...membersOf(row) } as Record<string, unknown>
  for (const name in made) {
    const value = made[name]
    // Where the copy is assigned to other objects, such a member would become their prototype.
    if (value === undefined || name === '__proto__') delete made[name]
    else if (value instanceof Date) made[name] = new Date(value)
    else if (typeof value === 'object' && value !== null) made[name] = structuredClone(value)
  }
  return made as Row
}
