import { formFields } from '../../pages/form-field.js'
import { pageText, type TextKey } from '../../pages/texts/text.js'
import type { FormView } from '../../pages/view.js'
import { LINK_LIFETIME_SECONDS } from '../../sign-in/mailed-links.js'
import type { AddressLink } from './dependencies.js'

/** Why a form was refused: what was entered is no address, or that of the user, or a link no longer works. */
export type AddressRefusal = 'address' | 'same' | 'link'

const TEXTS: Readonly<Record<AddressRefusal, TextKey>> = {
  address: 'password.error.address',
  same: 'address.error.same',
  link: 'address.error.link',
}

/** A form about an address. */
export interface AddressForm extends Pick<FormView, 'title' | 'lead' | 'submit' | 'hidden'> {
  /** Under the mount. */
  readonly path: string
  readonly asksForAddress: boolean
  /** The address to which a link was mailed; absent for a form that nothing was mailed for. */
  readonly mailedTo?: string
}

/** A link that no longer works is no fault of what was entered. */
export const statusOf = (refusal: AddressRefusal): number => (refusal === 'link' ? 400 : 422)

/** Asks for the new address. */
export const ASK: AddressForm = {
  path: 'address',
  title: pageText('address.ask.title'),
  lead: pageText('address.ask.lead'),
  submit: pageText('password.ask.submit'),
  asksForAddress: true,
  hidden: [],
}

/** Says that a link was mailed, and sends another one. */
export const sentForm = (mailedTo: string): AddressForm => ({
  path: 'address',
  title: pageText('verifyRequest.title'),
  lead: pageText('address.sent.lead', { address: mailedTo }),
  submit: pageText('verifyRequest.again'),
  asksForAddress: false,
  hidden: [['email', mailedTo]],
  mailedTo,
})

/** Asks whether the address is to be changed. It names both: whoever has got the mail of somebody else sees it. */
export const confirmForm = (token: string, { from, to }: Pick<AddressLink, 'from' | 'to'>): AddressForm => ({
  path: 'address/confirm',
  title: pageText('address.confirm.title'),
  lead: from === '' ? pageText('address.confirm.leadFirst', { to }) : pageText('address.confirm.lead', { from, to }),
  submit: pageText('address.confirm.submit'),
  asksForAddress: false,
  hidden: [['token', token]],
})

/** The page of a form. */
export function addressPage(
  { path, asksForAddress, mailedTo, ...form }: AddressForm,
  {
    refusal,
    mountUrl,
    signInUrl,
    host = null,
    ...shown
  }: Pick<FormView, 'csrfToken' | 'callbackUrl' | 'insecure'> & {
    readonly refusal: AddressRefusal | null
    readonly mountUrl: string
    readonly signInUrl: string
    readonly host?: string | null | undefined
  },
): FormView {
  return {
    ...form,
    ...shown,
    page: 'form',
    status: refusal === null ? 200 : statusOf(refusal),
    mailedLinkSeconds: mailedTo === undefined ? null : LINK_LIFETIME_SECONDS,
    message: refusal && pageText(TEXTS[refusal]),
    action: `${mountUrl}/${path}`,
    fields: asksForAddress ? formFields('address', { email: { type: 'email' } }) : [],
    minLength: null,
    link:
      mailedTo === undefined
        ? { url: signInUrl, text: pageText('error.toSignIn') }
        : { url: `${mountUrl}/address`, text: pageText('verifyRequest.other') },
    host,
  }
}
