import { siteOf, withParams } from '../../pages/action-urls.js'
import { errorPage } from '../../pages/error.js'
import { CODE_FIELD, formFields } from '../../pages/form-field.js'
import { pageText, type Text } from '../../pages/texts/text.js'
import type { ConfirmView, SendLinkForm, VerifyRequestView } from '../../pages/view.js'
import { parseAddress } from '../../providers/mail/address.js'
import type { ResolvedEmailProvider } from '../../providers/provider.js'
import { csrfTokenOf } from '../../sign-in/csrf-token.js'
import { homeOf, rememberReturnTarget } from '../../sign-in/find-return-target.js'
import { FAULTY } from '../../sign-in/form-page.js'
import { json, type Outcome, page, redirect } from '../../sign-in/outcome.js'
import { signInPageWithTarget } from '../../sign-in/sign-in-form.js'
import { type Action, lookAtSession, signedInAs, type Visit } from '../../sign-in/visit.js'
import { codeLifetime } from './dependencies.js'
import { Verification } from './errors.js'
import { type EmailRequest, type Link, newestRequest } from './requesting-browser.js'

/** In the query of the sign-in page: the last address to which this browser asked for a link is filled in. */
const CORRECT_PARAM = 'correct'
/** Its only value. */
const CORRECT_ADDRESS = 'address'

/**
 * The form that sends another link to the last address to which this browser asked for one. It posts to the same URL as the
 * form of the sign-in page, so every limit there counts for it as well. Null if this browser did not ask for a link lately.
 */
async function offerToSendLink(visit: Visit) {
  const { config, urls, origin } = visit
  const asked = newestRequest(visit, config.transactions)
  const provider = config.providers.get(asked?.provider ?? '')
  if (asked === null || provider?.type !== 'email') return null
  const { token: csrfToken, cookies } = csrfTokenOf(visit)
  const form: SendLinkForm = {
    action: urls.action('signin', asked.provider),
    address: asked.address,
    isRemembered: config.asksToRemember && asked.isRemembered,
    csrfToken,
    callbackUrl: await visit.returnTarget(),
    insecure: siteOf(origin).insecure,
  }
  const page = await signInPageWithTarget(visit)
  // The sign-in page with the address filled in, to correct it.
  const otherAddressUrl = withParams(page, { [CORRECT_PARAM]: CORRECT_ADDRESS }, origin)
  return { asked, provider, form, otherAddressUrl, cookies }
}

/** The form for the code that this browser has asked for, if it may still work, and what the page says of the one that was entered. */
function askForCode(
  { urls, query, config }: Visit,
  { code, t }: EmailRequest,
  provider: ResolvedEmailProvider,
): { readonly code: CodeForm | null; readonly message: Text | null } {
  if (!provider.code || !code) return { code: null, message: null }
  const lifetimeSeconds = codeLifetime(provider)
  const reason = query.get('code')
  if (reason === 'NoCode' || config.now() >= t + lifetimeSeconds * 1000) {
    return { code: null, message: pageText('verifyRequest.noCode') }
  }
  const isWrong = reason === 'WrongCode'
  return {
    code: codeForm(urls.action('callback', provider.id), provider.id, lifetimeSeconds, isWrong),
    message: isWrong ? pageText('verifyRequest.wrongCode') : null,
  }
}

type CodeForm = NonNullable<NonNullable<VerifyRequestView['sent']>['code']>

/** The form for a code. What people type and paste is tidied up by the server, so nothing here cuts it off. */
export const codeForm = (action: string, providerId: string, lifetimeSeconds: number, isWrong = false): CodeForm => ({
  action,
  fields: formFields(providerId, {
    [CODE_FIELD]: {
      autocomplete: 'one-time-code',
      inputmode: 'text',
      autocapitalize: 'characters',
      spellcheck: false,
      dir: 'ltr',
      required: true,
      autofocus: true,
      ...(isWrong && FAULTY),
    },
  }),
  submit: pageText('signIn.submit'),
  lifetimeSeconds,
})

/** The address that the sign-in page fills in, because the visitor wants to correct it; undefined for none. */
export function addressToCorrect(visit: Visit): string | undefined {
  if (visit.query.get(CORRECT_PARAM) !== CORRECT_ADDRESS) return undefined
  return newestRequest(visit, visit.config.transactions)?.address
}

/** Whether all mails have a code alone. */
const mailsNoLink = ({ config }: Visit): boolean =>
  [...config.providers.values()].every((provider) => provider.type !== 'email' || provider.code === 'only')

/** GET verify-request: says that a mail is on its way. */
export const showVerifyRequest: Action = async (visit) => {
  const { urls, query, origin } = visit
  const own = urls.ownPage('verifyRequest')
  if (own) {
    // The application's page gets the target that passed the redirect callback, never the target of the request.
    const checked = query.has('callbackUrl') ? { callbackUrl: await visit.returnTarget() } : {}
    return redirect(withParams(own, { ...Object.fromEntries(query), ...checked }, origin))
  }
  const offer = await offerToSendLink(visit)
  if (offer === null) {
    // Whoever has signed in comes back here with the button of the browser.
    if ((await lookAtSession(visit, 'read'))?.session) return redirect(await signInPageWithTarget(visit))
    // Whoever has entered a code here, in a browser that did not ask for it, learns why nothing happened.
    const message = query.get('code') === 'NoCode' || mailsNoLink(visit) ? pageText('verifyRequest.noCode') : null
    return page(verifyRequestPage({ signInUrl: urls.action('signin'), message }))
  }
  const { asked, provider, form, otherAddressUrl, cookies } = offer
  const { code: asksFor, message } = askForCode(visit, asked, provider)
  // Whoever is signed in confirms their address, or shows once more who they are.
  const isSignedIn = asksFor !== null && Boolean((await lookAtSession(visit, 'read'))?.session)
  const code = isSignedIn ? { ...asksFor, submit: pageText('error.continue') } : asksFor
  const mails = provider.code === 'only' ? 'code' : provider.code ? 'both' : 'link'
  const sent = { form, isAgain: asked.isAgain, mails, lifetimeSeconds: provider.maxAge, code } as const
  return page(verifyRequestPage({ signInUrl: otherAddressUrl, sent, message }), cookies)
}

/**
 * For a mailed link that no longer works: whoever asked for it can have a new one, and whoever is signed in goes on. A sign-in ends
 * what the browser has asked for before, so who is signed in and asked has to confirm their address, or to show once more who they are.
 */
export async function showUnusableLink(visit: Visit, error: string | undefined): Promise<Outcome | null> {
  if (error !== Verification.type) return null
  const ways = {
    error,
    signInUrl: await signInPageWithTarget(visit),
    homeUrl: homeOf(visit.config, visit.origin),
  }
  const reading = await lookAtSession(visit)
  const offer = reading?.actor ? null : await offerToSendLink(visit)
  if (offer === null) {
    const continueUrl = reading?.session ? await visit.returnTarget() : null
    return page(errorPage({ ...ways, continueUrl }))
  }
  const { form: sendLink, otherAddressUrl, cookies } = offer
  return page(errorPage({ ...ways, sendLink, otherAddressUrl }), cookies)
}

/**
 * The page that is shown after a sign-in link was mailed. Everybody who has the URL can open the page, so it shows the
 * address only to the browser that asked for the link.
 */
export const verifyRequestPage = ({
  signInUrl,
  sent = null,
  message = null,
}: Pick<VerifyRequestView, 'signInUrl'> & Partial<Pick<VerifyRequestView, 'sent' | 'message'>>): VerifyRequestView => ({
  page: 'verify-request',
  status: 200,
  title: pageText('verifyRequest.title'),
  signInUrl,
  sent,
  message,
})

/**
 * A page with one button. A program that opens mailed links, such as a mail scanner, does not press it, and so does not use
 * the link up. A script gets the address of the page, to which it can send the browser.
 */
export async function showConfirm(visit: Visit, providerId: string, { token, identifier }: Link): Promise<Outcome> {
  const { urls, incoming, query, origin } = visit
  const action = urls.action('callback', providerId)
  if (incoming.header('x-auth-return-redirect')) return json({ url: `${action}?${query}`, confirm: true })
  const form = csrfTokenOf(visit)
  const reading = await lookAtSession(visit)
  const view = confirmPage({
    action,
    fields: { token, email: identifier },
    // Anybody can write a link, so the page shows nothing of it but an address.
    identifier: parseAddress(identifier) === identifier ? identifier : null,
    signedInAs: signedInAs(reading),
    csrfToken: form.token,
    callbackUrl: await visit.returnTarget(),
    ...siteOf(origin),
  })
  return page(view, [...form.cookies, ...(await rememberReturnTarget(visit))])
}

/** The input of the confirmation page. */
export interface ConfirmPageInput
  extends Pick<ConfirmView, 'action' | 'identifier' | 'csrfToken' | 'callbackUrl' | 'insecure'> {
  /** The parameters of the link, which the form sends again. */
  readonly fields: Readonly<Record<string, string>>
  /** Address or name of who is signed in already; null or absent for nobody. */
  readonly signedInAs?: string | null
  /**
   * The host that the visitor signs in to. It comes from the configuration or a trusted origin, never from a header.
   */
  readonly host?: string | undefined
}

/**
 * The confirmation page, which is shown when a mailed link is opened in another browser than the one that requested it.
 * The page only asks: nobody is signed in before its form is sent.
 */
export function confirmPage(input: ConfirmPageInput): ConfirmView {
  const { fields, signedInAs = null, host = null, ...form } = input
  return {
    page: 'confirm',
    status: 200,
    title: pageText('confirm.title'),
    ...form,
    host,
    signedInAs,
    fields: Object.entries(fields),
  }
}
