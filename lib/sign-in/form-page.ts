import { RETRY_AFTER } from '../kernel/answer-headers.js'
import { EmailSignInError } from '../kernel/errors.js'
import { textOf } from '../kernel/json-object.js'
import { siteOf } from '../pages/action-urls.js'
import { donePage, type Said } from '../pages/error.js'
import type { FormField } from '../pages/form-field.js'
import { pageText, type Text } from '../pages/texts/text.js'
import type { FormView, PageLink } from '../pages/view.js'
import { csrfTokenOf } from './csrf-token.js'
import { homeOf, urlLeadingOn } from './find-return-target.js'
import { LINK_LIFETIME_SECONDS } from './mailed-links.js'
import { json, type Outcome, page, redirect } from './outcome.js'
import { signInPageWithTarget } from './sign-in-form.js'
import { lookAtSession, type Visit } from './visit.js'

/** A form of a feature with a page of its own. */
export interface PageForm
  extends Pick<FormView, 'title'>,
    Partial<Pick<FormView, 'lead' | 'submit' | 'fields' | 'removes' | 'passkeyButton' | 'signedIn'>> {
  /** Where it is sent, under the mount. */
  readonly path: string
  /** Hidden fields beside those of every form. */
  readonly hidden?: FormView['hidden']
  /** Characters that a new password has at least; absent for a form that asks for none. */
  readonly minLength?: number
  /** Whether it says that a link was mailed: then it leads to the form for another address. */
  readonly isSent?: true
  /**
   * Where those go on who do not send it. By default, and with `home`, who is not signed in goes to the sign-in page, and by default
   * the others go back.
   */
  readonly leads?: 'back' | 'home'
  /** Where `back` leads; by default to the return target. */
  readonly backUrl?: string | undefined
  /** Other ways on, before that one. */
  readonly links?: readonly PageLink[]
  /** What an app is to read; absent for nothing. */
  readonly qrCode?: NonNullable<FormView['qrCode']>
}

/** The page of a form. */
export function formPage(
  {
    path,
    hidden = [],
    minLength,
    isSent,
    leads,
    backUrl,
    links = [],
    lead = null,
    submit = null,
    fields = [],
    removes = false,
    qrCode,
    ...form
  }: PageForm,
  {
    message,
    field,
    status = message === null ? 200 : 422,
    mountUrl,
    signInUrl,
    homeUrl,
    ...shown
  }: Pick<FormView, 'message' | 'csrfToken' | 'callbackUrl' | 'insecure' | 'host'> & {
    readonly field?: FormRefused['field']
    readonly status?: number
    readonly mountUrl: string
    readonly signInUrl: string
    readonly homeUrl: string
  },
): FormView {
  const action = `${mountUrl}/${path}`
  const faulty = field === undefined ? undefined : fields.find((each) => has(each, 'name', field))
  const focused = faulty ?? fields.find((each) => each.layout === 'line' && !has(each, 'readonly'))
  const ways = {
    back: { url: backUrl ?? shown.callbackUrl, text: pageText('error.goBack') },
    home: { url: homeUrl, text: pageText('error.home') },
    signIn: { url: signInUrl, text: pageText('error.toSignIn') },
  }
  return {
    page: 'form',
    status,
    message,
    ...form,
    lead,
    submit,
    fields: fields.map((each) =>
      each === focused
        ? {
            ...each,
            attributes: [...each.attributes, ['autofocus', ''], ...(each === faulty ? Object.entries(FAULTY) : [])],
          }
        : each,
    ),
    removes,
    action,
    hidden,
    minLength: minLength ?? null,
    mailedLinkSeconds: isSent ? LINK_LIFETIME_SECONDS : null,
    links: [...links, isSent ? { url: action, text: pageText('verifyRequest.other') } : ways[leads ?? 'signIn']],
    qrCode: qrCode ?? null,
    ...shown,
  }
}

/** Of the field with the fault, which has the focus: a screen reader says the message with it. */
export const FAULTY = { 'aria-invalid': 'true', 'aria-describedby': 'message' } as const

const has = ({ attributes }: FormField, name: string, value?: string) =>
  attributes.some((each) => each[0] === name && (value === undefined || each[1] === value))

/** Says that a link was mailed, and sends another one. */
export const sentForm = (path: string, lead: Text, mailedTo: string): PageForm => ({
  path,
  title: pageText('verifyRequest.title'),
  lead,
  submit: pageText('verifyRequest.again'),
  hidden: [['email', mailedTo]],
  isSent: true,
})

/**
 * What somebody whose address nobody has confirmed gets in place of a form. It mails a link to that address: whoever signs in with the
 * link confirms it.
 *
 * @param sender id of the e-mail provider
 */
export const confirmingForm = (title: Text, sender: string, email: string): PageForm => ({
  path: `signin/${encodeURIComponent(sender)}`,
  title,
  submit: pageText('email.submit'),
  hidden: [['email', email]],
  leads: 'back',
})

/**
 * Shows it, with why. The link leads back to its page, where the visitor can do what they came for.
 *
 * @param path of that page, under the mount
 */
export async function showConfirming(visit: Visit, path: string, form: PageForm, why: FormRefused): Promise<Outcome> {
  const backUrl = await visit.returnTarget()
  visit.leadTo(await urlLeadingOn(visit, path))
  return showForm(visit, { ...form, backUrl }, why)
}

/** Why a form was refused. A script gets it as JSON. */
export interface FormRefused {
  /** What the form is about: `Password`. */
  readonly error: string
  readonly reason: string
  /** HTTP status of the answer. */
  readonly status: number
  readonly message: Text
  /** Name of the field with the fault; absent where what was entered is no fault. */
  readonly field?: string | undefined
}

/**
 * Shows a form, with why it was refused if it was.
 *
 * @param refused null if it was not
 */
export async function showForm(visit: Visit, form: PageForm, refused: FormRefused | null = null): Promise<Outcome> {
  const { error, reason, message = null, field } = refused ?? {}
  // Nothing was sent yet that could be at fault.
  const isPageRefused = refused?.status === 422 && visit.method === 'GET'
  const status = isPageRefused ? 403 : (refused?.status ?? 200)
  if (!visit.wantsPage && refused !== null) return json({ error, reason }, [], status)
  const csrf = csrfTokenOf(visit)
  const { leads = 'back', ...rest } = form
  // Whoever is signed in has nothing to do on the sign-in page.
  const goesOn = form.leads === 'back' || (!form.signedIn && (await lookAtSession(visit, 'read'))?.session)
  const view = formPage(goesOn ? { ...rest, leads } : rest, {
    message,
    field,
    status,
    mountUrl: visit.mountUrl,
    signInUrl: await signInPageWithTarget(visit),
    homeUrl: homeOf(visit.config, visit.origin),
    csrfToken: csrf.token,
    callbackUrl: await visit.returnTarget(),
    ...siteOf(visit.origin),
  })
  return { ...page(view, csrf.cookies), ...(status === 503 && { headers: RETRY_AFTER }) }
}

/** What the form shows again of an entered address. No address is longer (RFC 5321 §4.5.3.1.3). */
export const shownAgain = (entered: unknown): string => textOf(entered).slice(0, 254)

/**
 * Sends what a form asked for. Null if that is done; or the form again, with what was entered, if the mail could not be sent. A
 * script gets the error.
 */
export async function mailFrom(visit: Visit, form: PageForm, send: () => Promise<void>): Promise<Outcome | null> {
  try {
    await send()
    return null
  } catch (error) {
    if (!(error instanceof EmailSignInError) || !visit.wantsPage) throw error
    visit.config.logger.error(error, visit.source)
    const message = pageText('signIn.error.emailUnavailable')
    return showForm(visit, form, { error: error.type, reason: 'unsent', status: 503, message })
  }
}

/** Beside what was done, where it has ended all other sessions. */
export const SESSIONS_ENDED = { more: pageText('mail.notice.sessionsEnded') }

/** The answer once something was done: a page that says it, and leads on. A script is led on at once. */
export async function showDone(visit: Visit, said: Said, cookies: Outcome['cookies'] = []): Promise<Outcome> {
  const continueUrl = await visit.returnTarget()
  const { host } = siteOf(visit.origin)
  return visit.wantsPage ? page(donePage({ ...said, host, continueUrl }), cookies) : redirect(continueUrl, cookies)
}

/**
 * The page that says that a mail is on its way.
 *
 * @param sender id of the e-mail provider
 */
export const pageAfterMail = ({ mountUrl }: Pick<Visit, 'mountUrl'>, sender: string): string =>
  `${mountUrl}/verify-request?${new URLSearchParams({ provider: sender, type: 'email' })}`

/**
 * The answer once a link was mailed: the form that says so, or the page that the application has for it.
 *
 * @param sender id of the e-mail provider
 */
export const showMailed = async (visit: Visit, form: PageForm, sender: string): Promise<Outcome> =>
  visit.wantsPage && !visit.urls.ownPage('verifyRequest')
    ? showForm(visit, form)
    : redirect(pageAfterMail(visit, sender))
