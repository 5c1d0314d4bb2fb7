import { object } from '../../kernel/object-shape.js'
import { either, listOf, oneOf, type Shape } from '../../kernel/shape.js'

/** All parts, in the order in which they are shown. */
const PART_NAMES = [
  'profile',
  'address',
  'password',
  'passkeys',
  'accounts',
  'sessions',
  'tokens',
  'data',
  'deletion',
] as const

/** A part of the account page: it is there if the configuration keeps something of the kind. */
export type AccountPartName = (typeof PART_NAMES)[number]

/** What the account page shows. */
export interface AccountPageOptions {
  /**
   * Its parts in their order: `profile`, `address`, `password`, `passkeys`, `accounts`, `sessions`, `tokens`, `data` by default.
   * With `deletion`, people can delete their account.
   */
  parts?: readonly AccountPartName[]
}

const off: Shape<false> = { expected: 'false', fits: (value) => value === false }

export const accountPageShape = either(
  off,
  object<AccountPageOptions>({ parts: listOf(oneOf(...PART_NAMES), `names of parts: ${PART_NAMES.join(', ')}`) }),
)

/** The parts that a configuration shows; null for no page. Whoever uses the tables of users elsewhere decides what a deletion takes. */
export const shownParts = (given: AccountPageOptions | false = {}): readonly AccountPartName[] | null =>
  given === false ? null : (given.parts ?? PART_NAMES.filter((name) => name !== 'deletion'))
