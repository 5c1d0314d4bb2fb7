import { ownMember } from '../kernel/objects.js'
import type { CredentialInput, OAuthProviderButtonStyles } from '../providers/provider.js'
import { CALLBACK_URL_FIELD, type FormField, formFields } from './form-field.js'

interface Named {
  readonly id: string
  readonly name: string
}

/** A provider that needs nothing but a button. */
export interface ButtonProvider extends Named {
  readonly type: 'oauth' | 'oidc'
  readonly style?: Readonly<OAuthProviderButtonStyles>
}

/** A provider whose form has fields, or a script. */
export type FormProvider =
  | (Named & {
      readonly type: 'credentials'
      /** Without fields, the form is a button. Null means that there is no form. */
      readonly fields: Readonly<Record<string, CredentialInput>> | null
    })
  | (Named & {
      readonly type: 'email'
      /** Whether its mails have a code; `only`: and no link. */
      readonly code?: boolean | 'only'
    })
  | (Named & {
      readonly type: 'webauthn'
      readonly formFields: Readonly<Record<string, CredentialInput>>
      /** Whether the browser suggests passkeys for a field; true by default. */
      readonly enableConditionalUI?: boolean
    })

/** What the sign-in page needs to know of a provider; every resolved provider is one. */
export type PageProvider = ButtonProvider | FormProvider

/** Absolute URLs that the forms of providers are sent to. */
export interface ProviderUrls {
  /** `{base}/signin/{id}` */
  signIn(providerId: string): string
  /** `{base}/callback/{id}` */
  callback(providerId: string): string
}

type Of<Type extends FormProvider['type']> = Extract<FormProvider, { type: Type }>

/** The ways to sign in that ask for the same e-mail address, and so are one form. At least two of them are there. */
export interface SharedWays {
  readonly credentials: Of<'credentials'> | null
  readonly email: Of<'email'> | null
  readonly passkey: Of<'webauthn'> | null
}

/** The one field that the ways share. */
const SHARED_FIELD = 'email'

/**
 * The ways that share a form: the first of each kind that asks for an address in the field `email`. A provider whose form
 * has another field in its place keeps a form of its own, and so does a second provider of a kind.
 *
 * @returns null if there are less than two of them
 */
export function sharedWays(providers: readonly { readonly type: string }[]): SharedWays | null {
  const forms = providers.filter(isFormProvider)
  const ways: SharedWays = {
    credentials:
      forms.find((each): each is Of<'credentials'> => each.type === 'credentials' && asksAddress(each.fields)) ?? null,
    email: forms.find((each): each is Of<'email'> => each.type === 'email') ?? null,
    passkey:
      forms.find((each): each is Of<'webauthn'> => each.type === 'webauthn' && asksOnlyAddress(each.formFields)) ??
      null,
  }
  return Object.values(ways).filter(Boolean).length > 1 ? ways : null
}

const isFormProvider = (provider: { readonly type: string }): provider is FormProvider =>
  provider.type === 'credentials' || provider.type === 'email' || provider.type === 'webauthn'

type Fields = Readonly<Record<string, CredentialInput>>

/** A form with a return target of its own cannot be that of other ways, too. */
const asksAddress = (fields: Fields | null): boolean =>
  fields !== null && Object.hasOwn(fields, SHARED_FIELD) && !Object.hasOwn(fields, CALLBACK_URL_FIELD)

const asksOnlyAddress = (fields: Fields): boolean => Object.keys(fields).length === 1 && asksAddress(fields)

/**
 * Names of fields that are in the body of a request only because of the shared form: those of credentials, such as the
 * password, when another way was chosen. No flow and no code of the application may see them there.
 *
 * @param id of the provider that the request is for
 */
export function fieldsOfOtherWays(providers: readonly { readonly type: string }[], id: string): ReadonlySet<string> {
  const ways = sharedWays(providers)
  const isShared = ways !== null && (ways.email?.id === id || ways.passkey?.id === id)
  const names = isShared ? Object.keys(ways.credentials?.fields ?? {}) : []
  return new Set(names.filter((name) => name !== SHARED_FIELD))
}

/** Types of fields that are text and no secret. */
const TYPES: ReadonlySet<string> = new Set(['text', 'email', 'tel', 'search', 'url'])

/** Words of `autocomplete` that stand for who somebody is, and for nothing secret (HTML, "Autofill"). */
const WHO: ReadonlySet<string> = new Set(['username', 'email', 'tel', 'name', 'organization'])

/** Longer values are not kept: cookies are short. An address has at most 254 characters (RFC 5321 §4.5.3.1.3). */
const MAX_LENGTH = 254

/**
 * Whether a field says who somebody is, so that its value may be shown again after a failure. A field of which that is not
 * known may be a password or a code.
 */
function saysWho({ attributes }: FormField): boolean {
  const { type = '', autocomplete = '' } = Object.fromEntries(attributes)
  return TYPES.has(type) && autocomplete.split(' ').some((word) => WHO.has(word))
}

/** What of the body of a form may be shown again after a failure: the values of fields that say who somebody is. */
export function keptValues(
  provider: PageProvider,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    formFields(provider.id, inputsOf(provider))
      .filter(saysWho)
      .map((field) => nameOf(field))
      .flatMap((name) => {
        const value = ownMember(fields, name)
        return isKept(value) ? [[name, value]] : []
      }),
  )
}

/** A form with what was entered before. A field of which the form does not say so now stays as it is. */
export const withValues = (
  fields: readonly FormField[],
  values: Readonly<Record<string, string>>,
): readonly FormField[] =>
  fields.map((field) => {
    const name = nameOf(field)
    const value = saysWho(field) ? ownMember(values, name) : undefined
    if (value === undefined) return field
    return { ...field, attributes: [...field.attributes.filter(([name]) => name !== 'value'), ['value', value]] }
  })

const isKept = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH && !/\p{C}/u.test(value)

const nameOf = ({ attributes }: FormField): string => attributes.find(([name]) => name === 'name')?.[1] ?? ''

const inputsOf = (provider: PageProvider) => {
  if (provider.type === 'credentials') return provider.fields ?? {}
  return provider.type === 'email' ? { email: { type: 'email' } } : {}
}
