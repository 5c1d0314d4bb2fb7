import { INVITED } from '../../pages/action-urls.js'
import { formFields, REMEMBER_FIELD, TICKED } from '../../pages/form-field.js'
import { pageText, type TextKey } from '../../pages/texts/text.js'
import { type FormRefused, type PageForm, sentForm } from '../../sign-in/form-page.js'
import type { Refusal } from './policy.js'

/**
 * Why a form was refused: the new password is not accepted, it is the one of now, the present one is wrong, what was entered is
 * no address, or the link no longer works.
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

/** The field with the fault, where it is not the new password. With an old link, nothing is wrong in the form that follows. */
const FIELDS: Partial<Record<FormRefusal, string>> = { wrong: 'password', address: 'email', link: 'none' }

/**
 * The refusal of a form.
 *
 * @param minLength characters that a new password has at least
 */
export const refused = (reason: FormRefusal, minLength: number): FormRefused => ({
  error: 'Password',
  reason,
  status: reason === 'link' ? 400 : 422,
  field: FIELDS[reason] ?? 'newPassword',
  message: pageText(TEXTS[reason], { count: String(minLength) }),
})

const NEW_PASSWORD = { type: 'password', autocomplete: 'new-password', required: true }

/** Whose address is asked for. */
interface Asked {
  /** What is filled in. */
  readonly entered?: string
  /** Whether they want a new account. The form says so; the link does the same. */
  readonly isNew?: boolean
  /** Of the invitation that they have opened, as its link has it. */
  readonly invited?: string
  /** Who is signed in while they open it. */
  readonly signedIn?: PageForm['signedIn']
}

const askPath = ({ isNew, invited }: Asked) =>
  isNew
    ? 'password?new'
    : invited === undefined
      ? 'password'
      : `password?${new URLSearchParams({ [INVITED]: invited })}`

/** Asks for the address to which a link is mailed. */
export const askForm = ({ entered = '', ...asked }: Asked = {}): PageForm => ({
  path: askPath(asked),
  title: pageText(asked.isNew ? 'links.signUp' : asked.invited ? 'mail.invitation.subject' : 'password.ask.title'),
  lead: pageText(
    asked.isNew ? 'password.ask.leadNew' : asked.invited ? 'password.ask.leadInvited' : 'password.ask.lead',
  ),
  submit: pageText('password.ask.submit'),
  fields: formFields('password', { email: { type: 'email', ...(entered !== '' && { value: entered }) } }),
  signedIn: asked.signedIn,
})

/** Says that a link was mailed, and sends another one. */
export const sentTo = (address: string, asked: Asked): PageForm =>
  sentForm(askPath(asked), pageText('password.sent.lead', { address }), address)

/** Whose password is chosen, and how. */
interface Choice {
  readonly token: string
  readonly email: string
  /** Whether it is asked for because the present one is a temporary one. */
  readonly isAfterTemporary: boolean
  /** Whether the visitor asked to stay signed in. */
  readonly isRemembered: boolean
}

/** Asks for a new password. The address is there for password managers, which keep it with the password (PWD-05). */
export const chooseForm = ({ token, email, isAfterTemporary, isRemembered }: Choice, minLength: number): PageForm => ({
  path: 'password/choose',
  title: pageText('password.choose.title'),
  lead: pageText(isAfterTemporary ? 'password.choose.leadTemporary' : 'password.rule', { count: String(minLength) }),
  submit: pageText('password.choose.submit'),
  fields: formFields('password', {
    email: { type: 'email', value: email, readonly: true, autocomplete: 'username' },
    newPassword: NEW_PASSWORD,
  }),
  hidden: [['token', token], ...(isRemembered ? [[REMEMBER_FIELD, TICKED] as const] : [])],
  minLength,
})

/** Asks for the present password, and a new one. */
export const changeForm = (minLength: number): PageForm => ({
  path: 'password/change',
  title: pageText('password.change.title'),
  lead: pageText('password.rule', { count: String(minLength) }),
  submit: pageText('password.change.submit'),
  fields: formFields('password', { password: { type: 'password' }, newPassword: NEW_PASSWORD }).map((field) =>
    field.isPassword ? { ...field, label: pageText('field.currentPassword') } : field,
  ),
  minLength,
  leads: 'back',
})

/** Asks whether to remove the password. */
export const REMOVE: PageForm = {
  path: 'password/remove',
  title: pageText('password.remove.title'),
  lead: pageText('password.remove.lead'),
  submit: pageText('password.remove.submit'),
  removes: true,
  leads: 'back',
}

/** Says that the password was changed. */
export const CHANGED = {
  title: pageText('mail.notice.changed'),
  text: pageText('mail.notice.passwordChanged'),
}

/** Says that the password was removed. */
export const REMOVED = {
  title: pageText('mail.notice.removedPassword'),
  text: pageText('mail.notice.passwordRemoved'),
}
