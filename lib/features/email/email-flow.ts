import { createMailRenderer } from '../../pages/mail.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import type { StartedSteps } from '../../sign-in/flow.js'
import type { EmailDependencies, EmailFlowSettings } from './dependencies.js'
import { findLink, redeemLink, unusableLink } from './redeem-link.js'
import { readBrowserMarker } from './requesting-browser.js'
import { sendLink } from './send-link.js'

const DEFAULT_SEND_TIMEOUT_MS = 30_000

/** The steps of one e-mail provider: a link is sent, and the visitor who follows it has the address. */
export function emailFlow(provider: ResolvedEmailProvider, settings: EmailFlowSettings): StartedSteps {
  const { theme } = settings
  const dependencies: EmailDependencies = {
    sendTimeoutMs: DEFAULT_SEND_TIMEOUT_MS,
    ...settings,
    provider,
    mail: createMailRenderer({ theme }),
  }
  return {
    start: (request) => sendLink(request, dependencies),
    async finish(request) {
      const link = findLink(request)
      if (!link) throw unusableLink(provider.id, 'has no token or no address')
      const { isRequesting, deletions } = await readBrowserMarker(request, link, dependencies)
      const result = await redeemLink(request, link, isRequesting, dependencies)
      // A link that no longer works leaves its cookie: the page that says so can send another link to the address.
      if (result.kind === 'identity') request.keep.always('attempt', deletions)
      return result
    },
  }
}
