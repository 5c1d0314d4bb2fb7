import { ownMember } from '../kernel/objects.js'
import type { CredentialInput } from '../providers/provider.js'
import { CALLBACK_URL_FIELD, elementId, type FormField, formFields, REMEMBER_FIELD } from './form-field.js'
import { signInMessage } from './messages.js'
import {
  type ButtonProvider,
  type FormProvider,
  type PageProvider,
  type ProviderUrls,
  type SharedWays,
  sharedWays,
  withValues,
} from './provider-forms.js'
import { type ProviderMark, type ProviderMarks, providerMark } from './provider-mark.js'
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
  /** A text of ours in place of that for `error`: that another user has the address. */
  readonly addressTaken?: Text | undefined
  /** The `email` parameter as it came. If it could be an address, it is filled in where a form asks for one. */
  readonly email?: string | undefined
  /** Whether that is the address of an invitation. */
  readonly isInvited?: boolean
  /** Whether such a person can add further ways to sign in later, which are not offered here. */
  readonly addsLater?: boolean
  /** What was entered into the form of a provider that has just failed; null or absent for nothing. */
  readonly entered?: { readonly provider: string; readonly values: Readonly<Record<string, string>> } | null
  /**
   * The host that the visitor signs in to, shown under the heading. It comes from the configuration or a trusted
   * origin, never from a header.
   */
  readonly host?: string | undefined
  /** Whether the page, or a provider's authorization endpoint, is on plain http. */
  readonly insecure: boolean
  /** Id of the provider that was used last in this browser; null or absent for none. */
  readonly lastUsed?: string | null
  /** The logos of providers. A provider without a logo gets a letter. */
  readonly marks?: ProviderMarks
  /** As in {@link SignInView}. */
  readonly remember?: SignInView['remember']
  readonly links?: SignInView['links']
  readonly languageUrl?: SignInView['languageUrl']
  /** Whether everybody may become a user: if not, nothing of ours offers an account. Absent: yes. */
  readonly isSignUpOpen?: boolean
}

/** Id of the message in views/signin.eta. */
const MESSAGE_ID = 'message'

/** More buttons than this are laid out in columns. */
const ONE_COLUMN = 8

/** The sign-in page: one form per provider, in their order. Providers without a form are left out. */
export function signInPage(input: SignInPageInput): SignInView {
  const {
    error,
    code,
    host,
    callbackUrl,
    csrfToken,
    insecure,
    links = null,
    isSignUpOpen = true,
    isInvited = false,
    addsLater = false,
  } = input
  const { sections, message } = withMessage(
    withEntered(sectionsOf(input), input),
    input,
    input.addressTaken ?? signInMessage(error, code),
  )
  return {
    page: 'signin',
    status: 200,
    title: pageText(isInvited ? 'mail.invitation.subject' : 'signIn.title'),
    message,
    sections,
    scriptMount: scriptMountOf(input),
    layout: layoutOf(sections),
    isInvited,
    addsLater,
    needsInvitation: !isSignUpOpen && !isInvited,
    host: host ?? null,
    callbackUrl,
    csrfToken,
    insecure,
    remember: input.remember ?? null,
    languageUrl: input.languageUrl ?? null,
    links: links && !isSignUpOpen ? { ...links, signUp: null } : links,
  }
}

/** The mount that the script works with. Only passkeys need a script: in a browser, only scripts can use them. */
function scriptMountOf({ providers, urls }: SignInPageInput): string | null {
  const passkeys = providers.find((provider) => provider.type === 'webauthn' && formOf(provider, urls, NOTHING_KNOWN))
  return passkeys ? urls.callback(passkeys.id).slice(0, -`/callback/${passkeys.id}`.length) : null
}

function layoutOf(sections: readonly SignInSection[]): SignInView['layout'] {
  const rows = sections.map((section) => (section.kind === 'buttons' ? section.buttons.length : 0))
  if (rows.length === 1 && rows[0] === 1) return 'sole'
  return Math.max(0, ...rows) > ONE_COLUMN ? 'wide' : 'column'
}

function sectionsOf(input: SignInPageInput): SignInSection[] {
  const { providers, urls, email, marks = {}, lastUsed = null, isSignUpOpen = true } = input
  const signsUp = isSignUpOpen && input.addressTaken === undefined
  const sections: SignInSection[] = []
  const shared = sharedWays(providers)
  const sharing = Object.values<PageProvider | null>({ ...shared })
  let row: ProviderButton[] | null = null
  for (const provider of providers) {
    if (shared && sharing.includes(provider)) {
      // It stands where the first of its ways is.
      if (provider === providers.find((each) => sharing.includes(each))) {
        sections.push({ kind: 'form', form: sharedFormOf(shared, urls, { email, lastUsed, signsUp }) })
        row = null
      }
      continue
    }
    if (isButtonProvider(provider)) {
      if (!row) {
        row = []
        sections.push({ kind: 'buttons', buttons: row })
      }
      row.push({ ...buttonOf(provider, urls, marks), isLastUsed: provider.id === lastUsed })
    } else {
      const form = formOf(provider, urls, { email, signsUp })
      if (!form) continue
      sections.push({ kind: 'form', form: provider.id === lastUsed ? { ...form, lastUsed: 'submit' } : form })
      row = null
    }
  }
  return sections
}

const isButtonProvider = (provider: PageProvider): provider is ButtonProvider =>
  provider.type === 'oauth' || provider.type === 'oidc'

const buttonOf = (
  provider: ButtonProvider,
  urls: ProviderUrls,
  marks: ProviderMarks,
): Omit<ProviderButton, 'isLastUsed'> => ({
  name: provider.name,
  action: urls.signIn(provider.id),
  mark: markOf(provider, ownMember(marks, provider.id)),
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

const PLAIN_FORM = {
  id: null,
  hasOwnRemember: false,
  mail: null,
  lastUsed: null,
  message: null,
  hint: null,
  passkey: null,
} as const

/** What is known of the visitor: an address, and whether there may be a new user with it. */
interface Known {
  readonly email: string | undefined
  readonly signsUp: boolean
}

const NOTHING_KNOWN: Known = { email: undefined, signsUp: true }

function formOf(provider: FormProvider, urls: ProviderUrls, known: Known): ProviderForm | null {
  const { id, name, type } = provider
  if (type === 'email') {
    const address = { type, placeholder: 'you@example.com', value: usableAddress(known.email) }
    const fields = formFields(id, { email: address })
    return {
      ...PLAIN_FORM,
      kind: type,
      name,
      action: urls.signIn(id),
      fields,
      submit: submitOfMail(provider),
      hint: pageText(provider.code === 'only' ? 'email.hintCode' : 'email.hint'),
      sendsCallbackUrl: true,
    }
  }
  if (type === 'webauthn') return passkeyFormOf(provider, urls, known)
  const inputs = provider.fields
  if (inputs === null) return null
  return {
    ...PLAIN_FORM,
    kind: type,
    name,
    action: urls.callback(id),
    fields: formFields(id, inputs),
    submit: submitOf({ name }),
    sendsCallbackUrl: !Object.hasOwn(inputs, CALLBACK_URL_FIELD),
    hasOwnRemember: Object.hasOwn(inputs, REMEMBER_FIELD),
  }
}

/** The form that serves all these ways. Its first button is what the Enter key presses: the password, if there is one. */
function sharedFormOf(
  ways: SharedWays,
  urls: ProviderUrls,
  { email, lastUsed, signsUp }: Known & { readonly lastUsed: string | null },
): ProviderForm {
  const { credentials, email: mail, passkey } = ways
  const autofill = passkey !== null && (passkey.enableConditionalUI ?? true)
  const user = credentials ? 'username' : 'email'
  const inputs = {
    ...withAddress(
      {
        ...credentials?.fields,
        email: { type: 'email', ...passkey?.formFields['email'], ...credentials?.fields?.['email'] },
      },
      usableAddress(email),
      autofill ? `${user} webauthn` : user,
    ),
  }
  const first = credentials ?? mail ?? passkey
  const mailing = mail && { action: urls.signIn(mail.id), submit: submitOfMail(mail) }
  const own = credentials && { action: urls.callback(credentials.id), submit: submitOf(credentials) }
  return {
    kind: 'shared',
    name: pageText('signIn.title'),
    id: passkey ? elementId(`${passkey.id}-form`) : null,
    ...((own ?? mailing) as NonNullable<typeof mailing>),
    fields: formFields(first?.id ?? '', inputs),
    sendsCallbackUrl: true,
    hasOwnRemember: Object.hasOwn(inputs, REMEMBER_FIELD),
    mail: own && mailing,
    lastUsed: lastUsed === null ? null : usedButton(ways, lastUsed),
    message: null,
    hint: null,
    passkey: passkey && { ...passkeyTextsOf(passkey, signsUp), providerId: passkey.id, autofill },
  }
}

/** The button of the shared form that stands for a provider; null if the form does not serve it. */
function usedButton({ credentials, email, passkey }: SharedWays, id: string): ProviderForm['lastUsed'] {
  if (id === passkey?.id) return 'passkey'
  if (id === credentials?.id) return 'submit'
  if (id === email?.id) return credentials ? 'mail' : 'submit'
  return null
}

const submitOfMail = ({ code }: { readonly code?: boolean | 'only' }): Text =>
  pageText(code === 'only' ? 'email.submitCode' : 'email.submit')

// These names are defaults: the first means nothing to a visitor, and the second is English.
const submitOf = ({ name }: { readonly name: string }): Text =>
  name === 'Credentials' || name === 'Password'
    ? pageText('signIn.submit')
    : pageText('signIn.with', { provider: name })

function passkeyTextsOf({ name }: { readonly name: string }, signsUp: boolean) {
  const [use, register] = /^(?:a )?passkeys?$/i.test(name)
    ? [pageText('passkey.submit'), pageText('passkey.create')]
    : [pageText('signIn.with', { provider: name }), pageText('passkey.signUp', { provider: name })]
  return { use, register: signsUp ? register : null }
}

function passkeyFormOf(
  { id, name, formFields: inputs, enableConditionalUI = true }: Extract<FormProvider, { type: 'webauthn' }>,
  urls: ProviderUrls,
  { email, signsUp }: Known,
): ProviderForm | null {
  const fields = formFields(id, withAddress(inputs, usableAddress(email)))
  if (fields.length === 0) return null
  const texts = passkeyTextsOf({ name }, signsUp)
  return {
    ...PLAIN_FORM,
    kind: 'webauthn',
    name,
    id: elementId(`${id}-form`),
    action: urls.callback(id),
    fields,
    submit: texts.use,
    sendsCallbackUrl: !Object.hasOwn(inputs, CALLBACK_URL_FIELD),
    hasOwnRemember: Object.hasOwn(inputs, REMEMBER_FIELD),
    passkey: { ...texts, providerId: id, autofill: enableConditionalUI && fields.some(suggestsPasskeys) },
  }
}

/** The inputs of a form, with the address of the query filled in. */
function withAddress(
  inputs: Readonly<Record<string, CredentialInput>>,
  address: string,
  autocomplete?: string,
): Readonly<Record<string, CredentialInput>> {
  const { email } = inputs
  if (!email) return inputs
  const given = {
    type: 'email',
    placeholder: 'you@example.com',
    ...email,
    ...(autocomplete && { autocomplete }),
    ...(address && { value: address }),
  }
  return { ...inputs, email: given }
}

const suggestsPasskeys = ({ attributes }: FormField): boolean =>
  attributes.some(([name, value]) => name === 'autocomplete' && /\bwebauthn$/.test(value))

/**
 * The `email` of a query if it could be an address, else an empty text. An address has at most 254 characters (RFC 5321
 * §4.5.3.1.3), and none of them is a control character.
 */
const usableAddress = (email: string | undefined): string =>
  email && email.length <= 254 && /^[^\s\p{C}<>]+@[^\s\p{C}<>]+$/u.test(email) ? email : ''

/** Fills in what was entered into the form of a provider before. */
function withEntered(
  sections: readonly SignInSection[],
  { entered, urls }: Pick<SignInPageInput, 'entered' | 'urls'>,
): readonly SignInSection[] {
  if (!entered) return sections
  return sections.map((section) =>
    section.kind === 'form' && leadsTo(section.form, entered.provider, urls)
      ? { kind: 'form', form: { ...section.form, fields: withValues(section.form.fields, entered.values) } }
      : section,
  )
}

/** Whether a button of the form is that of a provider. */
const leadsTo = ({ action, mail }: ProviderForm, id: string, urls: ProviderUrls): boolean =>
  [action, mail?.action].some((url) => url === urls.callback(id) || url === urls.signIn(id))

/**
 * Puts the message into the form that has just failed, and the focus where the visitor continues: into that form, else into a
 * form, if the page begins with one. If the application gave a field `autofocus`, that field keeps the focus.
 */
function withMessage(
  sections: readonly SignInSection[],
  { error, entered, urls }: Pick<SignInPageInput, 'error' | 'entered' | 'urls'>,
  message: Text | null,
): Pick<SignInView, 'sections' | 'message'> {
  const failed = message === null ? [] : (FORMS_OF_ERRORS.get(error ?? '') ?? [])
  const forms = sections.flatMap((section) => (section.kind === 'form' ? [section.form] : []))
  const filled = message && entered ? forms.find((form) => leadsTo(form, entered.provider, urls)) : undefined
  const atFault = filled ?? forms.find((form) => failed.some((kind) => serves(form, kind)))
  const chosen = atFault ?? (sections[0]?.kind === 'form' ? sections[0].form : undefined)
  if (!chosen) return { sections, message }
  const goesOn = error === 'EmailSignin' ? 'first' : 'first-empty'
  const form = withFocus(atFault ? { ...chosen, message } : chosen, forms, goesOn)
  return {
    sections: sections.map((section) =>
      section.kind === 'form' && section.form === chosen ? { kind: 'form', form } : section,
    ),
    message: atFault ? null : message,
  }
}

type Way = 'credentials' | 'email'

/** A map: the visitor may have written the error, and an object has names such as `constructor`. */
const FORMS_OF_ERRORS: ReadonlyMap<string, readonly Way[]> = new Map<string, readonly Way[]>([
  ['CredentialsSignin', ['credentials']],
  ['EmailSignin', ['email']],
])

const serves = ({ kind, mail, fields }: ProviderForm, way: Way): boolean =>
  kind === way || (kind === 'shared' && (way === 'email' ? mail !== null || fields.length === 1 : fields.length > 1))

/** @param at `first-empty`: after the fields that are filled in, such as a name, because only the password is missing */
function withFocus(form: ProviderForm, forms: readonly ProviderForm[], at: 'first' | 'first-empty'): ProviderForm {
  const lines = form.fields.filter(({ layout }) => layout === 'line')
  const empty = lines.find(({ attributes }) => !attributes.some(([name, value]) => name === 'value' && value !== ''))
  const target = (at === 'first-empty' ? empty : undefined) ?? lines[0]
  if (!target) return form
  const more = new Map<string, string>()
  if (form.message) more.set('aria-describedby', MESSAGE_ID)
  if (!forms.some(({ fields }) => fields.some((field) => hasAttribute(field, 'autofocus')))) more.set('autofocus', '')
  const given = [...more].filter(([name]) => !hasAttribute(target, name))
  const field: FormField = { ...target, attributes: [...target.attributes, ...given] }
  return { ...form, fields: form.fields.map((other) => (other === target ? field : other)) }
}

const hasAttribute = (field: FormField, name: string): boolean => field.attributes.some(([given]) => given === name)
