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

/** A provider whose form has fields, or a script. */
export type FormProvider =
  | (Named & {
      readonly type: 'credentials'
      /** Without fields, the form is a button. Null means that there is no form. */
      readonly fields: Readonly<Record<string, CredentialInput>> | null
    })
  | (Named & { readonly type: 'email' })
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
