import type { BodyFields } from '../kernel/body.js'
import { REMEMBER_FIELD } from './form-field.js'

export { REMEMBER_FIELD }

/** What a ticked checkbox without a value of its own sends. Pages that show a failure have it in their query. */
export const TICKED = 'on'

/** The others come from scripts. */
const VALUES: ReadonlySet<unknown> = new Set([TICKED, 'true', '1', true])

/**
 * Whether the visitor ticked the checkbox. Any other value counts as not ticked, so a mistake does not keep anybody signed
 * in. How long the session lives is never read from a request.
 */
export const isRemembered = (fields: BodyFields): boolean =>
  Object.hasOwn(fields, REMEMBER_FIELD) && VALUES.has(fields[REMEMBER_FIELD])
