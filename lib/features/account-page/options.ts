import { object } from '../../kernel/object-shape.js'
import { call, either, listOf, off, oneOf, type Shape } from '../../kernel/shape.js'
import { type AccountPartName, PART_NAMES } from '../../sign-in/account-part.js'
import type { OwnAccountPart } from './own-parts.js'

/** What the account page shows. */
export interface AccountPageOptions {
  /**
   * Its parts in their order: `profile`, `address`, `password`, `passkeys`, `secondFactor`, `accounts`, `sessions`, `tokens`,
   * `language`, `securityEvents`, `data` by default. With `deletion`, people can delete their account. A function makes a part of your own.
   */
  parts?: readonly (AccountPartName | OwnAccountPart)[]
}

const own: Shape<OwnAccountPart> = { expected: call.expected, fits: call.fits }

export const accountPageShape = either(
  off,
  object<AccountPageOptions>({
    parts: listOf(either(oneOf(...PART_NAMES), own), `functions and names of parts: ${PART_NAMES.join(', ')}`),
  }),
)

/**
 * The parts that a configuration shows; null for no page. Nobody deletes an account where the application has not thought of what
 * else hangs on it.
 */
export const shownParts = (given: AccountPageOptions | false = {}): AccountPageOptions['parts'] | null =>
  given === false ? null : (given.parts ?? PART_NAMES.filter((name) => name !== 'deletion'))
