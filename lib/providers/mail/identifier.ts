import { EmailSignInError, withoutDetails } from '../../kernel/errors.js'
import type { ResolvedEmailProvider } from '../provider.js'
import { parseAddress } from './address.js'

/** Longer entries are not addresses. The limit is needed because folding turns some characters into eighteen. */
const MAX_ENTRY_LENGTH = 1000

/**
 * The one form of an entered address. The user and the token are stored under it, and the mail is sent to it.
 *
 * @throws {EmailSignInError} when it is not one address
 */
export function readIdentifier({ id, source }: ResolvedEmailProvider, entered: unknown): string {
  if (typeof entered !== 'string' || entered === '' || entered.length > MAX_ENTRY_LENGTH) throw refused(id)
  const identifier = source.normalizeIdentifier ? askApplication(id, source, entered) : parseAddress(entered)
  // An application may let people sign in by something else than an address, but line breaks are refused: they would
  // end a line of the mail's header.
  if (typeof identifier !== 'string' || identifier === '' || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(identifier)) throw refused(id)
  return identifier
}

/**
 * The same; null for what is not one address. Whoever entered it learns no more, so the log has what broke in the application's code.
 */
export function addressOrNull(
  provider: ResolvedEmailProvider,
  entered: unknown,
  report: (fault: EmailSignInError) => void,
): string | null {
  try {
    return readIdentifier(provider, entered)
  } catch (error) {
    // To refuse an address, an application throws errors of its own.
    if (error instanceof EmailSignInError && BROKEN.test(error.cause?.err?.name ?? ''))
      report(new EmailSignInError(error.message, { ...error.cause, isFault: true }))
    return null
  }
}

/** What the language itself throws. */
const BROKEN = /^(?:Range|Reference|Syntax|Type|URI)Error$/

function askApplication(id: string, source: ResolvedEmailProvider['source'], entered: string): unknown {
  try {
    return source.normalizeIdentifier?.(entered)
  } catch (error) {
    throw new EmailSignInError(`Provider "${id}": normalizeIdentifier() refused what was entered.`, {
      err: withoutDetails(error),
      provider: id,
      // An application throws this to say that it does not accept an address.
      isFault: false,
    })
  }
}

const refused = (provider: string) =>
  new EmailSignInError(`Provider "${provider}": what was entered is not one plain e-mail address.`, { provider })
