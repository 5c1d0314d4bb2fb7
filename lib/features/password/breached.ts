import { createHash } from 'node:crypto'
import { createBackChannel } from '../../kernel/back-channel.js'
import { AuthError, withoutDetails } from '../../kernel/errors.js'
import type { Log } from '../../kernel/logger.js'
import type { BreachedPasswords } from '../../providers/provider.js'

/** Asks whether a password is in a list of breached ones; null if it is not, or that cannot be known and need not be. */
export type BreachCheck = (password: string) => Promise<'breached' | 'unavailable' | null>

/** The person waits for the answer. */
const TIMEOUT_MS = 3000
/** Characters of the digest that the service gets. The answer has some hundred digests that begin so. */
const PREFIX_LENGTH = 5

/**
 * Asks a service with the interface of Have I Been Pwned: it gets five characters of the digest, and never learns which of the
 * passwords that have them was meant.
 *
 * @see https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange
 */
export function createBreachCheck(
  { whenUnavailable = 'accept', url = 'https://api.pwnedpasswords.com/range/' }: BreachedPasswords,
  logger: Log,
): BreachCheck {
  const call = createBackChannel({ timeoutMs: TIMEOUT_MS })
  return async (password) => {
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase()
    const rest = digest.slice(PREFIX_LENGTH)
    const asked = new URL(url + digest.slice(0, PREFIX_LENGTH))
    try {
      // With padding, the length of the answer does not say what was asked.
      const answer = await call(asked, { headers: { 'add-padding': 'true' } })
      if (!answer.ok) throw new Error(`It answered ${answer.status}.`)
      const lines = (await answer.text()).split(/\r?\n/).filter((line) => line !== '')
      // Each range has hundreds of digests: no list is no answer.
      if (lines.length === 0 || !lines.every((line) => LINE.test(line)))
        throw new Error('It answered no list of digests.')
      // Padding counts zero times.
      return lines.some((line) => line.toUpperCase().startsWith(`${rest}:`) && !/:0+$/.test(line)) ? 'breached' : null
    } catch (error) {
      // Errors of calls have the path, which has what the service learns of the password.
      const err = withoutDetails(error, (message) => message.replaceAll(asked.origin + asked.pathname, asked.origin))
      logger.error(new AuthError('Breached passwords could not be looked up.', { err }), undefined)
      return whenUnavailable === 'refuse' ? 'unavailable' : null
    }
  }
}

const LINE = /^[\dA-F]{35}:\d+$/i
