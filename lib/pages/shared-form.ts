import type { CredentialInput } from '../providers/provider.js'
import { CALLBACK_URL_FIELD } from './form-field.js'
import type { FormProvider } from './page-provider.js'

type Of<Type extends FormProvider['type']> = Extract<FormProvider, { type: Type }>

/** The ways to sign in that ask for the same e-mail address, and so are one form. At least two of them are there. */
export interface SharedWays {
  readonly credentials: Of<'credentials'> | null
  readonly email: Of<'email'> | null
  readonly passkey: Of<'webauthn'> | null
}

/** The one field that the ways share. */
export const SHARED_FIELD = 'email'

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
