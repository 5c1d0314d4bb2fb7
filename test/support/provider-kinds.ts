import type { Provider } from '../../lib/index.js'
import type { FakeProvider } from './fake-provider.js'
import { rowsOfFeatures } from './of-features.js'
import { type Mailbox, oauth, type Person, registering, setProviderUser } from './sign-ins.js'
import type { OpenStore } from './stores.js'
import type { TestBrowser, TestResponse } from './test-app.js'

/** What a form sends: the field of a ticked box, or nothing. */
export type Box = Readonly<Record<string, string>>
export const TICKED: Box = { remember: 'on' }
export const EMPTY: Box = {}

/** How one kind of provider signs a person in, with the box as it is in the form. */
export interface ProviderKind {
  readonly provider: () => Provider
  readonly signIn: (browser: TestBrowser, person: Person, box: Box) => Promise<TestResponse>
}

export async function atProvider(
  idp: FakeProvider,
  browser: TestBrowser,
  person: Person,
  box: Box,
  type: 'oidc' | 'oauth',
) {
  setProviderUser(idp, browser.clock, person, type)
  const fields = { csrfToken: await browser.csrfToken(), ...box }
  const { location } = await browser.post(`/auth/signin/${type}`, fields)
  return browser.get(`/auth/callback/${type}?${idp.authorize(location ?? '')}`)
}

export async function linkFor(mailbox: Mailbox, browser: TestBrowser, { email }: Person, box: Box): Promise<string> {
  await browser.post('/auth/signin/email', { csrfToken: await browser.csrfToken(), email: email ?? '', ...box })
  return mailbox.pathFor(email)
}

/** Follows a link on another device, and presses the button of its page; `more` is what a forger adds to the form. */
export async function confirm(browser: TestBrowser, path: string, more: Box = {}): Promise<TestResponse> {
  const query = new URLSearchParams(path.split('?')[1])
  const fields = { token: query.get('token') ?? '', email: query.get('email') ?? '', ...more }
  return browser.post('/auth/callback/email', { csrfToken: await browser.csrfToken(), ...fields })
}

const OF_FEATURES = await rowsOfFeatures<ProviderKind>('provider-kinds')

/** What the kinds of providers work with. */
export interface KindParts {
  readonly idp: () => FakeProvider
  readonly store: () => OpenStore
  readonly mailbox: Mailbox
}

/** Every kind of provider, for tests that sign people in by each of them. */
export function providerKinds({ idp, store, mailbox }: KindParts): Readonly<Record<string, ProviderKind>> {
  return {
    oauth: {
      provider: () => oauth(idp(), 'oauth'),
      signIn: (browser, person, box) => atProvider(idp(), browser, person, box, 'oauth'),
    },
    oidc: {
      provider: () => oauth(idp()),
      signIn: (browser, person, box) => atProvider(idp(), browser, person, box, 'oidc'),
    },
    email: {
      provider: () => mailbox.provider(),
      signIn: async (browser, person, box) => browser.get(await linkFor(mailbox, browser, person, box)),
    },
    credentials: {
      provider: () => registering(store().adapter),
      signIn: (browser, { email }, box) => browser.signIn({ email: email ?? '', ...box }),
    },
    ...OF_FEATURES,
  }
}
