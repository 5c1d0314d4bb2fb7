import { formFields } from '../../pages/form-field.js'
import { pageText, type TextKey } from '../../pages/texts/text.js'
import type { FormView } from '../../pages/view.js'
import { LINK_LIFETIME_SECONDS } from '../../sign-in/mailed-links.js'
import type { Refusal } from './policy.js'

/**
 * Why a form was refused: the new password is none, it is the temporary one, the present one is wrong, what was entered is no
 * address, or the link no longer works.
 */
export type FormRefusal = Refusal | 'same' | 'wrong' | 'address' | 'link'

const TEXTS: Readonly<Record<FormRefusal, TextKey>> = {
  'too-short': 'password.error.tooShort',
  'too-long': 'password.error.tooLong',
  common: 'password.error.common',
  personal: 'password.error.personal',
  breached: 'password.error.breached',
  unavailable: 'password.error.unavailable',
  same: 'password.error.same',
  wrong: 'password.error.wrong',
  address: 'password.error.address',
  link: 'password.error.link',
}

/** A form about passwords. */
export interface PasswordForm {
  /** Under the mount. */
  readonly path: string
  readonly title: TextKey
  readonly lead: TextKey
  readonly submit: TextKey
  readonly inputs: Parameters<typeof formFields>[1]
  readonly hidden: FormView['hidden']
  /** The address to which a link was mailed; absent for a form that nothing was mailed for. */
  readonly mailedTo?: string
}

/** A link that no longer works is no fault of what was entered. */
export const statusOf = (refusal: FormRefusal): number => (refusal === 'link' ? 400 : 422)

const NEW_PASSWORD = { type: 'password', autocomplete: 'new-password', required: true }

/**
 * Asks for the address to which a link is mailed.
 *
 * @param entered what is filled in
 */
export const askForm = (entered = ''): PasswordForm => ({
  path: 'password',
  title: 'password.ask.title',
  lead: 'password.ask.lead',
  submit: 'password.ask.submit',
  inputs: { email: { type: 'email', ...(entered !== '' && { value: entered }) } },
  hidden: [],
})

/** Says that a link was mailed, and sends another one. */
export const sentForm = (mailedTo: string): PasswordForm => ({
  path: 'password',
  title: 'verifyRequest.title',
  lead: 'password.sent.lead',
  submit: 'verifyRequest.again',
  inputs: {},
  hidden: [['email', mailedTo]],
  mailedTo,
})

/**
 * Asks for a new password. The address is there for password managers, which keep it with the password (PWD-05).
 *
 * @param isAfterTemporary whether it is asked for because the present one is a temporary one
 */
export const chooseForm = (token: string, email: string, isAfterTemporary = false): PasswordForm => ({
  path: 'password/choose',
  title: 'password.choose.title',
  lead: isAfterTemporary ? 'password.choose.leadTemporary' : 'password.rule',
  submit: 'password.choose.submit',
  inputs: {
    email: { type: 'email', value: email, readonly: true, autocomplete: 'username' },
    newPassword: NEW_PASSWORD,
  },
  hidden: [['token', token]],
})

/** Asks for the present password, and a new one. */
export const CHANGE: PasswordForm = {
  path: 'password/change',
  title: 'password.change.title',
  lead: 'password.rule',
  submit: 'password.change.submit',
  inputs: { password: { type: 'password' }, newPassword: NEW_PASSWORD },
  hidden: [],
}

/** Asks whether to remove the password. */
export const REMOVE: PasswordForm = {
  path: 'password/remove',
  title: 'password.remove.title',
  lead: 'password.remove.lead',
  submit: 'password.remove.submit',
  inputs: {},
  hidden: [],
}

/** The page of a form. */
export function passwordPage(
  { path, title, lead, submit, inputs, hidden, mailedTo }: PasswordForm,
  {
    refusal,
    mountUrl,
    minLength,
    signInUrl,
    callbackUrl,
    host = null,
    ...shown
  }: Pick<FormView, 'csrfToken' | 'callbackUrl' | 'insecure'> & {
    readonly refusal: FormRefusal | null
    readonly mountUrl: string
    readonly minLength: number
    readonly signInUrl: string
    readonly host?: string | null | undefined
  },
): FormView {
  const values = { count: String(minLength) }
  const linkFor = (): FormView['link'] => {
    if (mailedTo !== undefined) return { url: `${mountUrl}/password`, text: pageText('verifyRequest.other') }
    // Whoever changes a password is signed in.
    if (path === CHANGE.path) return { url: callbackUrl, text: pageText('error.goBack') }
    return { url: signInUrl, text: pageText('error.toSignIn') }
  }
  return {
    page: 'form',
    status: refusal === null ? 200 : statusOf(refusal),
    title: pageText(title),
    lead: pageText(lead, mailedTo === undefined ? values : { address: mailedTo }),
    mailedLinkSeconds: mailedTo === undefined ? null : LINK_LIFETIME_SECONDS,
    message: refusal && pageText(TEXTS[refusal], values),
    action: `${mountUrl}/${path}`,
    fields: formFields('password', inputs),
    hidden,
    submit: pageText(submit),
    minLength: 'newPassword' in inputs ? minLength : null,
    link: linkFor(),
    callbackUrl,
    host,
    ...shown,
  }
}
