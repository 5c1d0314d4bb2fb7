import { withPlainDigits } from '../../kernel/entered-code.js'
import { CallbackRouteError, withoutDetails } from '../../kernel/errors.js'
import { isFirstTime } from '../../kernel/logger.js'
import { foldAddress, parseAddress } from '../../providers/mail/address.js'
import { readIdentifier } from '../../providers/mail/identifier.js'
import { noticeSenderIn } from '../../providers/provider.js'
import type { LimitKind } from '../../sign-in/flow.js'
import { heldIn } from '../../sign-in/held-sign-in.js'
import { lookAtSession, type Visit } from '../../sign-in/visit.js'
import type { LimitsOptions } from './options.js'

/** Fields that name an account. */
const NAMES = ['email', 'username', 'login', 'user', 'name', 'phone']

/** Longer names are of nobody; what is behind makes no other account of it. */
const LONGEST = 1000

/** A name of an account that was entered. */
export interface AccountName {
  /** As it was entered. Empty for what is no text, so that all of that is one. */
  readonly name: string
  /**
   * Texts by which tries are counted, one for all that a database or an application may take for the same: without blanks
   * and case, and without accents as well. Somebody else may have a name that differs in these, so each stands for the account of
   * that very name alone.
   */
  readonly spellings: readonly string[]
}

export function accountName(value: unknown): AccountName {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return { name: '', spellings: [''] }
  const name = text.slice(0, LONGEST)
  const bare = text
    .replace(/\p{Lm}/gu, apart)
    .replace(NOTHING, '')
    .slice(0, LONGEST)
  const small = foldAddress(name).replace(UNSEEN, '')
  return { name, spellings: [...new Set([folded(parseAddress(bare) ?? bare), parseAddress(small) ?? small])] }
}

/** Takes characters apart: a small raised letter, for one, is a plain letter to whoever folds a name to look it up. */
const apart = (text: string) => text.normalize('NFKD')

/** What is not seen: blanks and controls. */
const UNSEEN = /[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu

/** The same, and characters that a database does not compare. */
const NOTHING = /[\s\p{C}\p{Z}\p{M}\p{Lm}\p{Default_Ignorable_Code_Point}]+/gu

/** Letters with strokes and ligatures, which Unicode does not take apart and databases do. */
const LETTERS: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}

function folded(text: string): string {
  const plain = (each: string) => apart(each).replace(NOTHING, '')
  // Upper case between: it makes one of ß and ss, and of the two small sigmas.
  const small = plain(plain(text).toUpperCase().toLowerCase())
  return withPlainDigits(small.replace(/[øłđðħŧıæœþ]/g, (letter) => LETTERS[letter] ?? letter)).normalize('NFC')
}

/**
 * The accounts that a try is about: one for each name that was entered, because the application may look any of them up; and on
 * a page of the mount, whoever is signed in.
 *
 * @returns none for a link that a mail has brought
 * @throws {CallbackRouteError} when `limits.accountOf` throws
 */
export async function accountsIn(
  visit: Visit,
  { accountOf }: LimitsOptions,
  kind: LimitKind,
): Promise<readonly AccountName[]> {
  const { provider, fields, query } = visit
  // No field says whose code it is: nobody counts for somebody else.
  if (kind === 'codes') return whoseCode(visit)
  if (provider?.type !== 'credentials') {
    const { email = query.get('email') } = fields
    return entered([addressOf(visit, email), provider === null ? await whoseVisit(visit) : null])
  }
  // No code of the application looks anybody up here, so `accountOf` has nothing to say.
  if (provider.password !== null) return [accountName(addressOf(visit, fields['email']))]
  if (accountOf) return entered([ask(accountOf, provider.id, fields)])
  const names = nameFields(provider.fields, fields)
  const all = entered(names.map((name) => fields[name]))
  if (provider.fields === null && names.length === 0 && isFirstTime(visit.config.logger, 'tries-without-account')) {
    visit.config.logger.warn('tries-without-account', { provider: provider.id }, visit.source)
  }
  return names.length > 0 && all.length === 0 ? [accountName('')] : all
}

/** The address that is looked up, and gets the mails: several spellings may be one for the application. */
function addressOf({ provider, config }: Visit, address: unknown): unknown {
  const sender = provider?.type === 'email' ? provider : noticeSenderIn([...config.providers.values()])
  if (sender === null) return address
  try {
    return readIdentifier(sender, address)
  } catch {
    // Nobody has it, and it gets no mail.
    return address
  }
}

/** Whose second factor is entered. Their id is known, so nobody counts for somebody whose address is like it. */
async function whoseCode(visit: Visit): Promise<readonly AccountName[]> {
  const userId = await idOf(visit)
  return userId === null ? [] : [{ ...accountName(await nameOf(visit, userId)), spellings: [JSON.stringify([userId])] }]
}

/** The address of whoever is signed in, or is about to be, by which they sign in with a password as well; or their id. */
async function whoseVisit(visit: Visit): Promise<string | null> {
  const userId = await idOf(visit)
  return userId === null ? null : nameOf(visit, userId)
}

const idOf = async (visit: Visit): Promise<string | null> =>
  (await heldIn(visit))?.userId ?? (await lookAtSession(visit, 'read'))?.userId ?? null

const nameOf = async ({ config }: Visit, userId: string): Promise<string> =>
  (await config.store?.getUser(userId))?.email ?? userId

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
