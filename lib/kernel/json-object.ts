/** Whether a value that JSON can have is an object, and no array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object in a JSON text; null if the text is not JSON, or has something else in it. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** A text as it is; empty for every other value. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
