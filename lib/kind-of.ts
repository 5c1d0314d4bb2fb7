/**
 * What kind of value an application's function gave, for a message to its developer. `an object` is an object literal, or an instance of a
 * class that the application or its database library declares; whatever the language or the platform has a word for goes by that word.
 */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  switch (typeof value) {
    case 'object': {
      const prototype: unknown = Object.getPrototypeOf(value)
      if (prototype === Object.prototype || prototype === null) return 'an object'
      // [object Date], [object Response]: what is named so is no record of members, however it was derived.
      const name = value instanceof Error ? 'Error' : Object.prototype.toString.call(value).slice('[object '.length, -1)
      return name === 'Object' ? 'an object' : `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`
    }
    case 'string':
      return 'a text'
    case 'undefined':
      return 'undefined'
    default:
      return `a ${typeof value}`
  }
}

/** Whether a value is an object with members: no array, and no Error, Date, Response, Map or other object that is something else. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => kindOf(value) === 'an object'
