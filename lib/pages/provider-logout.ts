import { pageText } from './texts/text.js'
import type { ProviderLogoutView } from './view.js'

/** The input of the page on the way to a provider. */
export interface ProviderLogoutPageInput {
  /** Name of the provider. */
  readonly name: string
  /** The logout endpoint of the provider. */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  /** Where the visitor goes without a logout at the provider. */
  readonly stayUrl: string
  /** Whether the page is on plain http. */
  readonly insecure: boolean
}

/**
 * The page that posts the logout to a provider: by itself where scripts run, and with its button elsewhere. With a redirect,
 * the ID token would be in a URL, and so in histories and logs.
 */
export const providerLogoutPage = ({
  name,
  action,
  fields,
  stayUrl,
  insecure,
}: ProviderLogoutPageInput): ProviderLogoutView => ({
  page: 'provider-logout',
  status: 200,
  title: pageText('providerLogout.title', { provider: name }),
  name,
  action,
  fields: Object.entries(fields),
  stayUrl,
  insecure,
})
