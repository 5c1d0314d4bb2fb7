import { CallbackRouteError, withoutDetails } from '../../kernel/errors.js'
import { foldAddress } from '../../providers/mail/address.js'
import { lookAtSession, signedInAs, type Visit } from '../../sign-in/visit.js'
import type { LimitsOptions } from './options.js'

/** Fields that name an account. */
const NAMES = ['email', 'username', 'login', 'user', 'name', 'phone']

/** Longer names are of nobody; what is behind makes no other account of it. */
const LONGEST = 1000

/** A name of an account that was entered. */
export interface AccountName {
  /** As Latchkey writes addresses, without blanks. Empty for what is no text, so that all of that is one. */
  readonly name: string
  /**
   * One text for all spellings that a database or an application may take for the same: without accents, too. Tries are counted by it.
   * Somebody else may have a name that differs in accents alone, so only the plain name stands for the account.
   */
  readonly counted: string
}

export function accountName(value: unknown): AccountName {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return { name: '', counted: '' }
  const name = foldAddress(text.replace(/[\s\p{C}\p{Z}]+/gu, '').slice(0, LONGEST)).replace(/[\s\p{C}\p{Z}]+/gu, '')
  // Upper case first: it makes one of ß and ss, and of the two small sigmas.
  const counted = name
    .normalize('NFKD')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
  return { name, counted }
}

/**
 * The accounts that a try is about: one for each name that was entered, because the application may look any of them up; and on
 * a page of the mount, whoever is signed in.
 *
 * @returns none for a link that a mail has brought
 * @throws {CallbackRouteError} when `limits.accountOf` throws
 */
export async function accountsIn(visit: Visit, { accountOf }: LimitsOptions): Promise<readonly AccountName[]> {
  const { provider, fields, query } = visit
  if (provider?.type !== 'credentials') {
    const { email = query.get('email') } = fields
    return entered([email, provider === null ? signedInAs(await lookAtSession(visit, 'read')) : null])
  }
  if (accountOf) return entered([ask(accountOf, provider.id, fields)])
  const names = nameFields(provider.fields, fields)
  const all = entered(names.map((name) => fields[name]))
  return names.length > 0 && all.length === 0 ? [accountName('')] : all
}

const entered = (values: readonly unknown[]): readonly AccountName[] =>
  values.filter((value) => value !== null && value !== undefined && value !== '').map(accountName)

type Fields = Readonly<Record<string, unknown>>

/** The fields of a form that name accounts; of a form that is not declared, those that it has. */
function nameFields(declared: Fields | null, given: Fields): readonly string[] {
  const names = NAMES.filter((name) => Object.hasOwn(declared ?? given, name))
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
