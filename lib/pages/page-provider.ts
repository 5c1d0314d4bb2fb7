import type { CredentialInput, OAuthProviderButtonStyles } from '../providers/provider.js'

interface Named {
  readonly id: string
  readonly name: string
}

/** A provider that needs nothing but a button. */
export interface ButtonProvider extends Named {
  readonly type: 'oauth' | 'oidc'
  readonly style?: Readonly<OAuthProviderButtonStyles>
}

/** A provider that asks for something. */
export type FormProvider =
  | (Named & {
      readonly type: 'credentials'
      /** Without any, the form is a button; null is no form. */
      readonly fields: Readonly<Record<string, CredentialInput>> | null
    })
  | (Named & { readonly type: 'email' })
  | (Named & {
      readonly type: 'webauthn'
      readonly formFields: Readonly<Record<string, CredentialInput>>
      /** Whether passkeys are suggested for a field; unset is true. */
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
