import { type Answer, Browser } from './client.js'
import { repeat } from './load.js'
import { nameOf, userOf } from './people.js'
import { nodeOn, type Server, type StartServer } from './server.js'
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
}
type Options = AuthjsOptions & BetterAuthOptions & LatchkeyOptions

/** Signs a person in. The browser has the cookies of the session afterwards. */
type SignIn = (browser: Browser, origin: string, person: number, options: Options) => Promise<unknown>

/** The CSRF token, and the form with the credentials; or the form, the provider and the callback. */
const withCsrfToken: SignIn = async (browser, origin, person, { issuer, tenants }) => {
  if (tenants) browser.setCookie(origin, 'tenant', String(person % tenants))
  const { csrfToken } = JSON.parse((await browser.send(`${origin}/auth/csrf`)).body)
  const form = new URLSearchParams({ csrfToken, person: String(person) })
  if (!issuer) return requireSession(await browser.send(`${origin}/auth/callback/credentials`, form))
  await followRedirects(browser, origin, person, await browser.send(`${origin}/auth/signin/local`, form))
}

/** At a route of the benchmark, which calls the package. */
const atOwnRoute: SignIn = async (browser, origin, person) =>
  requireStatus(204, await browser.send(`${origin}/sign-in?person=${person}`, {}))

/** How people sign in at the servers. */
const SIGN_INS = {
  express: null,
  latchkey: withCsrfToken,
  authjs: withCsrfToken,
  'better-auth': async (browser, origin, person) => {
    const account = { ...userOf(person), password: 'a password' }
    requireStatus(200, await browser.send(`${origin}/api/auth/sign-up/email`, account))
  },
  'express-openid-connect': async (browser, origin, person) =>
    followRedirects(browser, origin, person, await browser.send(`${origin}/login`)),
  'iron-session': atOwnRoute,
  passport: atOwnRoute,
} as const satisfies Record<string, SignIn | null>

/** Starts the OpenID provider on the core of the load: its CPU time is not measured. */
export const startProvider = (start: StartServer) => start('identity-provider', {}, nodeOn('load'))

/**
 * Starts an application, signs people in, and checks that the guarded route knows each person and refuses everybody else.
 *
 * @returns the server, the header `Cookie` of each person, and a function that signs a person in again
 * @throws {Error} when the application does not work as it should: its figures would be worth nothing
 */
export async function startApplication(start: StartServer, provider: Server, application: Application, people: number) {
  const { name, file, atProvider } = application
  const options = { ...application.options, ...(atProvider ? { issuer: provider.origin } : {}) }
  const server = await start(file, options)
  const { origin } = server
  const signIn = async (browser: Browser, person: number) => SIGN_INS[file]?.(browser, origin, person, options)
  const cookies: string[] = []
  if (file === 'express') return { server, cookies, signIn }
  let next = 0
  const workers = Array.from({ length: 10 }, () => new Browser()).map((browser) => async () => {
    const person = next++
    browser.cookies.clear()
    await signIn(browser, person)
    cookies[person] = browser.cookiesFor(origin)
    const { status, body } = await browser.send(`${origin}/hello`)
    if (!body.includes(nameOf(person))) throw new Error(`/hello answered ${status}: ${body}`)
  })
  try {
    await repeat(workers, people)
    requireStatus(401, await new Browser().send(`${origin}/hello`))
  } catch (cause) {
    throw new Error(`${name} does not work as it should.`, { cause })
  }
  return { server, cookies, signIn }
}

/** Follows redirects to the provider and back, until the callback of the application has answered. */
async function followRedirects(browser: Browser, origin: string, person: number, first: Answer): Promise<void> {
  let url = new URL(origin)
  let answer = first
  for (let step = 0; step < 10; step += 1) {
    const next = new URL(/^location: (\S+)/im.exec(answer.head)?.[1] ?? '', url)
    const isCallback = url.origin !== origin && next.origin === origin
    if (next.origin !== origin) browser.setCookie(next.origin, 'person', String(person))
    url = next
    answer = await browser.send(url.href)
    if (isCallback) return requireSession(answer)
  }
  throw new Error(`The sign-in stopped at ${url} with ${answer.status}: ${answer.body || answer.head}`)
}

function requireSession({ status, head }: Answer): void {
  if (status === 302 && /^set-cookie: (?:\S*session-token(?:\.0)?|appSession)=./im.test(head)) return
  throw new Error(`The sign-in gave no session:\n${head}`)
}

function requireStatus(expected: number, { status, body }: Answer): void {
  if (status !== expected) throw new Error(`The server answered ${status}: ${body}`)
}
