/** Converts a time, in any form that adapters give, to milliseconds since the epoch; null if there is none. */
export function timeOf(value: Date | string | number | null | undefined): number | null {
  if (value == null) return null
  const time = value instanceof Date ? value.getTime() : new Date(value).getTime()
  return Number.isNaN(time) ? null : time
}
