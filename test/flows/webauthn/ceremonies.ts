import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { AuthConfig } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import type { Running } from '../../support/app.js'
import { SoftAuthenticator, type Twist } from '../../support/authenticator.js'
import { type Desk, type DeskAnswer, type DeskBrowser, openDesk } from '../../support/desk.js'
import { Visitor } from '../../support/visitor.js'

export type Ceremony = 'register' | 'authenticate'

/** An application with passkeys, and somebody with an authenticator in front of it. */
export interface Scene {
  readonly desk: Desk
  readonly adapter: Required<Adapter>
  readonly browser: DeskBrowser
  readonly device: SoftAuthenticator
}

export function openScene(options: Partial<AuthConfig> = {}, adapter: Required<Adapter> = memoryAdapter()): Scene {
  const desk = openDesk({ providers: [Passkey()], adapter, ...options })
  return { desk, adapter, browser: desk.browser(), device: new SoftAuthenticator(desk.origin) }
}

/** An app by its name: an IP address is no relying party. */
export function atLocalhost(app: Running): Running {
  const origin = app.origin.replace('127.0.0.1', 'localhost')
  return { ...app, origin, visitor: () => new Visitor(origin) }
}

export const ADDRESS = 'ada@example.com'

/** GET webauthn-options. */
export function ask(browser: DeskBrowser, query: Record<string, string>, id = 'passkey'): Promise<DeskAnswer> {
  return browser.get(`/auth/webauthn-options/${id}?${new URLSearchParams(query)}`)
}

/** POST callback. */
export const answer = (browser: DeskBrowser, action: Ceremony, data: string, id = 'passkey'): Promise<DeskAnswer> =>
  browser.post(`/auth/callback/${id}`, { action, data })

/** Makes a passkey: signs up with the address, or adds one to whoever is signed in. */
export async function register(
  { browser, device }: Pick<Scene, 'browser' | 'device'>,
  { email, twist, id }: { email?: string; twist?: Twist; id?: string } = {},
): Promise<DeskAnswer> {
  const asked = await ask(browser, { action: 'register', ...(email !== undefined && { email }) }, id)
  if (asked.status !== 200) throw new Error(`no options: ${asked.status} ${asked.body}`)
  return answer(browser, 'register', device.register(asked.json().options, twist), id)
}

/** Signs in; without an address with whatever passkey the device has. */
export async function authenticate(
  { browser, device }: Pick<Scene, 'browser' | 'device'>,
  { email, twist, id }: { email?: string; twist?: Twist; id?: string } = {},
): Promise<DeskAnswer> {
  const asked = await ask(browser, { action: 'authenticate', ...(email !== undefined && { email }) }, id)
  return answer(browser, 'authenticate', device.authenticate(asked.json().options, twist), id)
}

/** A scene in which Ada has signed up, and another browser of hers is signed out. */
export async function signedUp(
  options: Partial<AuthConfig> = {},
  adapter?: Required<Adapter>,
): Promise<Scene & { readonly signedIn: DeskBrowser }> {
  const scene = openScene(options, adapter)
  const { location } = await register(scene, { email: ADDRESS })
  if (location !== scene.desk.origin) throw new Error(`the sign-up ended at ${location}`)
  return { ...scene, signedIn: scene.browser, browser: scene.desk.browser() }
}

/** The `error` of the page that an answer leads to; null when it leads on. */
export function errorOf({ location, status, body }: DeskAnswer): string | null {
  if (status !== 302 || location === null) throw new Error(`no redirect: ${status} ${body}`)
  return new URL(location).searchParams.get('error')
}

/** Who is signed in in a browser, by address. */
export const whoIs = async (browser: DeskBrowser): Promise<string | null | undefined> =>
  (await browser.session())?.user?.email ?? null

/** Names of the open challenges of a browser. */
export const challengesOf = (browser: DeskBrowser): string[] =>
  [...browser.jar.keys()].filter((name) => name.includes('challenge'))
