import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { IdentityProviderOptions } from '../servers/identity-provider.js'
import { type Browser, locationOf } from './browser.js'
import type { Answer } from './connection.js'
import type { SignIn } from './contestants.js'
import { type Server, startServer } from './server.js'

/** Where an OpenID provider will be: applications are told before it is there. */
export async function reserveIssuer(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

/** Starts the OpenID provider, on the core of the load: what it costs is not what is measured. */
export function startIdentityProvider(options: IdentityProviderOptions): Promise<Server> {
  return startServer('identity-provider', { options, port: Number(new URL(options.issuer).port), side: 'load' })
}

/** The sign-in of Auth.js and Latchkey at a provider: a CSRF token, then the form, then there and back. */
export const withProvider: SignIn = async (browser, origin, person) => {
  const { csrfToken } = JSON.parse((await browser.get(`${origin}/auth/csrf`)).body)
  await thereAndBack(
    browser,
    origin,
    person,
    await browser.post(`${origin}/auth/signin/local`, { form: { csrfToken } }),
  )
}

/** The sign-in of express-openid-connect: a link, then there and back. */
export const withLoginRoute: SignIn = async (browser, origin, person) => {
  await thereAndBack(browser, origin, person, await browser.get(`${origin}/login`))
}

/** Follows redirects from the application to the provider until the application's callback has answered. */
async function thereAndBack(browser: Browser, origin: string, person: number, first: Answer): Promise<void> {
  let at = origin
  let answer = first
  for (let step = 0; step < 10; step += 1) {
    const next = locationOf(answer, at)
    if (next === null) break
    const isCallback = at !== origin && next.startsWith(`${origin}/`)
    if (new URL(next).origin !== origin) browser.keep(new URL(next).origin, 'person', String(person))
    at = next
    answer = await browser.get(next)
    if (isCallback) return requireSession(answer)
  }
  throw new Error(`The sign-in came to an end at ${at} with ${answer.status}: ${answer.body || answer.head}`)
}

function requireSession({ status, head }: Answer): void {
  if (status !== 302 || !/^set-cookie: (?:\S*session-token|appSession)=./im.test(head)) {
    throw new Error(`The callback gave no session:\n${head}`)
  }
}
