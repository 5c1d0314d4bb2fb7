import { CODE_FIELD } from '../../pages/form-field.js'
import { createMailWriter } from '../../pages/mail.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import { rememberReturnTarget } from '../../sign-in/find-return-target.js'
import type { StartedSteps } from '../../sign-in/flow.js'
import type { EmailFlowSettings } from './dependencies.js'
import { redeemCode } from './mailed-code.js'
import { findLink, redeemLink, unusableLink } from './redeem-link.js'
import { readBrowserMarker } from './requesting-browser.js'
import { sendLink } from './send-link.js'

const DEFAULT_SEND_TIMEOUT_MS = 30_000

/** The steps of one e-mail provider: a link is sent, and the visitor who follows it has the address. */
export function emailSteps(provider: ResolvedEmailProvider, settings: EmailFlowSettings): StartedSteps {
  const dependencies = {
    sendTimeoutMs: DEFAULT_SEND_TIMEOUT_MS,
    ...settings,
    provider,
    writeMail: createMailWriter(settings),
  }
  return {
    start: (request) => sendLink({ ...dependencies, request }),
    async finish(request) {
      // The page of a link that no longer works leads to where the link would have led.
      request.keep.onFailure({ wayBack: await rememberReturnTarget(request) })
      if (provider.code && CODE_FIELD in request.fields) {
        return redeemCode({ ...dependencies, request }, request.fields[CODE_FIELD])
      }
      const link = findLink(request)
      if (!link) throw unusableLink(provider.id, 'has no token or no address')
      const at = { ...dependencies, request }
      const { requestedIn, deletions } = readBrowserMarker(at, link)
      const result = await redeemLink(at, link, requestedIn)
      // A link that no longer works leaves its cookie: the page that says so can send another link to the address.
      if (result.kind === 'identity') request.keep.always('transaction', deletions)
      return result
    },
  }
}
