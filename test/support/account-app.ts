import type { Adapter, VerificationToken } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig, Provider } from '../../lib/index.js'
import type { EmailUserConfig } from '../../lib/providers/provider.js'
import type { FakeProvider } from './fake-provider.js'
import { rowsOfFeatures } from './of-features.js'
import { goTo, Mailbox, oauth, type Person, registering, setProviderUser } from './sign-ins.js'
import { watched } from './stores.js'
import { Clock, openTestApp, type TestBrowser } from './test-app.js'

/** A way to sign in to the app of {@link openAccountApp}, beside its two OpenID providers. */
export type SignInMethod = 'email' | 'credentials' | 'passkey'

/** Providers of features by method. A method that no feature brings is left out. */
const OF_FEATURES = await rowsOfFeatures<() => Provider>('providers')

/** What a test changes of the app of {@link openAccountApp}. */
export interface AccountAppOptions {
  readonly store?: Required<Adapter>
  /** Methods that replace those of the store. */
  readonly change?: Partial<Adapter>
  /** Mailed links and credentials by default. */
  readonly methods?: readonly SignInMethod[]
  /** Providers beside those. */
  readonly more?: readonly Provider[]
  /** Options of the e-mail provider. */
  readonly email?: EmailUserConfig
  /** Options of the two OpenID providers. */
  readonly provider?: object
  readonly config?: Partial<AuthConfig>
}

/**
 * An app with two OpenID providers, "acme" and "other", and with mailed links, passkeys, and credentials that create users. It keeps the
 * calls of its store, and the rows of verification tokens.
 */
export function openAccountApp(
  idp: FakeProvider,
  {
    store = memoryAdapter(),
    change = {},
    methods = ['email', 'credentials'],
    more = [],
    email = {},
    provider = {},
    config = {},
  }: AccountAppOptions = {},
) {
  const mailbox = new Mailbox()
  const { adapter, calls } = watched<Required<Adapter>>(store, change)
  const rows: VerificationToken[] = []
  const { createVerificationToken } = adapter
  adapter.createVerificationToken = (row) => {
    rows.push(row)
    return createVerificationToken(row)
  }
  const providers: Readonly<Record<string, () => Provider>> = {
    email: () => mailbox.provider(email),
    credentials: () => registering(store),
    ...OF_FEATURES,
  }
  const testApp = openTestApp(
    {
      adapter,
      providers: [
        ...methods.flatMap((method) => providers[method]?.() ?? []),
        ...more,
        oauth(idp, 'oidc', { id: 'acme', ...provider }),
        oauth(idp, 'oidc', { id: 'other', ...provider }),
      ],
      // Its tests count the calls of the store, and several of them may have one store, each with a clock of its own.
      limits: false,
      ...config,
    },
    { clock: new Clock(Math.floor(Date.now() / 1000) * 1000) },
  )
  /** Signs a person in at a provider; `claims` are what the provider says beside what all providers say. */
  const signIn = async (browser: TestBrowser, person: Person, id = 'acme', claims: object = {}) => {
    setProviderUser(idp, testApp.clock, person)
    Object.assign(idp.profile, claims)
    return browser.get(await goTo(browser, idp, id))
  }
  /** The user who has a person's account at a provider, by id; undefined if nobody has it. */
  const ownerOf = async ({ sub }: Person, id = 'acme') =>
    (await store.getUserByAccount({ provider: id, providerAccountId: sub }))?.id
  return { ...testApp, store, calls, rows, mailbox, signIn, ownerOf }
}
