import { EmailSignInError, withoutDetails } from '../../errors.js'
import { parseAddress } from '../../providers/mail/address.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'

/** Longer entries are no addresses, and folding makes some characters eighteen. */
const MAX_ENTRY_LENGTH = 1000

/**
 * The one form of what was entered as an address: the key of the user, of the token, and what the mail goes to.
 *
 * @throws {EmailSignInError} when it is not one address
 */
export function readIdentifier({ id, source }: ResolvedEmailProvider, entered: unknown): string {
  if (typeof entered !== 'string' || entered === '' || entered.length > MAX_ENTRY_LENGTH) throw refused(id)
  const identifier = source.normalizeIdentifier ? askApplication(id, source, entered) : parseAddress(entered)
  // An application may sign in by other things than addresses, but nothing ends a line of a mail's header.
  if (typeof identifier !== 'string' || identifier === '' || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(identifier)) throw refused(id)
  return identifier
}

function askApplication(id: string, source: ResolvedEmailProvider['source'], entered: string): unknown {
  try {
    return source.normalizeIdentifier?.(entered)
  } catch (error) {
    throw new EmailSignInError(`Provider "${id}": normalizeIdentifier() refused what was entered.`, {
      err: withoutDetails(error),
      provider: id,
      // It is how an application says that an address is not taken.
      isFault: false,
    })
  }
}

const refused = (provider: string) =>
  new EmailSignInError(`Provider "${provider}": what was entered is not one plain e-mail address.`, { provider })
