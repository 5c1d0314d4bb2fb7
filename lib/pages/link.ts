import { isOfAnotherUser, linkMessage } from './messages.js'
import type { TextKey } from './texts/english.js'
import { pageText } from './texts/text.js'
import type { LinkPurpose, LinkView } from './view.js'

/** The input of the page that asks before an account is added. */
export interface LinkPageInput {
  /** Name of the provider. */
  readonly providerName: string
  /** Where its form is sent: the URL of the page itself, without a query. */
  readonly action: string
  /** Address or name of the signed-in user; null when the session has neither. */
  readonly userName: string | null
  /** What the provider is asked for beside the usual (RFC 6749 §3.3); null for nothing. */
  readonly scope: string | null
  readonly purpose: LinkPurpose
  /** Whether the provider lets the person choose an account when it is asked to. */
  readonly letsChoose: boolean
  /** The link request as it came; null for none. */
  readonly request: string | null
  /** Resolved return target. */
  readonly callbackUrl: string
  readonly csrfToken: string
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  /** The host of the page. It comes from the configuration or a trusted origin, never from a header. */
  readonly host?: string | undefined
  /** Whether the page, or the provider's authorization endpoint, is on plain http. */
  readonly insecure: boolean
}

/** The page that asks before an account at a provider is added to the signed-in user. It only asks. */
export function linkPage(input: LinkPageInput): LinkView {
  const { providerName, action, userName, scope, purpose, request, callbackUrl, csrfToken, host, insecure } = input
  const { error, letsChoose } = input
  const leadsBack = URL.canParse(callbackUrl) && /^https?:$/.test(new URL(callbackUrl).protocol)
  return {
    page: 'link',
    status: 200,
    title: pageText(TITLES[purpose], { provider: providerName }),
    message: linkMessage(error, { providerName, letsChoose }),
    providerName,
    userName,
    scope: scope?.split(' ').filter(Boolean) ?? [],
    purpose,
    choosesAccount: letsChoose && isOfAnotherUser(error),
    action,
    request,
    backUrl: leadsBack ? callbackUrl : null,
    host: host ?? null,
    csrfToken,
    callbackUrl,
    insecure,
  }
}

const TITLES: Readonly<Record<LinkPurpose, TextKey>> = {
  link: 'link.title',
  permission: 'link.titlePermission',
  'sign-in': 'link.titleSignIn',
}
