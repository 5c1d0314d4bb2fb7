import { request } from 'undici'
import { repeat } from './load.js'
import { nameOf } from './people.js'
import type { Server, StartServer } from './server.js'
import type { AuthjsOptions } from './servers/authjs.js'
import type { BetterAuthOptions } from './servers/better-auth.js'
import type { LatchkeyOptions } from './servers/latchkey.js'

/** An application that is measured: a file of `servers/`, or Express alone. */
export interface Application {
  readonly name: string
  readonly file: keyof typeof SIGN_INS
  readonly options?: Options
  /** Whether people sign in at the OpenID provider. */
  readonly atProvider?: true
  /** Whether a link to a route of the application begins the sign-in there, in place of a form with a CSRF token. */
  readonly byLink?: true
}
type Options = AuthjsOptions & BetterAuthOptions & LatchkeyOptions

/** Keeps cookies for each origin. It follows no redirect by itself. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** The cookies of an origin, by their names. */
  cookiesOf(origin: string): Map<string, string> {
    const cookies = this.#cookies.get(origin) ?? new Map<string, string>()
    this.#cookies.set(origin, cookies)
    return cookies
  }

  /** The value of the header `Cookie` for an origin. */
  headerFor = (origin: string) => Array.from(this.cookiesOf(origin), ([name, value]) => `${name}=${value}`).join('; ')

  /** Sends a GET request, or a POST request when there is a form. */
  async send(url: string, form?: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) {
    const { origin } = new URL(url)
    const cookie = this.headerFor(origin)
    const { statusCode, headers, body } = await request(url, {
      headers: { origin, ...more, ...(cookie && { cookie }), ...(form && { 'content-type': FORM }) },
      ...(form && { method: 'POST', body: String(new URLSearchParams(form)) }),
    })
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.cookiesOf(origin).set(name, value)
      if (/; *(?:max-age=0\b|expires=[^;]* 1970 )/i.test(line)) this.cookiesOf(origin).delete(name)
    }
    return { status: statusCode, location: headers['location']?.toString() ?? null, body: await body.text() }
  }

  /** As {@link send}, for an address that the person goes to. */
  navigate = (url: string, form?: Readonly<Record<string, string>>) => this.send(url, form, NAVIGATION)
}

const FORM = 'application/x-www-form-urlencoded'
const NAVIGATION = {
  accept: 'text/html,*/*;q=0.8',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'same-origin',
}

/** Signs a person in. The browser has the cookies of the session afterwards. */
type SignIn = (browser: Browser, origin: string, person: number, options: Options) => Promise<unknown>

/** The CSRF token, and the form with the credentials; or the form, the provider and the callback. */
const withCsrfToken: SignIn = async (browser, origin, person, { issuer, tenants }) => {
  if (tenants) browser.cookiesOf(origin).set('tenant', String(person % tenants))
  const { csrfToken } = JSON.parse((await browser.send(`${origin}/auth/csrf`)).body)
  const form = { csrfToken, person: String(person) }
  if (issuer) await followRedirects(browser, person, `${origin}/auth/signin/local`, form)
  else await browser.send(`${origin}/auth/callback/credentials`, form)
}

/** Follows redirects to the provider, and back until the callback of the application has answered. */
async function followRedirects(browser: Browser, person: number, start: string, form?: Record<string, string>) {
  const { origin } = new URL(start)
  let { location, body } = await browser.navigate(start, form)
  for (let isBack = false, url = start; !isBack; ) {
    if (location === null) throw new Error(`${url} did not redirect: ${body}`)
    const next = new URL(location, url)
    isBack = next.origin === origin
    url = next.href
    if (!isBack) browser.cookiesOf(next.origin).set('person', String(person))
    ;({ location, body } = await browser.navigate(url))
  }
}

/** At a route that redirects to the provider. */
const byLink: SignIn = (browser, origin, person) => followRedirects(browser, person, `${origin}/login`)

/** At a route of the benchmark, which calls the package. */
const atOwnRoute: SignIn = (browser, origin, person) => browser.send(`${origin}/sign-in?person=${person}`, {})
const SIGN_INS = {
  express: null,
  latchkey: withCsrfToken,
  authjs: withCsrfToken,
  'better-auth': atOwnRoute,
  'express-openid-connect': byLink,
  'by-hand': withCsrfToken,
  'iron-session': atOwnRoute,
  passport: atOwnRoute,
} as const satisfies Record<string, SignIn | null>

/**
 * Starts an application, signs people in, and checks that the guarded route knows each person and refuses everybody else.
 *
 * @returns the server, the header `Cookie` of each person, and a function that signs a person in again
 * @throws {Error} when the application does not work as it should: its figures would be worth nothing
 */
export async function startApplication(start: StartServer, provider: Server, application: Application, people: number) {
  const { name, file, atProvider } = application
  const signInBy = application.byLink ? byLink : SIGN_INS[file]
  const options = { ...application.options, ...(atProvider ? { issuer: provider.origin } : {}) }
  const server = await start(file, options)
  const { origin } = server
  const signIn = async (browser: Browser, person: number) => {
    await signInBy?.(browser, origin, person, options)
    if (!/session|connect.sid/i.test(browser.headerFor(origin))) throw new Error(`${name} gave no session.`)
  }
  const cookies: string[] = []
  const requireAnswer = async (browser: Browser, expected: number, text: string) => {
    const { status, body } = await browser.send(`${origin}/hello`)
    if (status !== expected || !body.includes(text)) throw new Error(`${name}: /hello answered ${status}: ${body}`)
  }
  const workers = Array.from({ length: 10 }, () => async () => {
    const browser = new Browser()
    const person = cookies.push('') - 1
    await signIn(browser, person)
    cookies[person] = browser.headerFor(origin)
    await requireAnswer(browser, 200, nameOf(person))
  })
  await repeat(workers, SIGN_INS[file] ? people : 0)
  await requireAnswer(new Browser(), SIGN_INS[file] ? 401 : 200, '')
  return { server, cookies, signIn }
}
