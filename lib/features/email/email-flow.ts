import { siteOf } from '../../pages/action-urls.js'
import { createMailWriter } from '../../pages/mail.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import { csrfTokenOf } from '../../sign-in/csrf-token.js'
import { rememberReturnTarget } from '../../sign-in/find-return-target.js'
import type { Flow, FlowRequest, FlowResult, StartedSteps } from '../../sign-in/flow.js'
import { json, type Outcome, page } from '../../sign-in/outcome.js'
import { lookAtSession, signedInAs, type Visit } from '../../sign-in/visit.js'
import type { EmailDependencies, EmailFlowSettings } from './dependencies.js'
import { findLink, type Question, redeemLink, unusableLink } from './redeem-link.js'
import { readBrowserMarker } from './requesting-browser.js'
import { sendLink } from './send-link.js'
import { confirmPage } from './send-link-form.js'

const DEFAULT_SEND_TIMEOUT_MS = 30_000

/** The steps of one e-mail provider. The end may be a question. */
interface EmailSteps extends Pick<StartedSteps, 'start'> {
  finish(request: FlowRequest): Promise<FlowResult | Question>
}

/** The steps of one e-mail provider: a link is sent, and the visitor who follows it has the address. */
export function emailSteps(provider: ResolvedEmailProvider, settings: EmailFlowSettings): EmailSteps {
  const { theme } = settings
  const dependencies: EmailDependencies = {
    sendTimeoutMs: DEFAULT_SEND_TIMEOUT_MS,
    ...settings,
    provider,
    writeMail: createMailWriter({ theme }),
  }
  return {
    start: (request) => sendLink({ ...dependencies, request }),
    async finish(request) {
      const link = findLink(request)
      if (!link) throw unusableLink(provider.id, 'has no token or no address')
      const at = { ...dependencies, request }
      const { isRequesting, deletions } = await readBrowserMarker(at, link)
      const result = await redeemLink(at, link, isRequesting)
      // A link that no longer works leaves its cookie: the page that says so can send another link to the address.
      if (result.kind === 'identity') request.keep.always('transaction', deletions)
      return result
    },
  }
}

/** The same steps, with the page that asks. */
export const withPage = (
  id: string,
  { start, finish }: EmailSteps,
): Pick<Flow, 'finish'> & Pick<EmailSteps, 'start'> => ({
  start,
  async finish(visit) {
    // The page of a link that no longer works leads to where the link would have led.
    visit.keep.onFailure({ wayBack: await rememberReturnTarget(visit) })
    const result = await finish(visit)
    return result.kind === 'confirm' ? { kind: 'answer', outcome: await showConfirm(visit, id, result) } : result
  },
})

/**
 * A page with one button. A program that opens mailed links, such as a mail scanner, does not press it, and so does not use
 * the link up. A script gets the address of the page, to which it can send the browser.
 */
async function showConfirm(visit: Visit, providerId: string, question: Question): Promise<Outcome> {
  const { urls, incoming, query, origin } = visit
  const action = urls.action('callback', providerId)
  if (incoming.header('x-auth-return-redirect')) return json({ url: `${action}?${query}`, confirm: true })
  const form = csrfTokenOf(visit)
  const reading = await lookAtSession(visit)
  const view = confirmPage({
    action,
    fields: question.fields,
    identifier: question.identifier,
    signedInAs: signedInAs(reading),
    csrfToken: form.token,
    callbackUrl: await visit.returnTarget(),
    ...siteOf(origin),
  })
  return page(view, [...form.cookies, ...(await rememberReturnTarget(visit))])
}
