import { CallbackRouteError, withoutDetails } from '../../kernel/errors.js'
import { lookAtSession, signedInAs, type Visit } from '../../sign-in/visit.js'
import type { LimitsOptions } from './options.js'

/** Fields that name an account. */
const NAMES = ['email', 'username', 'login', 'user', 'name', 'phone']

/** Longer names are of nobody; what is behind makes no other account of it. */
const LONGEST = 1000

/**
 * One text for all spellings of a name that a database or an application may take for the same: it has the letters and digits
 * alone, in one case and without accents. That two accounts may share a limit does no harm; that somebody tries one account by a thousand
 * names would.
 *
 * @returns an empty text for what is no text, so that all of that is counted together
 */
export function foldAccount(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return ''
  const letters = text.replace(/[^\p{L}\p{N}\p{M}]+/gu, '').slice(0, LONGEST)
  // Upper case first: it makes one of ß and ss, and of the two small sigmas.
  return letters
    .normalize('NFKD')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/**
 * The accounts that a try is about: one for each name that was entered, because the application may look any of them up; and on
 * a page of the mount, whoever is signed in.
 *
 * @returns none for a link that a mail has brought
 * @throws {CallbackRouteError} when `limits.accountOf` throws
 */
export async function accountsIn(visit: Visit, { accountOf }: LimitsOptions): Promise<readonly string[]> {
  const { provider, fields, query } = visit
  if (provider?.type === 'credentials') {
    if (accountOf) return present([ask(accountOf, provider.id, fields)])
    return nameFields(provider.fields, fields).map((name) => foldAccount(fields[name]))
  }
  const { email = query.get('email') } = fields
  return present([email, provider === null ? signedInAs(await lookAtSession(visit, 'read')) : null])
}

const present = (names: readonly unknown[]) =>
  names.filter((name) => name !== null && name !== undefined).map(foldAccount)

type Fields = Readonly<Record<string, unknown>>

/** The fields of a form that name accounts. What is not declared may be left out of a try, and is not believed to be there. */
function nameFields(declared: Fields | null, entered: Fields): readonly string[] {
  const names = NAMES.filter((name) => Object.hasOwn(declared ?? entered, name))
  if (names.length > 0 || declared === null) return names
  const isSecret = (name: string) => (declared[name] as { readonly type?: unknown } | null)?.type === 'password'
  return Object.keys(declared)
    .filter((name) => !isSecret(name))
    .slice(0, 1)
}

function ask(accountOf: NonNullable<LimitsOptions['accountOf']>, provider: string, fields: Fields) {
  try {
    return accountOf(fields, provider)
  } catch (error) {
    throw new CallbackRouteError('limits.accountOf threw.', { err: withoutDetails(error), provider })
  }
}
