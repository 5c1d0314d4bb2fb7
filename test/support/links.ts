import type { FakeProvider } from './fake-provider.js'
import { type Person, setProviderUser } from './sign-ins.js'
import type { Clock, TestBrowser, TestResponse } from './test-app.js'

/** Begins a link in the session of a browser, as the button of its page does. */
export async function beginLink(
  browser: TestBrowser,
  provider = 'acme',
  fields: Record<string, string> = {},
): Promise<TestResponse> {
  return browser.post(`/auth/link/${provider}`, { csrfToken: await browser.csrfToken(), ...fields })
}

/** Goes to a provider for a link and agrees there; gives the path that the browser is then sent back to. */
export async function goToLink(
  browser: TestBrowser,
  idp: FakeProvider,
  provider = 'acme',
  fields: Record<string, string> = {},
): Promise<string> {
  const { location } = await beginLink(browser, provider, fields)
  return `/auth/callback/${provider}?${idp.authorize(location ?? '')}`
}

/** Links a person's account at a provider, with an app of `openAccountApp`. */
export async function link(
  browser: TestBrowser,
  { idp, clock }: { idp: FakeProvider; clock: Clock },
  person: Person,
  provider = 'acme',
): Promise<TestResponse> {
  setProviderUser(idp, clock, person)
  return browser.get(await goToLink(browser, idp, provider))
}
