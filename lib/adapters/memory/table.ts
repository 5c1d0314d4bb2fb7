import { membersOf } from '../../kernel/objects.js'

/** The rows of a memory adapter of one kind, by their keys, and for each owner the keys of their rows. */
export class Table<Row extends object> extends Map<string, Row> {
  readonly #owner: keyof Row
  readonly #keys = new Map<unknown, Set<string>>()

  /** @param owner the member that names the owner of a row; nobody owns a row where it is empty */
  constructor(owner: keyof Row) {
    super()
    this.#owner = owner
  }

  /** Stores a row that nobody else has, in place of the one with its key, and gives a copy of it. */
  put(key: string, row: Row): Row {
    const before = this.get(key)
    const owner = row[this.#owner]
    if (before && before[this.#owner] !== owner) this.#disown(before[this.#owner], key)
    if (owner) this.#keys.set(owner, (this.#keys.get(owner) ?? new Set()).add(key))
    this.set(key, row)
    return copy(row)
  }

  /** Deletes a row, and gives it; null when there is none. */
  take(key: string): Row | null {
    const row = this.get(key) ?? null
    if (row) this.#disown(row[this.#owner], key)
    this.delete(key)
    return row
  }

  takeOwned(owner: string): void {
    for (const key of this.#keys.get(owner) ?? []) this.take(key)
  }

  /** Copies of the rows of an owner, without a search. */
  ofOwner(owner: string): Row[] {
    return [...(this.#keys.get(owner) ?? [])].flatMap((key) => this.get(key) ?? []).map((row) => copy(row))
  }

  /** Copies of the rows that fit. A demo has few rows, so all of them are looked at. */
  where(fits: (row: Row) => boolean): Row[] {
    return [...this.values()].filter(fits).map((row) => copy(row))
  }

  #disown(owner: unknown, key: string): void {
    const keys = this.#keys.get(owner)
    keys?.delete(key)
    if (keys?.size === 0) this.#keys.delete(owner)
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
