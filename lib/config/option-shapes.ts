import type { Adapter } from '../adapters/adapter.js'
import { STORE_TIMEOUT } from '../adapters/gateway.js'
import { ADAPTER_METHODS } from '../adapters/methods.js'
import { accountPageShape } from '../features/account-page/options.js'
import { accountTokensShape } from '../features/account-tokens/index.js'
import { actAsShape } from '../features/acting/options.js'
import { limitsShape } from '../features/limits/index.js'
import { secondFactorShape } from '../features/second-factor/options.js'
import { securityEventsShape } from '../features/security-events/options.js'
import type { CookieAttributes, CookieOption } from '../kernel/cookies.js'
import { namesIn, withInherited } from '../kernel/inherited.js'
import type { LoggerInstance, LoggingOptions } from '../kernel/logger.js'
import { object } from '../kernel/object-shape.js'
import { underEach, withoutUndefined } from '../kernel/objects.js'
import {
  anything,
  call,
  caseless,
  count,
  date,
  either,
  flag,
  limit,
  listOf,
  marker,
  oneOf,
  problemsOf,
  quoted,
  recordOf,
  type Shape,
  seconds,
  secondsLimit,
  text,
  timeLimit,
} from '../kernel/shape.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import { parseColour } from '../pages/colour.js'
import { parseImageSource } from '../pages/provider-mark.js'
import { BUILT_IN_LANGUAGES, ENGLISH, placeholdersOf, scriptOf, type TextKey } from '../pages/texts/text.js'
import type { ReplacedTexts } from '../pages/texts/words.js'
import type { Theme } from '../pages/theme.js'
import { RECENT_AUTH_AGE } from '../sessions/may-be-used.js'
import type { SignUpMode } from '../users/ask-sign-up.js'
import { COOKIE_NAMES } from './cookie-names.js'
import {
  type AuthConfig,
  type Callbacks,
  type CookiesOptions,
  type EventCallbacks,
  type JWTOptions,
  type PagesOptions,
  raw,
  type SessionOptions,
  skipCSRFCheck,
} from './options.js'

/** A BCP 47 language tag, as browsers send it. Languages have two or three letters; `Intl` also takes up to eight. */
const isLanguageTag = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z]{2,3}(?:-|$)/i.test(value) && scriptOf(value) !== null

/** At least one language tag. */
const languageList: Shape<string[]> = {
  expected: `a list of language tags, such as ${BUILT_IN_LANGUAGES.slice(0, 2)
    .map((tag) => `"${tag}"`)
    .join(' and ')}`,
  fits: (value) => Array.isArray(value) && value.length > 0 && value.every(isLanguageTag),
  isPublic: true,
}

/** A colour that the pages understand; empty for none, as in the theme of Auth.js. */
export const colour: Shape<string> = {
  expected: 'a colour: a hex colour such as "#0f6b5c", a name, rgb() or hsl()',
  fits: (value) => value === '' || parseColour(value) !== null,
  isPublic: true,
}

/** An image that every page can show; empty for none. A relative path would lead to another file below each page. */
export const image: Shape<string> = {
  expected: 'a path that begins with /, an http(s) URL or a data:image/ URL',
  fits: (value) =>
    value === '' || (typeof value === 'string' && /^(?:\/|[a-z]+:)/i.test(value) && parseImageSource(value) !== null),
}

/** A path of this origin, or an http(s) URL. */
const pageLink: Shape<string> = {
  expected: 'a path that begins with /, or an http(s) URL',
  fits: (value) =>
    typeof value === 'string' &&
    (/^\/(?![\\/])[^\s\\]*$/.test(value) || (isAbsoluteUrl(value) && /^https?:$/.test(new URL(value).protocol))),
  isPublic: true,
}

/** A text in place of ours. It may leave placeholders out, but has no others. */
const replacedText = (key: TextKey): Shape<string> => {
  const known = ['site', ...placeholdersOf(ENGLISH[key])]
  return {
    expected: `a text, in which only ${known.map((name) => `{${name}}`).join(' and ')} can be replaced`,
    fits: (value) => text.fits(value) && placeholdersOf(value as string).every((name) => known.includes(name)),
  }
}

const textsOfOneLanguage = object<Record<string, string>>(
  Object.fromEntries((Object.keys(ENGLISH) as TextKey[]).map((key) => [key, replacedText(key)])),
)

/** Texts in place of ours, by language tag and key. */
const replacedTexts: Shape<ReplacedTexts> = {
  ...recordOf(textsOfOneLanguage),
  inside: (value, path) =>
    namesIn(value as object).flatMap((tag) =>
      isLanguageTag(tag)
        ? problemsOf((value as Record<string, unknown>)[tag], textsOfOneLanguage, `${path}.${tag}`)
        : [
            {
              kind: 'name',
              path: `${path}.${tag}`,
              message: `${quoted(`${path}.${tag}`)} is no language tag, such as "de".`,
            },
          ],
    ),
}

const oneTextOrMore = either(text, listOf(text, 'strings'))

const COOKIE = object<Partial<CookieOption>>({
  name: text,
  options: object<CookieAttributes>({
    domain: text,
    path: text,
    maxAge: seconds(0),
    expires: date,
    httpOnly: flag,
    secure: flag,
    partitioned: flag,
    sameSite: either(flag, caseless(oneOf('lax', 'strict', 'none'))),
    priority: caseless(oneOf('low', 'medium', 'high')),
  }),
})

/** An adapter. Clients and pools of databases are often given in its place. */
const adapter: Shape<Adapter> = {
  ...object<Adapter>(underEach(ADAPTER_METHODS, call), { others: 'unless-near' }),
  remedy: (value) =>
    typeof value === 'object' || typeof value === 'function'
      ? ' For a client or a pool of a database, write redisAdapter(client) or sqlAdapter(pool).'
      : '',
}

/** Whether one provider, or an object of providers by name, was given in place of a list. */
const isProviderAlone = (value: unknown): boolean =>
  typeof value === 'function' || (typeof value === 'object' && value !== null)

/**
 * Every option and its type. A configuration is checked against this list when it is resolved. If an option is in
 * {@link AuthConfig} but not in this list, the list does not compile.
 */
export const OPTIONS: Shape<AuthConfig> = object<AuthConfig>(
  {
    // Each provider is checked against the shape of its type, in providers/provider-shapes.ts.
    providers: {
      ...listOf(anything, 'providers'),
      remedy: (value) => (isProviderAlone(value) ? ' Write it in a list: providers: [GitHub].' : ''),
    },
    adapter,
    storeTimeout: timeLimit,
    basePath: text,
    strippedPrefix: text,
    url: text,
    secret: oneTextOrMore,
    instance: text,
    // Without it, `trustHost` trusts any.
    hosts: limit(listOf(text, 'strings')),
    origins: listOf(text, 'strings'),
    session: object<SessionOptions>({
      strategy: oneOf('jwt', 'database'),
      maxAge: seconds(1),
      remember: object<NonNullable<SessionOptions['remember']>>({ maxAge: seconds(1) }),
      updateAge: seconds(0),
      tokenCacheSize: count,
      maxLifetime: secondsLimit(1),
      refreshUser: secondsLimit(0),
      recentAuthAge: seconds(1, { orInfinity: true }),
      exposeIds: flag,
      revocation: object<NonNullable<SessionOptions['revocation']>>({
        store: adapter,
        checkEvery: seconds(0, { most: 24 * 60 * 60 }),
      }),
      devices: flag,
      generateSessionToken: call,
    }),
    bearer: flag,
    accountTokens: accountTokensShape,
    limits: limitsShape,
    jwt: object<Partial<JWTOptions>>({ secret: oneTextOrMore, maxAge: seconds(1), encode: call, decode: call }),
    callbacks: object<Callbacks>({
      signIn: limit(call),
      signUp: limit(call),
      ...underEach(['redirect', 'jwt', 'refreshUser', 'session'], call),
      authorized: limit(call),
      confirmEmail: call,
    }),
    events: object<EventCallbacks>(
      underEach(
        ['signIn', 'signOut', 'createUser', 'updateUser', 'linkAccount', 'unlinkAccount', 'session', 'security'],
        call,
      ),
    ),
    pages: object<Partial<PagesOptions>>(
      underEach(['signIn', 'signOut', 'error', 'verifyRequest', 'password', 'account', 'newUser'], text),
    ),
    cookies: object<Partial<CookiesOptions>>(underEach(COOKIE_NAMES, COOKIE)),
    debug: flag,
    // An application often gives the logger of a library, which has more methods.
    logger: object<Partial<LoggerInstance>>(underEach(['error', 'warn', 'info', 'debug'], call), {
      others: 'unless-near',
    }),
    logging: object<LoggingOptions>({
      requestId: either(text, call),
      network: either(flag, call),
      repeatInterval: seconds(0),
    }),
    theme: object<Theme>({
      colorScheme: oneOf('auto', 'dark', 'light'),
      logo: image,
      brandColor: colour,
      buttonText: colour,
      name: text,
      languages: languageList,
      texts: replacedTexts,
      views: recordOf(text),
      links: object<NonNullable<Theme['links']>>(
        underEach(['forgot', 'signUp', 'terms', 'privacy', 'support'], pageLink),
      ),
    }),
    trustHost: flag,
    useSecureCookies: flag,
    redirectProxyUrl: text,
    redirectProxyHosts: listOf(text, 'strings'),
    accountNotices: flag,
    accountPage: accountPageShape,
    maxAddresses: {
      expected: 'a whole number from 1 to 20',
      fits: (value) => count.fits(value) && value !== 0 && Number(value) <= 20,
      isPublic: true,
    },
    secondFactor: secondFactorShape,
    actAs: actAsShape,
    securityEvents: securityEventsShape,
    marksLastUsed: flag,
    signUp: limit(oneOf('open', 'invited', 'closed')),
    experimental: object<NonNullable<AuthConfig['experimental']>>({ enableWebAuthn: flag }),
    skipCSRFCheck: marker(skipCSRFCheck, 'skipCSRFCheck'),
    raw: marker(raw, 'raw'),
    custom: anything,
  },
  { custom: "Data of the application's own goes into `custom`." },
)

/** The names of all options. */
export const OPTION_NAMES = Object.keys(OPTIONS.members ?? {}) as readonly (keyof AuthConfig)[]
const SESSION_NAMES = Object.keys(OPTIONS.members?.['session']?.members ?? {}) as readonly (keyof SessionOptions)[]

const ONE_DAY = 24 * 60 * 60

/** The members of `session` that an application leaves out, in seconds where they are times. */
export const SESSION_DEFAULTS = {
  maxAge: 30 * ONE_DAY,
  updateAge: ONE_DAY,
  maxLifetime: Number.POSITIVE_INFINITY,
  recentAuthAge: RECENT_AUTH_AGE,
  exposeIds: false,
  devices: true,
}

/** The options that an application leaves out. Those that depend on the environment, and those of features, are completed elsewhere. */
const DEFAULTS = {
  storeTimeout: STORE_TIMEOUT,
  bearer: false,
  debug: false,
  strippedPrefix: '',
  marksLastUsed: true,
  maxAddresses: 1,
  signUp: 'open' as SignUpMode,
  callbacks: {} as Callbacks,
  events: {} as EventCallbacks,
}

/** The checked options of an application, complete. By default sessions are stored where there is an adapter. */
export const completeOptions = (given: AuthConfig) => ({
  ...DEFAULTS,
  ...membersNamed(OPTION_NAMES, given),
  cookies: withInherited(given.cookies ?? {}, OPTIONS.members?.['cookies']),
  pages: withInherited(given.pages ?? {}, OPTIONS.members?.['pages']),
  theme: withInherited(given.theme ?? {}, OPTIONS.members?.['theme']),
  session: {
    ...SESSION_DEFAULTS,
    strategy: given.adapter ? ('database' as const) : ('jwt' as const),
    ...membersNamed(SESSION_NAMES, given.session ?? {}),
  },
})

/** Options with everything that has a default. */
export type CompleteOptions = ReturnType<typeof completeOptions>

/** Not with a spread: a configuration may be an instance of a class, and inherit some of its options. */
export const membersNamed = <T extends object>(names: readonly (keyof T)[], given: T): T =>
  withoutUndefined(Object.fromEntries(names.map((name) => [name, given[name]]))) as T
