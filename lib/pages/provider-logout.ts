import { pageText } from './texts/text.js'
import type { ProviderLogoutView } from './view.js'

/** The input of the page on the way to a provider. */
export interface ProviderLogoutPageInput extends Pick<ProviderLogoutView, 'name' | 'action' | 'stayUrl' | 'insecure'> {
  readonly fields: Readonly<Record<string, string>>
}

/**
 * The page that posts the logout to a provider: by itself where scripts run, and with its button elsewhere. With a redirect,
 * the ID token would be in a URL, and so in histories and logs.
 */
export const providerLogoutPage = (input: ProviderLogoutPageInput): ProviderLogoutView => ({
  page: 'provider-logout',
  status: 200,
  title: pageText('providerLogout.title', { provider: input.name }),
  ...input,
  fields: Object.entries(input.fields),
})
