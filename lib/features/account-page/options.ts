import { object } from '../../kernel/object-shape.js'
import { either, listOf, off, oneOf } from '../../kernel/shape.js'
import { type AccountPartName, PART_NAMES } from '../../sign-in/account-part.js'

/** What the account page shows. */
export interface AccountPageOptions {
  /**
   * Its parts in their order: `profile`, `address`, `password`, `passkeys`, `accounts`, `sessions`, `tokens`, `data` by default.
   * With `deletion`, people can delete their account.
   */
  parts?: readonly AccountPartName[]
}

export const accountPageShape = either(
  off,
  object<AccountPageOptions>({ parts: listOf(oneOf(...PART_NAMES), `names of parts: ${PART_NAMES.join(', ')}`) }),
)

/**
 * The parts that a configuration shows; null for no page. Nobody deletes an account where the application has not thought of what
 * else hangs on it.
 */
export const shownParts = (given: AccountPageOptions | false = {}): readonly AccountPartName[] | null =>
  given === false ? null : (given.parts ?? PART_NAMES.filter((name) => name !== 'deletion'))
