import { memoryAdapter } from '../../lib/adapters/memory.js'

type Row = Readonly<Record<string, unknown>>
type Method = (...given: unknown[]) => Promise<unknown>

/** A store as some databases are: the ids of users are numbers. */
export function numberedUsers(): ReturnType<typeof memoryAdapter> {
  let last = 0
  const withIds = (row: Row, change: (id: unknown) => unknown) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, /^(id|userId)$/.test(name) ? change(value) : value]),
    )
  const numbered = (row: Row) => withIds(row, Number)
  const methods = Object.entries(memoryAdapter()).map(([name, method]) => {
    const call: Method = async (first, ...more) => {
      const given = typeof first === 'object' ? withIds(first as Row, String) : String(first)
      if (name === 'createUser') Object.assign(given, { id: String(++last) })
      const found = (await (method as Method)(given, ...more)) as Row | null
      if (typeof found !== 'object' || !found || !/User/.test(name)) return found
      return 'session' in found
        ? { session: numbered(found['session'] as Row), user: numbered(found['user'] as Row) }
        : Array.isArray(found)
          ? found
          : numbered(found)
    }
    return [name, call]
  })
  return Object.fromEntries(methods)
}
