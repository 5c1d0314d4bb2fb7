import { takenAddressOf } from '../accounts/refusals.js'
import { withParams } from '../context/action-urls.js'
import { createRefusedSignIns } from '../context/refused-sign-in.js'
import type { Visit } from '../context/visit.js'
import { sha256Base64url } from '../crypto/digest.js'
import { OAuthAccountNotLinked, withoutDetails } from '../errors.js'
import { addressTakenMessage } from '../pages/messages.js'
import type { Text } from '../pages/texts/text.js'

/** What the sign-in page shows to a visitor whose address another user has. */
export interface AddressHint {
  readonly error: string
  readonly message: Text
  /** The address, for the form that asks for a mailed link. */
  readonly email: string
  /** Ids of the providers to show; null for all. */
  readonly ways: ReadonlySet<string> | null
  /** Where the visitor goes after the sign-in: the page where the refused account is connected. */
  readonly target: string
}

/** Longer return targets are left out: browsers and proxies limit the length of URLs. */
const MAX_TARGET_LENGTH = 1024

/**
 * The hint for the sign-in page if a sign-in was refused because another user has the address; null for every other error. The
 * hint names the ways of that user only if the provider says that it has verified the address; otherwise it offers to prove
 * the address with a mailed link.
 */
export async function hintFor(context: Visit, error: unknown): Promise<string | null> {
  const { config, provider, keep } = context
  const { returnTarget = '' } = keep.page
  const taken = takenAddressOf(error)
  if (taken === null || !provider || !('checks' in provider.settings) || provider.settings.checks.size === 0)
    return null
  const { userId, email, isProven, hasOtherId } = taken
  const mailsLinks = [...config.providers.values()].some(({ settings }) => settings.type === 'email')
  if (!isProven && !mailsLinks) return null
  const browser = browserOf(context)
  // Every browser has the cookie that began a sign-in here. Whoever left it out wants a hint for another browser.
  if (browser === null && context.method === 'GET') return null
  try {
    const ways = isProven ? ((await config.accounts?.waysOf(userId)) ?? null) : null
    // Without a way that can be shown there is nothing to say beyond the error.
    if (ways?.length === 0) return null
    return await createRefusedSignIns(config.secrets, config.now).make({
      provider: provider.settings.id,
      email,
      isProven,
      hasOtherId,
      ways,
      returnTarget: returnTarget.length > MAX_TARGET_LENGTH ? null : returnTarget,
      browser,
    })
  } catch (fault) {
    // The refusal stays what it is.
    config.logger.error(withoutDetails(fault), context.source)
    return null
  }
}

/**
 * A digest of the CSRF cookie, which every browser has that began a sign-in here. Logs of servers have the URL with the
 * hint, so the hint counts only in the browser that got it. A provider that answers with a POST from its own site gets
 * no such cookie to the callback (SameSite=Lax); then the hint counts in every browser until it expires.
 */
function browserOf({ cookies, specs }: Visit): string | null {
  const cookie = cookies.get(specs.csrfToken.name)
  return cookie === undefined ? null : sha256Base64url(`browser of a refused sign-in ${cookie}`)
}

/** The hint in the URL of the sign-in page; null if there is none that counts. */
export async function readHint(context: Visit): Promise<AddressHint | null> {
  const { config, query, urls, origin } = context
  const text = query.get('hint')
  if (text === null || query.get('error') !== OAuthAccountNotLinked.type) return null
  const refused = await createRefusedSignIns(config.secrets, config.now).read(text)
  const provider = refused && config.providers.get(refused.provider)
  if (!refused || !provider) return null
  if (refused.browser !== null && refused.browser !== browserOf(context)) return null
  const { email, isProven, hasOtherId, ways, returnTarget } = refused
  return {
    error: OAuthAccountNotLinked.type,
    message: addressTakenMessage(provider.settings.name, { isProven, hasOtherId }),
    email,
    ways: ways && new Set(ways),
    target: withParams(urls.action('link', refused.provider), { callbackUrl: returnTarget ?? undefined }, origin),
  }
}
