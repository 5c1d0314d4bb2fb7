import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { AuthConfig } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import { SoftAuthenticator, type Twist } from '../../support/authenticator.js'
import { openTestApp, type TestApp, type TestBrowser, type TestResponse } from '../../support/test-app.js'

export type Ceremony = 'register' | 'authenticate'

/** An application with passkeys, and somebody with an authenticator in front of it. */
export interface PasskeyApp {
  readonly testApp: TestApp
  readonly adapter: Required<Adapter>
  readonly browser: TestBrowser
  readonly device: SoftAuthenticator
}

export function openPasskeyApp(
  options: Partial<AuthConfig> = {},
  adapter: Required<Adapter> = memoryAdapter(),
): PasskeyApp {
  const testApp = openTestApp({ providers: [Passkey()], adapter, ...options })
  return { testApp, adapter, browser: testApp.browser(), device: new SoftAuthenticator(testApp.origin) }
}

export const ADDRESS = 'ada@example.com'

/** GET webauthn-options. */
export function ask(browser: TestBrowser, query: Record<string, string>, id = 'passkey'): Promise<TestResponse> {
  return browser.get(`/auth/webauthn-options/${id}?${new URLSearchParams(query)}`)
}

/** POST callback. */
export const answer = (
  browser: TestBrowser,
  action: Ceremony,
  data: string,
  id = 'passkey',
  more: Record<string, string> = {},
): Promise<TestResponse> => browser.post(`/auth/callback/${id}`, { action, data, ...more })

/** Makes a passkey: signs up with the address, or adds one to whoever is signed in. */
export async function register(
  { browser, device }: Pick<PasskeyApp, 'browser' | 'device'>,
  { email, twist, id }: { email?: string; twist?: Twist; id?: string } = {},
): Promise<TestResponse> {
  const asked = await ask(browser, { action: 'register', ...(email !== undefined && { email }) }, id)
  if (asked.status !== 200) throw new Error(`no options: ${asked.status} ${asked.body}`)
  return answer(browser, 'register', device.register(asked.json().options, twist), id)
}

/** Signs in; without an address with whatever passkey the device has. */
export async function authenticate(
  { browser, device }: Pick<PasskeyApp, 'browser' | 'device'>,
  { email, twist, id, callbackUrl }: { email?: string; twist?: Twist; id?: string; callbackUrl?: string } = {},
): Promise<TestResponse> {
  const asked = await ask(browser, { action: 'authenticate', ...(email !== undefined && { email }) }, id)
  const data = device.authenticate(asked.json().options, twist)
  return answer(browser, 'authenticate', data, id, callbackUrl === undefined ? {} : { callbackUrl })
}

/** A passkeyApp in which Ada has signed up, and another browser of hers is signed out. */
export async function signedUp(
  options: Partial<AuthConfig> = {},
  adapter?: Required<Adapter>,
): Promise<PasskeyApp & { readonly signedIn: TestBrowser }> {
  const passkeyApp = openPasskeyApp(options, adapter)
  const { location } = await register(passkeyApp, { email: ADDRESS })
  if (location !== passkeyApp.testApp.origin) throw new Error(`the sign-up ended at ${location}`)
  return { ...passkeyApp, signedIn: passkeyApp.browser, browser: passkeyApp.testApp.browser() }
}

/** The `error` of the page that an answer leads to; null when it leads on. */
export function errorOf({ location, status, body }: TestResponse): string | null {
  if (status !== 302 || location === null) throw new Error(`no redirect: ${status} ${body}`)
  return new URL(location).searchParams.get('error')
}

/** Names of the open challenges of a browser. */
export const challengesOf = (browser: TestBrowser): string[] =>
  [...browser.jar.keys()].filter((name) => name.includes('challenge'))
