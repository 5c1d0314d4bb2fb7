import { object } from '../../kernel/object-shape.js'
import { either, listOf, oneOf, type Shape } from '../../kernel/shape.js'
import type { ServiceKey } from '../../sign-in/config.js'

/** All parts, in the order in which they are shown. */
export const PART_NAMES = ['profile', 'address', 'password', 'passkeys', 'accounts', 'sessions', 'tokens'] as const

/** A part of the account page: it is there if the configuration keeps something of the kind. */
export type AccountPartName = (typeof PART_NAMES)[number]

/** What the account page shows. */
export interface AccountPageOptions {
  /** Its parts in their order; by default all: `profile`, `address`, `password`, `passkeys`, `accounts`, `sessions`, `tokens`. */
  parts?: readonly AccountPartName[]
}

const off: Shape<false> = { expected: 'false', fits: (value) => value === false }

export const accountPageShape = either(
  off,
  object<AccountPageOptions>({ parts: listOf(oneOf(...PART_NAMES), `names of parts: ${PART_NAMES.join(', ')}`) }),
)

/** The parts that are shown, in their order. Null if there is no page. */
export const SHOWN_PARTS: ServiceKey<readonly AccountPartName[] | null> = { name: 'account-page' }
