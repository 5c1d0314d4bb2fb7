import { InvalidConfiguration } from '../errors.js'

/**
 * Refuses what was handed over in place of a configuration, or of a function that gives one. Express calls a function that was handed over uncalled
 * with a request, and all options of a configuration may be missing from that.
 *
 * @param call how the function is called: `requireAuth(config)`
 * @throws {InvalidConfiguration}
 */
export function checkSource(source: unknown, call: string): void {
  const given = wrongSource(source)
  if (given !== null) throw new InvalidConfiguration(`${given}; call it: ${call}.`)
}

function wrongSource(source: unknown): string | null {
  if (source === undefined || source === null) return 'No configuration was given'
  // Of a request a function makes a configuration; a middleware would answer it.
  if (typeof source === 'function') return source.length > 2 ? inPlace('A middleware') : null
  if (typeof source !== 'object') return inPlace(`A ${typeof source}`)
  if (Array.isArray(source)) return inPlace('A list')
  if ('setHeader' in source || ('headers' in source && 'status' in source)) return inPlace('A response')
  return 'headers' in source && 'method' in source ? inPlace('A request') : null
}

const inPlace = (what: string) => `${what} was given in place of the configuration`
