import { formFields } from '../../pages/form-field.js'
import { pageText, type TextKey } from '../../pages/texts/text.js'
import { confirmingForm, type FormRefused, type PageForm, sentForm } from '../../sign-in/form-page.js'
import type { AddressLink, AddressService } from './service.js'

const TEXTS = {
  address: 'password.error.address',
  same: 'address.error.same',
  unconfirmed: 'address.error.unconfirmed',
  link: 'address.error.link',
  full: 'address.error.full',
} as const satisfies Record<string, TextKey>

/**
 * Why a form was refused: what was entered is no address, or one that they have; nobody has confirmed the present one; a link no longer
 * works; or they have as many as one can have.
 */
export type AddressRefusal = keyof typeof TEXTS

/** The refusal of a form. */
export const refused = (reason: AddressRefusal): FormRefused => ({
  error: 'Address',
  reason,
  status: reason === 'link' ? 400 : 422,
  field: reason === 'address' || reason === 'same' ? 'email' : undefined,
  message: pageText(TEXTS[reason]),
})

/** Asks for the new address. @param entered what is filled in */
export const askForm = ({ most }: Pick<AddressService, 'most'>, entered = ''): PageForm => ({
  path: 'address',
  title: pageText(most > 1 ? 'address.add.title' : 'address.ask.title'),
  lead: pageText('address.ask.lead'),
  submit: pageText('password.ask.submit'),
  fields: formFields('address', { email: { type: 'email', ...(entered !== '' && { value: entered }) } }),
  leads: 'back',
})

/** For who gets no other address now: whatever they entered would be refused. */
export const closedForm = (
  service: Pick<AddressService, 'most' | 'sender'>,
  reason: 'unconfirmed' | 'full',
  email: string | null,
): PageForm =>
  reason === 'unconfirmed'
    ? confirmingForm(askForm(service).title, service.sender, email ?? '')
    : { path: 'address', title: askForm(service).title, leads: 'back' }

/** Says that a link was mailed, and sends another one. */
export const sentTo = (address: string): PageForm =>
  sentForm('address', pageText('address.sent.lead', { address }), address)

/**
 * Asks whether the address is to be changed, or added to what there is. It names the present one: whoever has got the mail of
 * somebody else sees it.
 */
export const confirmForm = (
  token: string,
  { from, to }: Pick<AddressLink, 'from' | 'to'>,
  isAddition: boolean,
): PageForm => ({
  path: 'address/confirm',
  title: pageText(isAddition || from === '' ? 'address.confirm.add' : 'address.confirm.title'),
  lead:
    from === ''
      ? pageText('address.confirm.leadFirst', { to })
      : pageText(isAddition ? 'address.confirm.leadAdd' : 'address.confirm.lead', { from, to }),
  submit: pageText(isAddition || from === '' ? 'address.confirm.add' : 'address.confirm.submit'),
  hidden: [['token', token]],
  leads: 'back',
})

/** For who opens a link that no longer works and is not signed in: nobody could ask for another one here. */
export const deadLink = (service: Pick<AddressService, 'most'>): PageForm => ({
  path: 'address',
  title: askForm(service).title,
})

/** Says that the address was changed or added. Whoever opens the link may be signed in as somebody else, or not at all. */
export const confirmed = (to: string) => ({
  title: pageText('address.done.title'),
  text: pageText('address.done.lead', { to }),
})
