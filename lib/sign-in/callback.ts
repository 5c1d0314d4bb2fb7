import { confirmPage } from '../features/email/mailed-link.js'
import { RequestRefused } from '../kernel/errors.js'
import { siteOf } from '../pages/action-urls.js'
import { isRemembered } from '../pages/remember-field.js'
import { csrfTokenOf } from './csrf-token.js'
import { signIn } from './enter.js'
import { rememberReturnTarget } from './find-return-target.js'
import type { FlowQuestion } from './flow.js'
import { lookAtSession, signedInAs } from './look-at-session.js'
import { json, type Outcome, page, redirect } from './outcome.js'
import type { Action, Visit } from './visit.js'

/** GET and POST callback: ends a sign-in with the response of a provider, or with the fields of a form. */
export const callback: Action = async (visit) => {
  const { provider } = visit
  if (!provider) throw new RequestRefused(404, 'A callback needs the id of a provider in its path.')
  // A form of Latchkey has the return target in it. Asks the `redirect` callback now, before `authorize()`, as Auth.js
  // does, and before a link is used up; `returnTarget()` remembers the result. The response of a provider has no return
  // target: the transaction has it.
  if (!provider.flow.keepsReturnTarget) await visit.returnTarget()
  const isMailed = provider.settings.type === 'email'
  // The page of a link that no longer works leads to where the link would have led.
  visit.keep.onFailure({
    isRemembered: isRemembered(visit.fields),
    wayBack: isMailed ? await rememberReturnTarget(visit) : [],
  })
  const result = await provider.flow.finish(visit)
  if (result.kind === 'confirm') return showConfirm(visit, provider.settings.id, result)
  return result.kind === 'identity' ? signIn(visit, result) : redirect(result.url)
}

/**
 * A page with one button. A program that opens mailed links, such as a mail scanner, does not press it, and so does not use
 * the link up. A script gets the address of the page, to which it can send the browser.
 */
async function showConfirm(visit: Visit, providerId: string, question: FlowQuestion): Promise<Outcome> {
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
