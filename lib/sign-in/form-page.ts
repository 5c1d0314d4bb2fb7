import { siteOf } from '../pages/action-urls.js'
import { pageText, type Text } from '../pages/texts/text.js'
import type { FormView } from '../pages/view.js'
import { csrfTokenOf } from './csrf-token.js'
import { LINK_LIFETIME_SECONDS } from './mailed-links.js'
import { json, type Outcome, page, redirect } from './outcome.js'
import { signInPageWithTarget } from './sign-in-form.js'
import type { Visit } from './visit.js'

/** A form of a feature with a page of its own. */
export interface PageForm extends Pick<FormView, 'title' | 'lead' | 'submit' | 'fields'> {
  /** Where it is sent, under the mount. */
  readonly path: string
  /** Hidden fields beside those of every form. */
  readonly hidden?: FormView['hidden']
  /** Characters that a new password has at least; absent for a form that asks for none. */
  readonly minLength?: number
  /** Where those go on who do not send it: to the sign-in page by default. After a link was mailed, to the form for another address. */
  readonly leads?: 'back' | 'to-other-address'
}

/** The page of a form. */
export function formPage(
  { path, hidden = [], minLength, leads, ...form }: PageForm,
  {
    message,
    status = message === null ? 200 : 422,
    mountUrl,
    signInUrl,
    ...shown
  }: Pick<FormView, 'message' | 'csrfToken' | 'callbackUrl' | 'insecure' | 'host'> & {
    readonly status?: number
    readonly mountUrl: string
    readonly signInUrl: string
  },
): FormView {
  const action = `${mountUrl}/${path}`
  const links = {
    back: { url: shown.callbackUrl, text: pageText('error.goBack') },
    'to-other-address': { url: action, text: pageText('verifyRequest.other') },
    'to-sign-in': { url: signInUrl, text: pageText('error.toSignIn') },
  }
  return {
    page: 'form',
    status,
    message,
    ...form,
    action,
    hidden,
    minLength: minLength ?? null,
    mailedLinkSeconds: leads === 'to-other-address' ? LINK_LIFETIME_SECONDS : null,
    link: links[leads ?? 'to-sign-in'],
    ...shown,
  }
}

/** Why a form was refused. A script gets it as JSON. */
export interface FormRefused {
  /** What the form is about: `Password`. */
  readonly error: string
  readonly reason: string
  readonly message: Text
}

/**
 * Shows a form, with why it was refused if it was.
 *
 * @param refused null if it was not
 */
export async function showForm(visit: Visit, form: PageForm, refused: FormRefused | null = null): Promise<Outcome> {
  const { error, reason, message = null } = refused ?? {}
  // A link that no longer works is no fault of what was entered.
  const status = refused === null ? 200 : reason === 'link' ? 400 : 422
  if (!visit.wantsPage && refused !== null) return json({ error, reason }, [], status)
  const csrf = csrfTokenOf(visit)
  const view = formPage(form, {
    message,
    status,
    mountUrl: visit.mountUrl,
    signInUrl: await signInPageWithTarget(visit),
    csrfToken: csrf.token,
    callbackUrl: await visit.returnTarget(),
    ...siteOf(visit.origin),
  })
  return page(view, csrf.cookies)
}

/**
 * The answer once a link was mailed: the form that says so, or the page that the application has for it.
 *
 * @param sender id of the e-mail provider
 */
export const showMailed = async (visit: Visit, form: PageForm, sender: string): Promise<Outcome> =>
  visit.wantsPage && !visit.urls.ownPage('verifyRequest')
    ? showForm(visit, form)
    : redirect(`${visit.mountUrl}/verify-request?${new URLSearchParams({ provider: sender, type: 'email' })}`)
