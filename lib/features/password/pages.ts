import { formFields } from '../../pages/form-field.js'
import { pageText, type TextKey } from '../../pages/texts/text.js'
import type { PasswordView } from '../../pages/view.js'
import type { Refusal } from './policy.js'

/** Why a form was refused: the new password is none, the present one is wrong, or what was entered is no address. */
export type FormRefusal = Refusal | 'wrong' | 'address'

const TEXTS: Readonly<Record<FormRefusal, TextKey>> = {
  'too-short': 'password.error.tooShort',
  'too-long': 'password.error.tooLong',
  common: 'password.error.common',
  personal: 'password.error.personal',
  wrong: 'signIn.error.credentials',
  address: 'signIn.error.email',
}

/** A form about passwords. */
export interface PasswordForm {
  /** Under the mount. */
  readonly path: string
  readonly title: TextKey
  readonly lead: TextKey
  readonly submit: TextKey
  readonly inputs: Parameters<typeof formFields>[1]
  readonly hidden: PasswordView['hidden']
}

const NEW_PASSWORD = { type: 'password', autocomplete: 'new-password', required: true }

/** Asks for the address to which a link is mailed. */
export const ASK: PasswordForm = {
  path: 'password',
  title: 'password.ask.title',
  lead: 'password.ask.lead',
  submit: 'password.ask.submit',
  inputs: { email: { type: 'email' } },
  hidden: [],
}

/** Asks for a new password. The address is there for password managers, which keep it with the password (PWD-05). */
export const chooseForm = (token: string, email: string): PasswordForm => ({
  path: 'password/choose',
  title: 'password.choose.title',
  lead: 'password.rule',
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

/** The page of a form. */
export function passwordPage(
  { path, title, lead, submit, inputs, hidden }: PasswordForm,
  {
    refusal,
    mountUrl,
    minLength,
    host = null,
    ...shown
  }: Pick<PasswordView, 'signInUrl' | 'csrfToken' | 'callbackUrl' | 'insecure'> & {
    readonly refusal: FormRefusal | null
    readonly mountUrl: string
    readonly minLength: number
    readonly host?: string | null | undefined
  },
): PasswordView {
  const values = { count: String(minLength) }
  return {
    page: 'password',
    status: refusal === null ? 200 : 422,
    title: pageText(title),
    lead: pageText(lead, values),
    message: refusal && pageText(TEXTS[refusal], values),
    action: `${mountUrl}/${path}`,
    fields: formFields('password', inputs),
    hidden,
    submit: pageText(submit),
    host,
    ...shown,
  }
}
