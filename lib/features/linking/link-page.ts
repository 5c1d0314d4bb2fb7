import { isAbsoluteUrl } from '../../kernel/urls.js'
import { isOfAnotherUser, linkMessage } from '../../pages/messages.js'
import { pageText, type TextKey } from '../../pages/texts/text.js'
import type { LinkPurpose, LinkView } from '../../pages/view.js'

/** The input of the page that asks before an account is added. */
interface LinkPageInput
  extends Pick<
    LinkView,
    'providerName' | 'action' | 'userName' | 'purpose' | 'request' | 'csrfToken' | 'callbackUrl' | 'insecure'
  > {
  /** What the provider is asked for beside the usual (RFC 6749 §3.3); null for nothing. */
  readonly scope: string | null
  /** Whether the provider lets the person choose an account when it is asked to. */
  readonly letsChoose: boolean
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  /** The host of the page. It comes from the configuration or a trusted origin, never from a header. */
  readonly host?: string | undefined
}

/** The page that asks before an account at a provider is added to the signed-in user. It only asks. */
export function linkPage(input: LinkPageInput): LinkView {
  const { scope, letsChoose, error, host = null, ...form } = input
  const { providerName, purpose, callbackUrl } = form
  const leadsBack = isAbsoluteUrl(callbackUrl) && /^https?:$/.test(new URL(callbackUrl).protocol)
  return {
    page: 'link',
    status: 200,
    title: pageText(TITLES[purpose], { provider: providerName }),
    message: linkMessage(error, { providerName, letsChoose }),
    ...form,
    host,
    scope: scope?.split(' ').filter(Boolean) ?? [],
    choosesAccount: letsChoose && isOfAnotherUser(error),
    backUrl: leadsBack ? callbackUrl : null,
  }
}

const TITLES: Readonly<Record<LinkPurpose, TextKey>> = {
  link: 'link.title',
  permission: 'link.titlePermission',
}
