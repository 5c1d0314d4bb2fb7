import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { AuthConfig } from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import type { NotificationKind } from '../../../lib/providers/local-config.js'
import {
  openTestApp,
  sendForm as send,
  type TestAppOptions,
  type TestBrowser,
  type TestResponse,
} from '../../support/test-app.js'

export const ADA = 'ada@example.com'
export const NEW = 'ada@new.example'
export const EVE = 'eve@example.com'

export const PAGE = { accept: 'text/html' }

/** A mail that was sent. */
export interface Sent {
  readonly to: string
  readonly kind: NotificationKind | 'sign-in-link'
  readonly text: string
  /** Path and query of the link. */
  readonly path: string
}

/** An app in which people sign in by mailed links, whose mails stay here. */
export function openAddressApp(
  adapter: Adapter = memoryAdapter(),
  { providers = [], ...more }: Partial<AuthConfig> = {},
  testOptions: TestAppOptions = {},
) {
  const mails: Sent[] = []
  const sending = { fails: false }
  const note = (to: string, kind: Sent['kind'], text: string, url: string) => {
    const { pathname, search } = new URL(url)
    mails.push({ to, kind, text, path: pathname + search })
  }
  const mail = Email({
    sendVerificationRequest: ({ identifier, url }) => note(identifier, 'sign-in-link', '', url),
    sendNotification({ identifier, kind, message, url }) {
      note(identifier, kind, message.text, url)
      if (sending.fails) throw new Error(`550 ${url}`)
    },
  })
  const app = openTestApp(
    // Limits have tests of their own: here calls and records are counted.
    { adapter, providers: [...providers, mail], session: { strategy: 'database' }, limits: false, ...more },
    testOptions,
  )
  const tokenIn = (path = '') => {
    const token = new URLSearchParams(path.split('?')[1]).get('token')
    if (!token) throw new Error(`no link was mailed, or it has no token: "${path}"`)
    return token
  }
  const last = (kind: Sent['kind']) => mails.filter((each) => each.kind === kind).at(-1)
  return {
    ...app,
    mails,
    /** Whether mails arrive, and are said to have failed. */
    sending,
    send,
    tokenIn,
    last,
    /** A browser in which somebody has signed in by a mailed link. */
    async signedIn(email = ADA): Promise<TestBrowser> {
      const browser = app.browser()
      await send(browser, 'signin/email', { email })
      await browser.get(last('sign-in-link')?.path ?? '')
      return browser
    },
    ask: (browser: TestBrowser, email = NEW, headers = {}) =>
      send(browser, 'address', { email, callbackUrl: '/account' }, headers),
    /** Asks, and gives the token of the mailed link. Throws if none was mailed. */
    async tokenFor(browser: TestBrowser, email = NEW): Promise<string> {
      const before = mails.length
      await send(browser, 'address', { email, callbackUrl: '/account' })
      return tokenIn(mails.slice(before).find(({ kind }) => kind === 'address-link')?.path)
    },
    confirm: (token: string, browser = app.browser()) =>
      send(browser, 'address/confirm', { token, callbackUrl: '/account' }),
    async idOf(email: string): Promise<string | null> {
      return (await adapter.getUserByEmail?.(email))?.id ?? null
    },
  }
}

/** Whether a link was accepted. */
export const isDone = ({ status, location }: TestResponse) =>
  status === 302 && location === 'http://app.example/account'

export function expectRefused(answer: TestResponse, reason: string): void {
  expect(answer.status, answer.body).to.equal(reason === 'link' ? 400 : 422)
  expect(answer.json()).to.deep.equal({ error: 'Address', reason })
}
