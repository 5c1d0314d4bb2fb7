import { AdapterError } from '../kernel/errors.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import type { SqlDatabase } from './sql/sql-database.js'

/**
 * A location without its secrets: scheme, host and path of a URL, or the path of a file.
 *
 * @returns null if a part of it may be a password, as in a URL whose password has a "/" that is not percent-encoded
 */
export function withoutSecrets(location: string): string | null {
  const file = /^(?:sqlite|file):(?!.*:\/\/)(?:\/\/)?(.*)$/is.exec(location)?.[1] ?? location
  if (!/^[a-z][a-z\d+.-]+:/i.test(file)) return isPlain(file) ? location : null
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(file) || !isAbsoluteUrl(file)) return null
  const { protocol, host, pathname, hash } = new URL(file)
  return isPlain(host) && isPlain(pathname) && hash === '' ? `${protocol}//${host}${pathname}` : null
}

/**
 * Whether a text has none of the characters that join the parts of URLs, of their queries and of connection strings.
 */
const isPlain = (text: string): boolean => !/[@=?#"'`\n]|:\/\/|^\s|\s$/.test(text)

/**
 * Which engine a URL names; anything without a scheme is a SQLite file.
 *
 * @throws {AdapterError} when it is neither a URL nor the path of a file, and may hold a password; it is not repeated
 */
export function databaseAt(location: string): SqlDatabase {
  if (withoutSecrets(location) === null) throw notALocation()
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(location)?.[1]?.toLowerCase()
  if (scheme === 'sqlite' || scheme === 'file') return { sqlite: location.replace(/^\w+:(?:\/\/)?/, '') }
  return scheme === undefined ? { sqlite: location } : { url: location }
}

const notALocation = () =>
  new AdapterError(
    'The database is given as postgres://user:password@host/name, mysql://… or mariadb://…, or as the path of a SQLite file ' +
      'without any of @ = ? # and quotes. In a user name or password such characters, and : / [ ] %, are percent-encoded.',
  )
