import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { AuthConfig } from '../../../lib/index.js'
import Credentials from '../../../lib/providers/credentials.js'
import Email from '../../../lib/providers/email.js'
import Password from '../../../lib/providers/password.js'
import { openTestApp, sendForm as send, type TestBrowser, type TestResponse } from '../../support/test-app.js'

export const ADA = 'ada@example.com'
export const GOOD = 'copper lantern under seven bridges'

/** Members of a club, each with the same password. */
export const club = (more: Partial<Parameters<typeof Credentials>[0]> = {}) =>
  Credentials({
    credentials: { email: { type: 'email' }, password: { type: 'password' } },
    authorize: ({ email, password }) => (password === GOOD ? { id: String(email), email: String(email) } : null),
    ...more,
  })

/** An app whose visitors have addresses in a network. */
export function openLimited(options: Partial<AuthConfig> = {}) {
  const mails: string[] = []
  const urls: URL[] = []
  const mail = Email({
    sendVerificationRequest({ identifier, url }) {
      mails.push(identifier)
      urls.push(new URL(url))
    },
  })
  const providers = [club(), mail]
  const app = openTestApp({ providers, adapter: memoryAdapter(), session: { strategy: 'jwt' }, ...options })
  const from = (address: string | undefined): TestBrowser => Object.assign(app.browser(), { address })
  return {
    ...app,
    mails,
    from,
    send,
    guess: (browser: TestBrowser, password: string, email = ADA) =>
      send(browser, 'callback/credentials', { email, password }),
    askMail: (browser: TestBrowser, email = ADA) => send(browser, 'signin/email', { email }),
    /** The link that a browser has mailed. */
    async linkIn(browser: TestBrowser, email = ADA) {
      await send(browser, 'signin/email', { email })
      return urls.at(-1) as URL
    },
    /** How many of a number of wrong guesses were looked at. */
    async tries(count: number, guess: (index: number) => Promise<TestResponse>) {
      let passed = 0
      for (let index = 0; index < count; index += 1) if ((await guess(index)).status !== 429) passed += 1
      return passed
    },
  }
}

/** An app with passwords, and a browser in which somebody has chosen theirs, and may change it for weeks. */
export async function withPassword(email: string) {
  const links: URL[] = []
  const mail = Email({
    sendVerificationRequest() {},
    sendNotification: ({ url }) => void links.push(new URL(url)),
  })
  const app = openLimited({
    providers: [Password(), mail],
    session: { strategy: 'jwt', recentAuthAge: 30 * 24 * 3600 },
  })
  const own = app.from(somewhere())
  await app.send(own, 'password', { email })
  const token = links.at(-1)?.searchParams.get('token') ?? ''
  await app.send(own, 'password/choose', { token, newPassword: GOOD })
  return { app, own }
}

let octet = 0
/** An address of a network that nobody else has. */
export const somewhere = () => {
  octet += 1
  return `203.${Math.floor(octet / 250)}.${octet % 250}.7`
}
