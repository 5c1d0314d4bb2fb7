import type { OIDCConfig } from '../provider.js'
import MicrosoftEntraID, { type MicrosoftEntraIDProfile } from './microsoft-entra-id.js'

/** Claims of Microsoft's ID token beyond those of OpenID Connect. */
export type AzureADProfile = MicrosoftEntraIDProfile

/**
 * Sign-in with Microsoft Entra ID under its former name, for apps whose accounts are stored under `azure-ad`.
 *
 * New apps take `microsoft-entra-id`; everything else is the same.
 *
 * @see https://learn.microsoft.com/en-us/entra/identity-platform/quickstart-register-app
 */
export default function AzureAD(options: Parameters<typeof MicrosoftEntraID>[0] = {}): OIDCConfig<AzureADProfile> {
  return { ...MicrosoftEntraID(options), id: 'azure-ad', name: 'Azure Active Directory' }
}
