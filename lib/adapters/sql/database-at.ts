import { AdapterError } from '../../errors.js'
import { withoutSecrets } from '../location.js'
import type { SqlDatabase } from './sql-database.js'

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
