import type { ProviderType } from './user.js'

/** A provider as clients see it, in the answer of the `providers` action. */
export interface PublicProvider {
  id: string
  name: string
  type: ProviderType
  signinUrl: string
  callbackUrl: string
}
