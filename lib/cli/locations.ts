/** A location as it may be printed. */
export function withoutPassword(location: string): string {
  if (!location.includes('://')) return location
  if (!URL.canParse(location)) return '(a URL that cannot be read)'
  const url = new URL(location)
  return `${url.protocol}//${url.username && `${url.username}@`}${url.host}${url.pathname}`
}

type Advice = readonly (readonly [pattern: RegExp, advice: string])[]

const ADVICE: Advice = [
  [/ECONNREFUSED|ENOENT.*\.s\.PGSQL/, 'Nothing listens there: is the server running, and are host and port right?'],
  [/ENOTFOUND|EAI_AGAIN/, 'There is no such host: is its name right?'],
  [
    /Access denied|password authentication failed|no pg_hba\.conf entry/,
    'The server refuses this user: check name and password.',
  ],
  [/Unknown database|database .* does not exist/, 'Create the database first.'],
  [/permission denied|command denied/, 'This user may not create tables: run the migration as one who may.'],
]

/**
 * What went wrong, without the secrets of a location.
 *
 * @param further what to do about failures of one command, before what holds for all
 */
export function explain(error: unknown, location: string, further: Advice = []): string {
  const message = error instanceof Error ? error.message : String(error)
  const advice = [...further, ...ADVICE].find(([pattern]) => pattern.test(message))?.[1]
  const said = secretsOf(location).reduce((text, secret) => text.replaceAll(secret, '…'), message)
  return advice === undefined ? said : `${said}\n${advice}`
}

function secretsOf(location: string): string[] {
  if (!URL.canParse(location)) return location.includes('://') ? [location] : []
  const { password, search } = new URL(location)
  return [location, password, decode(password), search].filter((secret) => secret !== '')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
