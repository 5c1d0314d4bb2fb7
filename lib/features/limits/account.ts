import { withPlainDigits } from '../../kernel/entered-code.js'
import { CallbackRouteError, withoutDetails } from '../../kernel/errors.js'
import { isFirstTime } from '../../kernel/logger.js'
import { parseAddress } from '../../providers/mail/address.js'
import { addressOrNull } from '../../providers/mail/identifier.js'
import { noticeSenderIn } from '../../providers/provider.js'
import type { LimitKind } from '../../sign-in/flow.js'
import { heldIn } from '../../sign-in/held-sign-in.js'
import { type AccountName, lookAtSession, type Visit } from '../../sign-in/visit.js'
import list from './alike-characters.json' with { type: 'json' }
import type { LimitsOptions } from './options.js'

/** Fields that name an account. */
const NAMES = ['email', 'username', 'login', 'user', 'name', 'phone']

/** Longer names are of nobody; what is behind makes no other account of it. */
const LONGEST = 1000

/** What an application may make a name of, by leaving out what is nothing, is not so long. */
const ABSURD = 10_000

/** An address, in the one form in which Latchkey looks it up. A store that takes another one for the same is not believed. */
export const accountOfAddress = (address: string): AccountName => ({ space: '', name: address, own: address, like: [] })

/** @param value as it was entered */
export function accountName(space: string, value: unknown): AccountName {
  // An application may make a text of what is none.
  const entered = typeof value === 'string' ? value : textFrom(value)
  // All that are longer than any are one: otherwise each would take long to be made like others.
  const text = entered.length > ABSURD ? '' : entered
  const name = text.slice(0, LONGEST)
  // With what is left out before somebody is looked up, names may differ in what a database takes for letters.
  const forms = new Set(LEFT_OUT.map((each) => text.replace(each, '')))
  for (const each of [...forms]) forms.add(each.replace(BEYOND_TWO_BYTES, ''))
  return { space, name, own: name, like: [...new Set([...forms].map(folded))] }
}

/** Not every object can be made a text of. */
function textFrom(value: unknown): string {
  try {
    return String(value)
  } catch {
    return ''
  }
}

/** Old collations of MySQL take all of these for the same. */
const BEYOND_TWO_BYTES = /[\u{10000}-\u{10ffff}]+/gu

/**
 * What is not seen, and what some database does not compare: everything but plain characters, letters and digits. Of letters, those
 * that stand before the one which they are spoken after: a database changes their places.
 */
const NOTHING = /[^!-~\p{L}\p{N}]+|[\p{Lm}\p{Logical_Order_Exception}]+/gu

/**
 * Characters that databases which know neither case nor accents take for others, by what they take them for. Those that
 * {@link folded} finds out by itself are not among them. A test asks MariaDB and PostgreSQL, and writes the list.
 */
const ALIKE = new Map(
  list.alike.split(' ').flatMap((word) => {
    const [plain = '', others = ''] = word.split(':')
    return [...others].map((each) => [each, plain] as const)
  }),
)

const MARKS = /\p{M}+/gu
const SIGNS = /[^\p{L}\p{N}]+/gu

/** What some application removes as accents: nothing, all marks, or those of Latin letters alone. */
const LEFT_OUT = [/(?!)/g, MARKS, /[\u0300-\u036f]+/g]

const ONE_OF_THESE = new RegExp(`[${[...ALIKE.keys()].join('')}]`, 'gu')

const alike = (text: string) => text.replace(ONE_OF_THESE, (each) => ALIKE.get(each) ?? each)

/** Plain characters; empty for nothing. Marks go before a text is taken apart: that sorts them, and many take long. */
const plainly = (text: string) => alike(alike(text).replace(MARKS, '').normalize('NFKD')).replace(NOTHING, '')

/** The same for all names that some database may take for each other. */
function folded(text: string): string {
  const bare = plainly(text)
  // Numbers of phones are looked up without their signs. And what is nothing goes before the cut: it could fill the length that counts.
  const letters = (parseAddress(bare) ?? bare).replace(SIGNS, '').slice(0, LONGEST)
  const plain = (each: string) => each.normalize('NFKD').replace(NOTHING, '')
  // Upper case between: it makes one of ß and ss, and of the two small sigmas.
  const small = plain(plain(letters.toLowerCase()).toUpperCase().toLowerCase())
  // Some take ß for s.
  return withPlainDigits(small).replace(/ss+/g, 's').normalize('NFC')
}

/**
 * The accounts that a try is about, each once: one for each name that was entered, because the application may look any of them up;
 * and on a page of the mount, whoever is signed in.
 *
 * @returns none for a link that a mail has brought, and for what is no address where one is looked up
 * @throws {CallbackRouteError} when `limits.accountOf` throws
 */
export async function accountsIn(
  visit: Visit,
  options: LimitsOptions,
  kind: LimitKind,
): Promise<readonly AccountName[]> {
  const accounts = await namedIn(visit, options, kind)
  return [...new Map(accounts.map((each) => [JSON.stringify(each), each])).values()]
}

async function namedIn(visit: Visit, { accountOf }: LimitsOptions, kind: LimitKind): Promise<readonly AccountName[]> {
  const { provider, fields, query } = visit
  // No field says whose code it is: nobody counts for somebody else.
  if (kind === 'codes') return whoseCode(visit)
  // An address gets the mail, in this very form.
  if (kind === 'mails') return [...addressIn(visit), ...(provider === null ? await whoseSession(visit) : [])]
  if (provider === null) return whoseSession(visit)
  if (provider.type === 'email') {
    const { email = query.get('email') } = fields
    // As it is sent: a token is looked up with it.
    return isEntered(email) ? [accountName('', email)] : []
  }
  if (provider.type !== 'credentials') return []
  // No code of the application looks anybody up here, so `accountOf` has nothing to say.
  if (provider.password !== null) return addressIn(visit)
  const named = (value: unknown) => accountName(provider.id, value)
  if (accountOf) return [ask(accountOf, provider.id, fields)].filter(isEntered).map(named)
  const names = nameFields(provider.fields, fields)
  const all = names.map((name) => fields[name]).filter(isEntered)
  if (
    provider.fields === null &&
    names.length === 0 &&
    isFirstTime(visit.config.logger, `tries-without-account ${provider.id}`)
  ) {
    visit.config.logger.warn('tries-without-account', { provider: provider.id }, visit.source)
  }
  return names.length > 0 && all.length === 0 ? [named('')] : all.map(named)
}

/** The address that was entered, if it is one. */
function addressIn({ provider, config, fields: { email }, source }: Visit): readonly AccountName[] {
  const sender = provider?.type === 'email' ? provider : noticeSenderIn([...config.providers.values()])
  const address = sender && addressOrNull(sender, email, (fault) => config.logger.error(fault, source))
  // Without one, nobody has it, and it gets no mail.
  return address === null ? [] : [accountOfAddress(address)]
}

/** Whose second factor is entered. Their id is known, so nobody counts for somebody whose address is like it. */
async function whoseCode(visit: Visit): Promise<readonly AccountName[]> {
  const userId = (await heldIn(visit))?.userId ?? (await signedInId(visit))
  if (userId === null) return []
  return [{ ...accountOfAddress(await nameOf(visit, userId)), own: idText(userId) }]
}

/** Whoever is signed in, by the address by which they sign in with a password as well. */
async function whoseSession(visit: Visit): Promise<readonly AccountName[]> {
  const userId = await signedInId(visit)
  return userId === null ? [] : [accountOfAddress(await nameOf(visit, userId))]
}

async function signedInId(visit: Visit): Promise<string | null> {
  const userId = (await lookAtSession(visit, 'read'))?.userId ?? null
  return userId === null ? null : String(userId)
}

/** A confirmed address is nobody else's. Without one, it is the id, which is no name of anybody. */
async function nameOf({ config }: Visit, userId: string): Promise<string> {
  const user = await config.store?.getUser(userId)
  return (user?.emailVerified && user.email) || idText(userId)
}

const idText = (userId: string) => JSON.stringify([userId])

const isEntered = (value: unknown): boolean => value !== null && value !== undefined && value !== ''

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
