import type { CredentialInput } from '../providers/provider.js'
import { CALLBACK_URL_FIELD, type FormField, formFields, REMEMBER_FIELD } from './form-field.js'
import { signInMessage } from './messages.js'
import type { ButtonProvider, FormProvider, PageProvider, ProviderUrls } from './page-provider.js'
import type { ProviderMarks } from './provider-mark.js'
import { type ProviderMark, providerMark } from './provider-mark.js'
import { pageText, type Text } from './texts/text.js'
import type { ProviderButton, ProviderForm, SignInSection, SignInView } from './view.js'

/** The input of the sign-in page. */
export interface SignInPageInput {
  /** In the order in which they are shown. */
  readonly providers: readonly PageProvider[]
  readonly urls: ProviderUrls
  readonly csrfToken: string
  /** Resolved return target, which every form sends. */
  readonly callbackUrl: string
  /** The `error` parameter as it came. It is looked up, never shown. */
  readonly error?: string | undefined
  /**
   * The `code` parameter as it came. It is looked up together with `error`, and never shown. All codes of `authorize`
   * have the text of `CredentialsSignin`.
   */
  readonly code?: string | undefined
  /** A text of ours in place of that for `error`. */
  readonly message?: Text | undefined
  /** The `email` parameter as it came. If it could be an address, it is filled in where a form asks for one. */
  readonly email?: string | undefined
  /**
   * The host that the visitor signs in to, shown under the heading. It comes from the configuration or a trusted
   * origin, never from a header.
   */
  readonly host?: string | undefined
  /** Whether the page, or a provider's authorization endpoint, is on plain http. */
  readonly insecure: boolean
  /** The logos of providers. A provider without a logo gets a letter. */
  readonly marks?: ProviderMarks
  /** The checkbox with which visitors ask to stay signed in; null for none. */
  readonly remember?: { readonly isTicked: boolean } | null
}

/** Id of the message in views/signin.eta. */
const MESSAGE_ID = 'message'

/** More buttons than this are laid out in columns. */
const ONE_COLUMN = 8

/** The sign-in page: one form per provider, in their order. Providers without a form are left out. */
export function signInPage(input: SignInPageInput): SignInView {
  const { error, code, host, callbackUrl, csrfToken, insecure } = input
  const sections = withFocus(sectionsOf(input), error)
  return {
    page: 'signin',
    status: 200,
    title: pageText('signIn.title'),
    message: input.message ?? signInMessage(error, code),
    sections,
    scriptMount: scriptMountOf(input),
    layout: layoutOf(sections),
    host: host ?? null,
    callbackUrl,
    csrfToken,
    insecure,
    remember: input.remember ?? null,
  }
}

/** The mount that the script works with. Only passkeys need a script: in a browser, only scripts can use them. */
function scriptMountOf({ providers, urls }: SignInPageInput): string | null {
  const passkeys = providers.find((provider) => provider.type === 'webauthn' && formOf(provider, urls, undefined))
  return passkeys ? urls.callback(passkeys.id).slice(0, -`/callback/${passkeys.id}`.length) : null
}

function layoutOf(sections: readonly SignInSection[]): SignInView['layout'] {
  const rows = sections.map((section) => (section.kind === 'buttons' ? section.buttons.length : 0))
  if (rows.length === 1 && rows[0] === 1) return 'sole'
  return Math.max(0, ...rows) > ONE_COLUMN ? 'wide' : 'column'
}

function sectionsOf({ providers, urls, email, marks = {} }: SignInPageInput): SignInSection[] {
  const sections: SignInSection[] = []
  let row: ProviderButton[] | null = null
  for (const provider of providers) {
    if (isButtonProvider(provider)) {
      if (!row) {
        row = []
        sections.push({ kind: 'buttons', buttons: row })
      }
      row.push(buttonOf(provider, urls, marks))
    } else {
      const form = formOf(provider, urls, email)
      if (!form) continue
      sections.push({ kind: 'form', form })
      row = null
    }
  }
  return sections
}

const isButtonProvider = (provider: PageProvider): provider is ButtonProvider =>
  provider.type === 'oauth' || provider.type === 'oidc'

const buttonOf = (provider: ButtonProvider, urls: ProviderUrls, marks: ProviderMarks): ProviderButton => ({
  name: provider.name,
  action: urls.signIn(provider.id),
  mark: markOf(provider, Object.hasOwn(marks, provider.id) ? marks[provider.id] : undefined),
})

type Logo = ProviderMarks[string] | undefined

const made = new WeakMap<ButtonProvider, { readonly logo: Logo; readonly mark: ProviderMark }>()

/** Each mark is made once and kept: to compute whether its colour can be seen on a button takes long. */
function markOf(provider: ButtonProvider, logo: Logo): ProviderMark {
  const known = made.get(provider)
  if (known && known.logo === logo) return known.mark
  const mark = providerMark(provider.name, provider.style, logo)
  made.set(provider, { logo, mark })
  return mark
}

function formOf(provider: FormProvider, urls: ProviderUrls, email: string | undefined): ProviderForm | null {
  const { id, name, type } = provider
  if (type === 'email') {
    const address = { type, placeholder: 'you@example.com', value: usableAddress(email) }
    const fields = formFields(id, { email: address })
    return {
      kind: type,
      name,
      id: null,
      action: urls.signIn(id),
      fields,
      submit: pageText('email.submit'),
      sendsCallbackUrl: true,
      hasOwnRemember: false,
      passkey: null,
    }
  }
  if (type === 'webauthn') return passkeyFormOf(provider, urls, email)
  const inputs = provider.fields
  if (inputs === null) return null
  return {
    kind: type,
    name,
    id: null,
    action: urls.callback(id),
    fields: formFields(id, inputs),
    // "Credentials" is the provider's default name, and means nothing to a visitor.
    submit: name === 'Credentials' ? pageText('signIn.submit') : pageText('signIn.with', { provider: name }),
    sendsCallbackUrl: !Object.hasOwn(inputs, CALLBACK_URL_FIELD),
    hasOwnRemember: Object.hasOwn(inputs, REMEMBER_FIELD),
    passkey: null,
  }
}

function passkeyFormOf(
  { id, name, formFields: inputs, enableConditionalUI = true }: Extract<FormProvider, { type: 'webauthn' }>,
  urls: ProviderUrls,
  email: string | undefined,
): ProviderForm | null {
  const fields = formFields(id, withAddress(inputs, usableAddress(email)))
  if (fields.length === 0) return null
  const isPlain = /^(?:a )?passkeys?$/i.test(name)
  return {
    kind: 'webauthn',
    name,
    id: `${id}-form`,
    action: urls.callback(id),
    fields,
    submit: isPlain ? pageText('passkey.submit') : pageText('signIn.with', { provider: name }),
    sendsCallbackUrl: !Object.hasOwn(inputs, CALLBACK_URL_FIELD),
    hasOwnRemember: Object.hasOwn(inputs, REMEMBER_FIELD),
    passkey: {
      providerId: id,
      autofill: enableConditionalUI && fields.some(suggestsPasskeys),
      register: isPlain ? pageText('passkey.create') : pageText('passkey.signUp', { provider: name }),
    },
  }
}

/** The inputs of a form, with the address of the query filled in. */
function withAddress(
  inputs: Readonly<Record<string, CredentialInput>>,
  address: string,
): Readonly<Record<string, CredentialInput>> {
  const { email } = inputs
  if (!email) return inputs
  return {
    ...inputs,
    email: { type: 'email', placeholder: 'you@example.com', ...email, ...(address && { value: address }) },
  }
}

const suggestsPasskeys = ({ attributes }: FormField): boolean =>
  attributes.some(([name, value]) => name === 'autocomplete' && /\bwebauthn$/.test(value))

/**
 * The `email` of a query if it could be an address, else an empty text. An address has at most 254 characters (RFC 5321
 * §4.5.3.1.3), and none of them is a control character.
 */
const usableAddress = (email: string | undefined): string =>
  email && email.length <= 254 && /^[^\s\p{C}<>]+@[^\s\p{C}<>]+$/u.test(email) ? email : ''

/**
 * Puts the focus where the visitor continues: into the form that has just failed, with the message as its description;
 * else into a form, if the page begins with one. If the application gave a field `autofocus`, that field keeps the
 * focus.
 */
function withFocus(sections: readonly SignInSection[], error: string | undefined): readonly SignInSection[] {
  const failed = error === 'CredentialsSignin' ? 'credentials' : error === 'EmailSignin' ? 'email' : null
  const forms = sections.flatMap((section) => (section.kind === 'form' ? [section.form] : []))
  const chosen =
    forms.find(({ kind }) => kind === failed) ?? (sections[0]?.kind === 'form' ? sections[0].form : undefined)
  const target = chosen?.fields.find(({ layout }) => layout === 'line')
  if (!target) return sections
  const more = new Map<string, string>()
  if (chosen?.kind === failed) more.set('aria-describedby', MESSAGE_ID)
  if (!forms.some(({ fields }) => fields.some((field) => hasAttribute(field, 'autofocus')))) more.set('autofocus', '')
  const given = [...more].filter(([name]) => !hasAttribute(target, name))
  const field: FormField = { ...target, attributes: [...target.attributes, ...given] }
  return sections.map((section) =>
    section.kind === 'form' && section.form === chosen ? withField(section, target, field) : section,
  )
}

const hasAttribute = (field: FormField, name: string): boolean => field.attributes.some(([given]) => given === name)

const withField = (
  section: Extract<SignInSection, { kind: 'form' }>,
  old: FormField,
  field: FormField,
): SignInSection => ({
  kind: 'form',
  form: { ...section.form, fields: section.form.fields.map((other) => (other === old ? field : other)) },
})
