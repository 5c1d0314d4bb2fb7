import { withoutSecrets } from '../adapters/location.js'
import { isAbsoluteUrl } from '../kernel/urls.js'

/** A location as it may be printed. */
export const shown = (location: string): string => withoutSecrets(location) ?? '(a location that cannot be shown)'

type Advice = readonly (readonly [pattern: RegExp, advice: string])[]

const ADVICE: Advice = [
  [/ECONNREFUSED|ENOENT.*\.s\.PGSQL/, 'Nothing listens there: is the server running, and are host and port right?'],
  [/ENOTFOUND|EAI_AGAIN/, 'There is no such host: is its name right?'],
  [
    /Access denied|password authentication failed|no pg_hba\.conf entry/,
    'The server refuses this user: check name and password.',
  ],
  [/Unknown database|database .* does not exist/, 'Create the database first.'],
  [/permission denied|command denied/, 'This user may not create tables: run the migration as a user who may.'],
]

/**
 * What went wrong, without the secrets of a location.
 *
 * @param further advice for the failures of one command; it comes before the advice for all commands
 */
export function explain(error: unknown, location: string, further: Advice = []): string {
  const message = error instanceof Error ? error.message : String(error)
  const advice = [...further, ...ADVICE].find(([pattern]) => pattern.test(message))?.[1]
  const said = secretsOf(location).reduce((text, secret) => text.replaceAll(secret, '…'), message)
  return advice === undefined ? said : `${said}\n${advice}`
}

/** The secrets, longest first: if a secret contains another one, it must be replaced first, and as a whole. */
function secretsOf(location: string): string[] {
  const { username, password, search, searchParams } = isAbsoluteUrl(location) ? new URL(location) : new URL('none:')
  const secrets = [location, password, decode(password), search, ...[...searchParams.values()].filter(isLong)]
  // A password without a name in front of it.
  if (password === '') secrets.push(username, decode(username))
  // The path of a file is not secret, and messages name a file that cannot be opened.
  const isFile = withoutSecrets(location) === location
  return secrets.filter((secret) => secret !== '' && !isFile).sort((one, other) => other.length - one.length)
}

const isLong = (text: string) => text.length > 3

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
