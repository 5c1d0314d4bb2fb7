import { Secret, TOTP } from 'otpauth'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { AuthConfig, SecondFactorReset } from '../../../lib/index.js'
import Password from '../../../lib/providers/password.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import type { TestAppOptions, TestBrowser, TestResponse } from '../../support/test-app.js'
import { ADA, openAddressApp, PAGE } from '../address/address-app.js'

export const PASSWORD = 'copper lantern under seven bridges'
/** The one that people choose in its place. */
export const NEW_PASSWORD = 'silver kettle over nine rivers'
const HASH = await (async () => {
  const { hashPassword } = await import('../../../lib/features/password/hash.js')
  return hashPassword(PASSWORD)
})()

/** The code that an authenticator app shows. */
export const codeOf = (secret: string, ms: number): string =>
  new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(secret) }).generate({ timestamp: ms })

/** What a page of the form offers to an app. */
interface Offer {
  /** As the app reads it. */
  readonly secret: string
  /** The hidden field. */
  readonly sealed: string
}

/** An app with passwords, mailed links and a second factor. */
export function openSecondFactorApp(
  config: Partial<AuthConfig> = {},
  { adapter = memoryAdapter(), ...testOptions }: TestAppOptions & { adapter?: ReturnType<typeof memoryAdapter> } = {},
) {
  const { providers = [], ...more } = config
  const app = openAddressApp(
    adapter,
    { providers: [Password(), ...providers], secondFactor: true, ...more },
    testOptions,
  )
  const offerTo = async (browser: TestBrowser): Promise<Offer> => {
    const { url, secret: sealed } = (await browser.get('/auth/second-factor/add')).json()
    return { secret: new URL(url).searchParams.get('secret') ?? '', sealed }
  }
  /** The code of the next step: each one counts once. */
  const nextCode = (secret: string) => {
    app.clock.advance(30)
    return codeOf(secret, app.clock.ms)
  }
  return {
    ...app,
    adapter,
    offerTo,
    nextCode,
    /** Adds an authenticator app in a browser. Gives its secret, and the recovery codes. */
    async addFactor(browser: TestBrowser): Promise<{ secret: string; codes: string[]; answer: TestResponse }> {
      const { secret, sealed } = await offerTo(browser)
      const answer = await app.send(browser, 'second-factor/add', { secret: sealed, code: nextCode(secret) })
      return { secret, codes: answer.status === 200 ? answer.json().codes : [], answer }
    },
    /** A browser in which somebody with a confirmed address and a password has signed in. */
    async withPassword(email = ADA): Promise<TestBrowser> {
      const browser = await app.signedIn(email)
      await setPasswordOf(app, String(await app.idOf(email)))
      return browser
    },
    /** The same, with a second factor. */
    async withFactor(email = ADA) {
      const browser = await this.withPassword(email)
      const userId = (await app.idOf(email)) ?? ''
      return { browser, userId, ...(await this.addFactor(browser)) }
    },
    /** A sign-in with the password, as far as it comes. */
    enterPassword: (browser: TestBrowser, email = ADA, headers: Record<string, string> = PAGE, password = PASSWORD) =>
      app.send(browser, 'callback/password', { email, password, callbackUrl: '/inside' }, headers),
    /** Has a link mailed, and chooses another password with it, as far as it comes. */
    async choosePassword(browser: TestBrowser, email = ADA): Promise<TestResponse> {
      await app.send(browser, 'password', { email }, PAGE)
      const token = app.tokenIn(app.mails.at(-1)?.path)
      return app.send(browser, 'password/choose', { token, newPassword: NEW_PASSWORD }, PAGE)
    },
    operate: (name: 'resetSecondFactor', given: SecondFactorReset) => operatorOf(() => app.engine.config)[name](given),
    /** Where a browser ends that is led to an address, without a person who enters anything. */
    async follow(browser: TestBrowser, url: string | null) {
      let at = url ?? ''
      for (let turn = 0; turn < 5; turn += 1) {
        const answer = at.startsWith(`${app.origin}/auth/`)
          ? await browser.get(at.slice(app.origin.length), PAGE)
          : null
        if (answer === null || answer.location === null) return { at: new URL(at), body: answer?.body ?? '' }
        at = answer.location
      }
      throw new Error(`A circle at ${at}.`)
    },
    enterCode: (browser: TestBrowser, code: string, more: Record<string, string> = {}) =>
      app.send(browser, 'second-factor', { code, ...more }, PAGE),
  }
}

async function setPasswordOf(app: ReturnType<typeof openAddressApp>, userId: string) {
  const { PASSWORDS } = await import('../../../lib/features/password/operations.js')
  await (await app.engine.config.services.get(PASSWORDS)?.())?.set({ userId, hash: HASH })
}

export const INSIDE = 'http://app.example/inside'
export const ASKED = 'http://app.example/auth/second-factor?callbackUrl=http%3A%2F%2Fapp.example%2Finside'
