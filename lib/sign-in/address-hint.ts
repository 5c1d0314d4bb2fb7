import { withoutDetails } from '../kernel/errors.js'
import { withParams } from '../pages/action-urls.js'
import { addressTakenMessage } from '../pages/messages.js'
import type { Text } from '../pages/texts/text.js'
import { hasProvider } from '../providers/provider.js'
import { takenAddressOf } from '../users/refusals.js'
import type { Note, TakenAddressNote } from './note.js'
import type { Visit } from './visit.js'

/** What the sign-in page shows to a visitor whose address another user has. */
export interface AddressHint {
  readonly error: string
  readonly addressTaken: Text
  /** The address, for the form that asks for a mailed link. */
  readonly email: string
  /** Ids of the providers to show; null for all. */
  readonly ways: ReadonlySet<string> | null
  /** Where the visitor goes after the sign-in: the page where the refused account is connected. */
  readonly target: string
}

/**
 * What the sign-in page is told if a sign-in was refused because another user has the address; undefined for every other error. It
 * names the ways of that user only if the provider says that it has verified the address; otherwise it offers to prove the
 * address with a mailed link.
 */
export async function takenAddressNote(
  { config, provider, source }: Visit,
  error: unknown,
): Promise<TakenAddressNote | undefined> {
  const taken = takenAddressOf(error)
  if (taken === null || !provider || !('checks' in provider) || provider.checks.size === 0) return undefined
  const { userId, email, isProven, hasOtherId } = taken
  const mailsLinks = hasProvider(config.providers, 'email')
  if (!isProven && !mailsLinks) return undefined
  try {
    const ways = isProven ? await (await config.users()).waysOf(userId) : null
    // Without a way that can be shown there is nothing to say beyond the error.
    return ways?.length === 0 ? undefined : { provider: provider.id, email, isProven, hasOtherId, ways }
  } catch (fault) {
    // The refusal stays what it is.
    config.logger.error(withoutDetails(fault), source)
    return undefined
  }
}

/** The hint that a note holds; null if there is none. */
export function hintIn({ config, urls, origin }: Visit, note: Note | null): AddressHint | null {
  const { taken, returnTarget } = note ?? {}
  const provider = taken && config.providers.get(taken.provider)
  if (!note || !provider) return null
  const { email, isProven, hasOtherId, ways } = taken
  return {
    error: note.about,
    addressTaken: addressTakenMessage(provider.name, { isProven, hasOtherId }),
    email,
    ways: ways && new Set(ways),
    target: withParams(urls.action('link', taken.provider), { callbackUrl: returnTarget }, origin),
  }
}
