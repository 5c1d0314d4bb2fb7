import type { Adapter } from '../adapters/adapter.js'
import { missingMethods } from '../adapters/gateway.js'
import { REVOCATION_METHODS } from '../adapters/methods.js'
import { type AuthError, MissingAdapter, MissingAdapterMethods } from '../kernel/errors.js'
import { originProblem } from '../kernel/front-end-origins.js'
import { hostPatternProblem } from '../kernel/host-patterns.js'
import { isPageAddress, parseTarget } from '../kernel/return-target.js'
import { findingsOf, invalid, type Problems } from '../kernel/shape.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import { usableId } from '../providers/profile-mapping.js'
import type { ProviderType } from '../providers/provider.js'
import { SESSION_METHODS } from '../sessions/session-rows.js'
import { checkCookies } from './check-options.js'
import type { CompleteOptions } from './option-shapes.js'
import { checkSecrets, type SecretSource } from './secrets.js'

/** What else the checks need to know, beside the options themselves. */
export interface CheckFacts {
  readonly secrets: readonly SecretSource[]
  readonly url: string | undefined
  readonly isProduction: boolean
  /** Types of the configured providers. */
  readonly kinds: ReadonlySet<ProviderType>
  /** Options that were removed because their value is wrong. No check reports them as missing. */
  readonly faulty: ReadonlySet<string>
}

/** Everything that keeps a configuration from working, each with its fix. Providers are checked in another place. */
export function checkConfig(options: CompleteOptions, facts: CheckFacts): AuthError[] {
  const { secrets, url, isProduction, kinds, faulty } = facts
  return [
    ...(faulty.has('secret') ? [] : checkSecrets(secrets, isProduction)),
    ...findingsOf([instanceProblem(options)]),
    ...(faulty.has('adapter') || faulty.has('session') ? [] : checkAdapter(options, kinds)),
    ...findingsOf([
      ...addressProblems(options, url),
      ...itemProblems('redirectProxyHosts', options.redirectProxyHosts, hostPatternProblem),
      ...hostProblems(options, facts),
      ...allOriginProblems(options, facts),
    ]),
    ...checkCookies(options.cookies),
    ...findingsOf([!faulty.has('session') && rememberProblem(options)]),
    ...checkRefreshUser(options, facts),
    ...(faulty.has('session') ? [] : checkRevocation(options)),
    ...findingsOf([loggingProblem(options), loggerProblem(options)]),
  ]
}

const instanceProblem = ({ instance }: CompleteOptions) =>
  instance !== undefined &&
  !(/^[\x21-\x7e]{1,100}$/.test(instance) && usableId(instance) !== null) &&
  '`instance` must be a name, such as the id of a tenant: 1 to 100 printable ASCII characters without blanks. It must not be "undefined" or another text that a missing value becomes. Leave it out for a single instance.'

/** Headers whose value would let a reader of the log sign in as somebody else. */
const SECRET_HEADERS = /^(cookie|authorization|proxy-authorization|.*(token|secret|key|password|session).*)$/i

function loggingProblem({ logging }: CompleteOptions) {
  const name = logging?.requestId
  if (typeof name !== 'string') return null
  if (!/^[\w-]+$/.test(name))
    return '`logging.requestId` must be the name of a header, such as "X-Request-Id", or a function that returns the id.'
  return (
    SECRET_HEADERS.test(name) &&
    `\`logging.requestId\` names the header "${name}". That header has a secret, which must not be in the log. Name the header of the request id, such as "X-Request-Id".`
  )
}

/**
 * Nothing is assumed in place of a missing `remember.maxAge`: a variable that is not set must neither ask visitors for
 * nothing, nor keep them signed in for a time that nobody chose.
 */
const rememberProblem = ({ session: { remember } }: CompleteOptions) =>
  remember !== undefined &&
  remember?.maxAge === undefined &&
  '`session.remember` has no `maxAge`, the seconds after which the session of a visitor who asked to stay signed in expires. Set it, or leave `session.remember` out.'

/** A configuration that asks for revocation must not work without it. */
function checkRevocation({ session }: CompleteOptions): AuthError[] {
  if (session.revocation === undefined) return []
  if (session.strategy === 'database') return [STORED_ALREADY]
  const store: Adapter | null | undefined = session.revocation?.store
  if (store === undefined || store === null) return [NO_REVOCATION_STORE]
  const missing = missingMethods(store, REVOCATION_METHODS)
  if (missing.length === 0) return []
  const message = `The store of \`session.revocation\` lacks ${missing.join(', ')}. An adapter that was made for Auth.js cannot keep token sessions. Use an adapter of Latchkey, such as redisAdapter() or sqlAdapter().`
  return [new MissingAdapterMethods(message)]
}

const STORED_ALREADY = invalid(
  '`session.revocation` is for sessions in tokens, and here sessions are stored: they are revocable without it. Leave it out, or set `session.strategy: "jwt"`.',
)

const NO_REVOCATION_STORE = invalid(
  '`session.revocation` has no `store`, which knows the token sessions. Set it to an adapter of Latchkey, or leave `session.revocation` out.',
)

/**
 * pino takes its data first and its message second. With the arguments of Latchkey it would write the context as the
 * message, and leave out the cause of a fault.
 */
function loggerProblem({ logger }: CompleteOptions) {
  const { child, bindings } = (logger ?? {}) as { child?: unknown; bindings?: unknown }
  return (
    typeof child === 'function' &&
    typeof bindings === 'function' &&
    '`logger` is a logger of pino, which takes its arguments in another order, so the causes of faults would be lost. Give functions that call it, as docs/guides/logging.md shows: { error: (err, context) => log.error({ type: err.name, details: inspect(err, { depth: 10 }), ...context }, err.message), … }.'
  )
}

function checkAdapter({ adapter, session }: CompleteOptions, kinds: ReadonlySet<ProviderType>): AuthError[] {
  const needed = [...new Set(Object.entries(NEEDS).map(([type, needs]) => kinds.has(type as ProviderType) && needs))]
  const needs = [session.strategy === 'database' && OF_SESSIONS, ...needed].filter((each) => each !== false)
  return needs.flatMap(({ names, purpose, withoutAdapter }): AuthError[] => {
    if (!adapter) return withoutAdapter ? [new MissingAdapter(withoutAdapter)] : []
    const missing = missingMethods(adapter, names)
    const message = `The adapter lacks ${missing.join(', ')}, which ${purpose} needs. Use an adapter such as sqlAdapter(), or one from npm that was made for Auth.js.`
    return missing.length === 0 ? [] : [new MissingAdapterMethods(message)]
  })
}

/** What an adapter must have for one purpose. */
interface Needs {
  /** The methods that Latchkey will call. */
  readonly names: readonly (keyof Adapter)[]
  readonly purpose: string
  /** What is wrong if there is no adapter; absent if it works without one. */
  readonly withoutAdapter?: string
}

/** The methods of the adapter that store users and their accounts. */
const ACCOUNT_METHODS = ['createUser', 'getUser', 'getUserByEmail', 'getUserByAccount', 'linkAccount'] as const

const OF_SESSIONS: Needs = {
  names: [...SESSION_METHODS, 'getUser'],
  purpose: 'keeping sessions',
  withoutAdapter:
    '`session.strategy` is "database", but there is no adapter to store sessions. Set `adapter`, or use "jwt".',
}

const OF_ACCOUNTS: Needs = { names: ACCOUNT_METHODS, purpose: 'signing in with OAuth or OpenID Connect' }

/** By type of provider; false if its users are not stored. */
const NEEDS: Readonly<Record<ProviderType, Needs | false>> = {
  oauth: OF_ACCOUNTS,
  oidc: OF_ACCOUNTS,
  email: {
    names: ['createUser', 'getUserByEmail', 'updateUser', 'createVerificationToken', 'useVerificationToken'],
    purpose: 'signing in with an e-mail link',
    withoutAdapter: 'An e-mail provider needs an adapter, which stores the tokens of its links. Set `adapter`.',
  },
  webauthn: {
    names: [
      ...ACCOUNT_METHODS,
      'getAccount',
      'getAuthenticator',
      'createAuthenticator',
      'listAuthenticatorsByUserId',
      'updateAuthenticatorCounter',
    ],
    purpose: 'signing in with a passkey',
    withoutAdapter: 'A passkey provider needs an adapter, which stores the passkeys. Set `adapter`.',
  },
  credentials: false,
}

function addressProblems(options: CompleteOptions, url: string | undefined): Problems {
  const { pages, basePath, strippedPrefix, redirectProxyUrl } = options
  return [
    ...Object.entries(pages).map(
      ([name, page]) =>
        typeof page === 'string' &&
        !isPageAddress(page) &&
        `\`pages.${name}\` is neither a path that begins with / nor an http(s) URL.`,
    ),
    basePath !== undefined &&
      !/^\/[^?#\s]*$/.test(basePath) &&
      '`basePath` must be a path that begins with /, without query or fragment.',
    strippedPrefix && strippedPrefixProblem(strippedPrefix, basePath, url),
    ...Object.entries({ 'url (AUTH_URL)': url, redirectProxyUrl }).map(
      ([name, value]) =>
        value !== undefined &&
        (value.startsWith('/') || !parseTarget(value, 'http://localhost')) &&
        `\`${name}\` is not a full http(s) URL, such as https://app.example.`,
    ),
  ]
}

/** Without these checks, each address would lead to another path than the proxy passes on. */
function strippedPrefixProblem(prefix: string, basePath: string | undefined, url: string | undefined) {
  if (!/^(?:\/[\w.~-]+)+$/.test(prefix) || prefix.split('/').some((segment) => segment === '.' || segment === '..'))
    return '`strippedPrefix` must be a path such as /app: it begins with / and does not end with it.'
  const fromUrl = url !== undefined && isAbsoluteUrl(url) ? new URL(url).pathname : '/'
  const [name, path] = basePath !== undefined ? ['basePath', basePath] : ['url (AUTH_URL)', fromUrl]
  return (
    path !== '/' &&
    !path.startsWith(`${prefix}/`) &&
    `The path of \`${name}\` is that which visitors see, so it must begin with \`strippedPrefix\`: ${prefix}/auth, for instance.`
  )
}

function hostProblems({ hosts }: CompleteOptions, { url, isProduction, kinds, faulty }: CheckFacts): Problems {
  if (faulty.has('hosts') || faulty.has('url')) return []
  if (hosts === undefined) return [isProduction && url === undefined && kinds.has('email') && NO_HOSTS]
  return hosts.length === 0 ? [EMPTY_HOSTS] : itemProblems('hosts', hosts, hostPatternProblem)
}

/** Where everything is on plain http, as within a company, pages with http are no worse than the mount. */
function allOriginProblems({ origins }: CompleteOptions, { url, isProduction, faulty }: CheckFacts): Problems {
  const needsHttps = isProduction && !url?.startsWith('http:')
  return faulty.has('origins') ? [] : itemProblems('origins', origins, (origin) => originProblem(origin, needsHttps))
}

/** What is wrong with the items of a list. */
const itemProblems = (option: string, items: readonly string[] = [], problemOf: (item: string) => string | null) =>
  items.map((item) => {
    const problem = problemOf(item)
    return problem && `\`${option}\` has ${JSON.stringify(item)}: ${problem}.`
  })

const EMPTY_HOSTS =
  "`hosts` is empty, so every request would be refused. List the application's public hosts, or leave it out."

const NO_HOSTS =
  'An e-mail provider mails links, but no option says to which host they lead, so a visitor who asks for a link could choose the host. ' +
  "Set `url` or AUTH_URL to the application's public URL, or `hosts` to its public hosts."

/**
 * What keeps users from being read again as the application wants it. A callback that is never called is refused: the
 * application relies on it to keep disabled users out.
 */
function checkRefreshUser(
  { session, callbacks, adapter }: CompleteOptions,
  { faulty }: { readonly faulty: ReadonlySet<string> },
): AuthError[] {
  if (['session', 'callbacks', 'adapter'].some((name) => faulty.has(name))) return []
  const hasCallback = callbacks.refreshUser !== undefined
  if (session.refreshUser === undefined) return hasCallback ? [NO_SECONDS] : []
  // The checks of the adapter require `getUser` for stored sessions.
  if (session.strategy === 'database') return hasCallback ? [NOT_FOR_ROWS] : []
  if (hasCallback) return []
  if (!adapter) return [new MissingAdapter(NO_SOURCE)]
  return missingMethods(adapter, ['getUser']).length === 0 ? [] : [new MissingAdapterMethods(NO_METHOD)]
}

const NO_SECONDS = invalid(
  '`callbacks.refreshUser` is never called without `session.refreshUser`, the seconds after which the user of a session is read again. Set it, or remove the callback.',
)

const NOT_FOR_ROWS = invalid(
  '`callbacks.refreshUser` is never called with stored sessions, which read their user from the adapter for every request. Remove it, or set `session.strategy` to "jwt".',
)

const NO_SOURCE =
  '`session.refreshUser` is set, but nothing says who the user of a token is now. Set `callbacks.refreshUser`, or an `adapter`.'

const NO_METHOD = 'The adapter lacks getUser, which `session.refreshUser` needs. Or set `callbacks.refreshUser`.'
