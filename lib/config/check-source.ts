import { InvalidConfiguration } from '../errors.js'

/**
 * Refuses a value that is neither a configuration nor a function that returns one. If an application gives `requireAuth`
 * to Express without calling it, Express calls it with a request. A request would pass for a configuration in which all
 * options are missing.
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
  // A function that makes a configuration has one parameter, the request. A middleware has more.
  if (typeof source === 'function') return source.length > 2 ? inPlace('A middleware') : null
  if (typeof source !== 'object') return inPlace(`A ${typeof source}`)
  if (Array.isArray(source)) return inPlace('A list')
  if ('setHeader' in source || ('headers' in source && 'status' in source)) return inPlace('A response')
  return 'headers' in source && 'method' in source ? inPlace('A request') : null
}

const inPlace = (what: string) => `${what} was given in place of the configuration`
