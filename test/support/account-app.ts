import type { Adapter, VerificationToken } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import type { EmailUserConfig } from '../../lib/providers/provider.js'
import type { FakeProvider } from './fake-provider.js'
import { goTo, Mailbox, oauth, type Person, registering, seat } from './sign-ins.js'
import { watched } from './stores.js'
import { Clock, openTestApp, type TestBrowser } from './test-app.js'

/** What a test changes of the app of {@link openAccountApp}. */
export interface AccountAppOptions {
  readonly store?: Required<Adapter>
  /** Methods that replace those of the store. */
  readonly change?: Partial<Adapter>
  /** Options of the e-mail provider. */
  readonly email?: EmailUserConfig
  /** Options of the two OpenID providers. */
  readonly provider?: object
  readonly config?: Partial<AuthConfig>
}

/**
 * An app with mailed links, credentials that create users, and two OpenID providers, "acme" and "other". It keeps the calls of its
 * store, and the rows of verification tokens.
 */
export function openAccountApp(
  idp: FakeProvider,
  { store = memoryAdapter(), change = {}, email = {}, provider = {}, config = {} }: AccountAppOptions = {},
) {
  const mailbox = new Mailbox()
  const { adapter, calls } = watched<Required<Adapter>>(store, change)
  const rows: VerificationToken[] = []
  const { createVerificationToken } = adapter
  adapter.createVerificationToken = (row) => {
    rows.push(row)
    return createVerificationToken(row)
  }
  const testApp = openTestApp(
    {
      adapter,
      providers: [
        mailbox.provider(email),
        registering(store),
        oauth(idp, 'oidc', { id: 'acme', ...provider }),
        oauth(idp, 'oidc', { id: 'other', ...provider }),
      ],
      ...config,
    },
    { clock: new Clock(Math.floor(Date.now() / 1000) * 1000) },
  )
  /** Signs a person in at a provider; `claims` are what the provider says beside what all providers say. */
  const withProvider = async (browser: TestBrowser, person: Person, claims: object = {}, id = 'acme') => {
    seat(idp, testApp.clock, person)
    Object.assign(idp.profile, claims)
    return browser.get(await goTo(browser, idp, id))
  }
  return { ...testApp, store, calls, rows, mailbox, withProvider }
}

/** The address of the signed-in user; undefined when nobody is. */
export const whoIs = async (browser: TestBrowser) => (await browser.session())?.user?.email
