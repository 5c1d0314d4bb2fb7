import { parseSetCookie } from 'cookie'
import type { AdapterUser } from '../adapters/adapter.js'
import { processEnv } from '../config/env.js'
import { membersNamed, OPTION_NAMES } from '../config/option-shapes.js'
import type { AuthConfig } from '../config/options.js'
import { TEST_PROVIDER } from '../config/secrets.js'
import { Auth } from '../engine/auth.js'
import { engineOfObject } from '../engine/engines.js'
import { describeValue } from '../kernel/describe-value.js'
import { AuthError, InvalidConfiguration } from '../kernel/errors.js'
import { object } from '../kernel/object-shape.js'
import { anything } from '../kernel/shape.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import Credentials from '../providers/credentials.js'
import type { User } from '../providers/provider.js'
import { checkCallOptions, checkSource } from '../sessions/check-call-options.js'
import type { CurrentSession } from '../sessions/session.js'

/** Who is to be signed in. With an adapter, the user is looked up by `id` or `email`, and created if there is none. */
export type TestUser = User | (Omit<User, 'id'> & { readonly id?: string })

/** Where the application under test is. */
export interface TestOptions {
  /**
   * Public origin of the application under test. It decides whether cookies are those of https. By default that of
   * `config.url` or AUTH_URL, else `http://localhost:3000`.
   */
  readonly origin?: string
}

/** A browser with a session. */
export interface SignedIn {
  /** The header `Cookie` of its requests. */
  readonly cookie: string
  /** The same as an object of headers, for `fetch` and undici. */
  readonly headers: { readonly cookie: string }
  /** The cookies one by one, with their attributes, as `context.addCookies` of Playwright takes them. */
  readonly cookies: readonly TestCookie[]
  /** The session as clients see it, at the answer of `/auth/session`. */
  readonly session: CurrentSession
}

const CALL = 'signInAs(config, user, options)'

/** Users have members of the application, too. Only one that is nearly a member of ours is a misspelling. */
const USER = object<Pick<User, 'id' | 'name' | 'email' | 'image'>>(
  { id: anything, name: anything, email: anything, image: anything },
  { others: 'unless-near' },
)

/**
 * Signs a user in to an application under test, and gives the cookies of the session.
 *
 * It is a whole sign-in, by a provider of its own that asks for no password: callbacks and events run, and a session is
 * stored as after any other sign-in. It needs the configuration with its secret, so it opens nothing to anybody who could not
 * make a session anyway. In production it refuses to work.
 *
 * @param config the configuration of the application; if the application has a function, what it returns for the tenant
 * @throws {InvalidConfiguration} in production; if there is no configuration or no user; if a member of the user is misspelt
 * @throws {AuthError} for a configuration that cannot work, with everything that is wrong with it; or if the sign-in was
 *   refused, for example by the `signIn` callback: then the log has the reason
 */
export async function signInAs(config: AuthConfig, user: TestUser, options: TestOptions = {}): Promise<SignedIn> {
  refuseProduction()
  checkConfiguration(config, CALL)
  checkUser(user)
  const person = await findOrCreate(config, user)
  const way = Credentials({ id: TEST_PROVIDER, name: TEST_PROVIDER, credentials: {}, authorize: () => person })
  // The way is none of the application's, so no sign-in page shall mark it.
  const own = { ...config, ...membersNamed(OPTION_NAMES, config) }
  const extended: AuthConfig = { ...own, marksLastUsed: false, providers: [...config.providers, way] }
  const { origin, mount } = addressOf(extended, options)
  const { csrfToken, cookie } = await csrfOf(extended, mount)
  const answer = await Auth(
    new Request(`${mount}/callback/${TEST_PROVIDER}`, {
      method: 'POST',
      headers: { cookie, origin },
      body: new URLSearchParams({ csrfToken }),
    }),
    extended,
  )
  const cookies = cookiesOf(answer, origin)
  const header = headerOf(cookies)
  const session = await Auth(new Request(`${mount}/session`, { headers: { cookie: header } }), extended)
  const found = (await session.json()) as CurrentSession | null
  if (found === null) throw new AuthError(`The user was not signed in: ${reasonIn(answer)}. The log says more.`)
  return { cookie: header, headers: { cookie: header }, cookies, session: found }
}

function refuseProduction(): void {
  if (!processEnv().isProduction) return
  throw new InvalidConfiguration(
    'latchkey/testing signs anybody in without a password, so it does not work in production.',
  )
}

/** Refuses what is no configuration, such as the application itself. */
function checkConfiguration(config: unknown, call: string): void {
  checkSource(config, call)
  if (typeof config === 'function') {
    throw new InvalidConfiguration(
      `A function was given in place of the configuration; give what it returns for a request. Call it: ${call}.`,
    )
  }
}

function checkUser(user: unknown): void {
  if (typeof user !== 'object' || user === null) {
    throw new InvalidConfiguration(
      `The user is ${describeValue(user)}; it must be an object, such as { email: 'ada@example.com' }. Call it: ${CALL}.`,
    )
  }
  checkCallOptions(user, { ...USER, fits: () => true }, CALL)
}

/** A CSRF token and its cookie, for forms that a test posts to the mount or to a route with `verifyCsrfToken`. */
export interface TestCsrf {
  /** Value of the field `csrfToken`. */
  readonly csrfToken: string
  /** The header `Cookie` with the cookie of the token, and with the given cookies before it. */
  readonly cookie: string
}

/**
 * Gives a CSRF token for a form.
 *
 * @param given cookies of a browser, such as those of {@link signInAs}
 */
export async function csrfFor(
  config: AuthConfig,
  given?: Pick<SignedIn, 'cookie'>,
  options: TestOptions = {},
): Promise<TestCsrf> {
  refuseProduction()
  checkConfiguration(config, 'csrfFor(config)')
  const found = await csrfOf(config, addressOf(config, options).mount)
  return { ...found, cookie: given ? `${given.cookie}; ${found.cookie}` : found.cookie }
}

async function csrfOf(config: AuthConfig, mount: string): Promise<TestCsrf> {
  const answer = await Auth(new Request(`${mount}/csrf`), config)
  if (!answer.ok) throw new InvalidConfiguration(`The mount ${mount} refuses requests. The log says why.`)
  const { csrfToken } = (await answer.json()) as { csrfToken: string }
  return { csrfToken, cookie: headerOf(cookiesOf(answer, new URL(mount).origin)) }
}

/** The stored user; the given one where no users are stored. */
async function findOrCreate({ adapter }: AuthConfig, user: TestUser): Promise<User> {
  const id = user.id ?? user.email ?? 'test-user'
  if (!adapter) return { ...user, id }
  const known =
    (user.id !== undefined ? await adapter.getUser?.(user.id) : null) ??
    (user.email ? await adapter.getUserByEmail?.(user.email) : null)
  if (known) return known
  if (!adapter.createUser) throw new InvalidConfiguration('The adapter has no such user, and no method createUser.')
  return adapter.createUser({ emailVerified: null, ...user, id } as AdapterUser)
}

/**
 * Public origin and URL of the mount, as the configuration resolves them.
 *
 * @throws {AuthError} for a configuration that cannot work
 */
function addressOf(config: AuthConfig, { origin: given }: TestOptions): { origin: string; mount: string } {
  // Also makes the engine, so that no test of many sign-ins is warned of a configuration for each request.
  const { origin: settings, basePath } = engineOfObject(config).config
  if (given !== undefined && !isAbsoluteUrl(given))
    throw new InvalidConfiguration('`origin` must be an origin, such as http://localhost:3000.')
  const { origin } = given === undefined ? (settings.url ?? new URL('http://localhost:3000')) : new URL(given)
  return { origin, mount: origin + basePath }
}

/** Why a sign-in failed, as the answer says it. */
const reasonIn = (answer: Response): string => {
  const location = answer.headers.get('location')
  const error = location && isAbsoluteUrl(location) ? new URL(location).searchParams.get('error') : null
  return error ?? `status ${answer.status}`
}

/** One cookie of a browser, as `context.addCookies` of Playwright takes it. */
export interface TestCookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly path: string
  readonly httpOnly: boolean
  readonly secure: boolean
  readonly sameSite: 'Strict' | 'Lax' | 'None'
  /** Seconds since the epoch; -1 for a cookie that ends with the browser. */
  readonly expires: number
}

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const

/** The cookies that an answer leaves in a browser; those that it deletes are left out. */
function cookiesOf(answer: Response, origin: string): readonly TestCookie[] {
  const cookies = new Map<string, TestCookie>()
  for (const line of answer.headers.getSetCookie()) {
    const { name, value, ...given } = parseSetCookie(line)
    const expires = endOf(given)
    cookies.delete(name)
    if (value === undefined || value === '' || (expires !== -1 && expires <= Date.now() / 1000)) continue
    cookies.set(name, {
      name,
      value,
      domain: given.domain ?? new URL(origin).hostname,
      path: given.path ?? '/',
      httpOnly: given.httpOnly ?? false,
      secure: given.secure ?? false,
      sameSite: typeof given.sameSite === 'string' ? SAME_SITE[given.sameSite] : 'Lax',
      expires,
    })
  }
  return [...cookies.values()]
}

function endOf({ maxAge, expires }: { maxAge?: number | undefined; expires?: Date | undefined }): number {
  if (maxAge !== undefined) return Math.floor(Date.now() / 1000) + maxAge
  return expires === undefined ? -1 : Math.floor(expires.getTime() / 1000)
}

/** The header `Cookie` of requests with these cookies. */
const headerOf = (cookies: readonly TestCookie[]): string =>
  cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ')
