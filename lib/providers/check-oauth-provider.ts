import { describeValue } from '../kernel/describe-value.js'
import { type AuthError, InvalidEndpoints, InvalidProvider } from '../kernel/errors.js'
import { findingsOf, type Problems } from '../kernel/shape.js'
import { configuredParameter, isMaxAge, isReserved } from './authorization-parameters.js'
import type { customFetch, OIDCConfig, ResolvedEndpoint, TokenEndpoint, UserinfoEndpoint } from './provider-object.js'

/** A provider of either protocol, merged with its options. Its endpoints are objects. It is not checked yet. */
export type OAuthMembers = Omit<
  // biome-ignore lint/suspicious/noExplicitAny: only the hooks of the provider know the type of its profile
  OIDCConfig<any>,
  'type' | 'authorization' | 'token' | 'userinfo' | 'options' | typeof customFetch
> & {
  type: 'oauth' | 'oidc'
  authorization?: { url?: unknown; params?: Record<string, unknown> }
  // biome-ignore lint/suspicious/noExplicitAny: as above
  token?: TokenEndpoint<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  userinfo?: UserinfoEndpoint<any>
}

/** What was computed about a provider before it is checked. */
interface OAuthFacts {
  readonly issuer: string | undefined
  /** Endpoints that neither the configuration nor discovery can give. */
  readonly missing: readonly string[]
  readonly authorization: ResolvedEndpoint
}

/** Methods of client authentication with a certificate (RFC 8705 §2). */
export const CERTIFICATE_METHODS: ReadonlySet<string> = new Set(['tls_client_auth', 'self_signed_tls_client_auth'])
const AUTH_METHODS = new Set([
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
  'private_key_jwt',
  ...CERTIFICATE_METHODS,
  'none',
])
const WITHOUT_SECRET = new Set(['private_key_jwt', ...CERTIFICATE_METHODS, 'none'])
const RESPONSE_MODES = ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt']
const CHECKS = { oauth: ['none', 'state', 'pkce'], oidc: ['none', 'state', 'pkce', 'nonce'] }

/** Everything that keeps a provider from working, each with its fix; empty when it can work. */
export function checkOAuthProvider(provider: OAuthMembers, facts: OAuthFacts): readonly AuthError[] {
  return [
    ...found(credentialProblems(provider)),
    // The endpoints are made of these options, so without the options the endpoints need no check.
    ...(provider.missingOptions?.length ? found(optionProblems(provider)) : checkEndpoints(provider, facts)),
    ...found([...checkProblems(provider), ...clientProblems(provider), ...parameterProblems(provider, facts)]),
  ]
}

/** Members that are compared or sent letter by letter, and that people copy, or read from files. */
const COPIED = ['clientId', 'clientSecret', 'issuer', 'wellKnown', 'baseUrl', 'domain', 'tenantId']
/** An id or a secret may have a blank, also at its end, and a line end never (RFC 6749 appendix A). */
const FRAYS: Readonly<Record<string, readonly [fray: RegExp, what: string]>> = {
  clientSecret: [/^[\r\n]|[\r\n]$/, 'begins or ends with a line end'],
  clientId: [/^\s|\s$/, 'begins or ends with a blank or a line end'],
}
const FRAY = [/\s/, 'contains a blank or a line end'] as const

/** What is wrong with the texts that all else is made of. With one of these, other findings would only confuse. */
export const checkCopiedTexts = (provider: OAuthMembers): readonly AuthError[] =>
  found([
    ...COPIED.map((name) => {
      const text: unknown = Reflect.get(provider, name)
      const [fray, what] = FRAYS[name] ?? FRAY
      return typeof text === 'string' && fray.test(text)
        ? `Provider "${provider.id}": ${name} ${what}. Remove it; what comes from a file may need .trim().`
        : null
    }),
    provider.issuer?.includes('/.well-known/') &&
      `Provider "${provider.id}": issuer is the address of its metadata. Leave out what begins with /.well-known/, or write the address as wellKnown in the place of issuer.`,
  ])

const found = (problems: Problems): AuthError[] => findingsOf(problems, (problem) => new InvalidProvider(problem))

function credentialProblems({
  id,
  clientId,
  clientSecret,
  makeClientSecret,
  client = {},
  token,
}: OAuthMembers): Problems {
  const method = client.token_endpoint_auth_method ?? 'client_secret_basic'
  // The signature is made with the secret that the provider knows, and a made one is new each time.
  const symmetric = [client.id_token_signed_response_alg, client.authorization_signed_response_alg].some((alg) =>
    String(alg).startsWith('HS'),
  )
  const needsSecret = symmetric || (!WITHOUT_SECRET.has(method) && !token?.request && !makeClientSecret)
  return [
    !clientId &&
      `Provider "${id}" has no client id. Set its clientId option, or ${environmentName(id, 'ID')} in the environment.`,
    needsSecret &&
      !clientSecret &&
      `Provider "${id}" has no client secret. Set its clientSecret option, or ${environmentName(id, 'SECRET')} in the environment; a public client sets client: { token_endpoint_auth_method: "none" }.`,
  ]
}

/** By option: the value of the environment that replaces it. */
const FROM_ENVIRONMENT: Readonly<Record<string, 'ISSUER' | 'KEY'>> = {
  issuer: 'ISSUER',
  baseUrl: 'ISSUER',
  apiKey: 'KEY',
}

function optionProblems({ id, missingOptions = [], ...members }: OAuthMembers): Problems {
  return missingOptions.map((name) => {
    if ((members as Readonly<Record<string, unknown>>)[name])
      return `Provider "${id}": its ${name} cannot be read. Give it as the provider gave it: a private key is the whole text of its file.`
    const value = FROM_ENVIRONMENT[name]
    const place = value ? `, or ${environmentName(id, value)} in the environment` : ''
    return `Provider "${id}" has no ${name}. Set its ${name} option${place}.`
  })
}

function checkEndpoints({ id, type }: OAuthMembers, { issuer, missing }: OAuthFacts): AuthError[] {
  if (type === 'oidc' && issuer === undefined) {
    const fix = `Set its issuer option, or ${environmentName(id, 'ISSUER')} in the environment.`
    return [new InvalidEndpoints(`Provider "${id}" has no issuer. ${fix}`)]
  }
  if (missing.length === 0) return []
  const [them, these] = missing.length > 1 ? ['them', 'these endpoints'] : ['it', 'this endpoint']
  const message = `Provider "${id}" has no ${missing.join(', ')} and no issuer to discover ${them} from. Set ${these}, or issuer, or wellKnown.`
  return [new InvalidEndpoints(message)]
}

function checkProblems({ id, type, checks = [], unsupportedChecks = [] }: OAuthMembers): Problems {
  if (!Array.isArray(checks)) return [`Provider "${id}": checks is not a list. Write checks: ["pkce", "state"].`]
  if (!Array.isArray(unsupportedChecks) || unsupportedChecks.some((check) => check !== 'pkce' && check !== 'nonce'))
    return [`Provider "${id}": unsupportedChecks is a list of "pkce" and "nonce", or of one of them.`]
  const known = CHECKS[type]
  return checks.map(
    (check) =>
      !known.includes(check) &&
      `Provider "${id}" asks for the check "${String(check)}". A provider of type ${type} knows ${known.join(', ')}.`,
  )
}

function clientProblems({ id, client = {}, token }: OAuthMembers): Problems {
  const method = client.token_endpoint_auth_method
  return [
    method !== undefined &&
      !AUTH_METHODS.has(method) &&
      `Provider "${id}": token_endpoint_auth_method is "${method}". The methods are ${[...AUTH_METHODS].join(', ')}.`,
    method === 'private_key_jwt' &&
      !hasKey(token?.clientPrivateKey) &&
      !token?.request &&
      `Provider "${id}" authenticates with private_key_jwt and has no key. Set token: { clientPrivateKey } to a CryptoKey or JWK.`,
    method === 'client_secret_jwt' &&
      !SECRET_ALGORITHMS.includes(client.token_endpoint_auth_signing_alg ?? 'HS256') &&
      `Provider "${id}": token_endpoint_auth_signing_alg is "${client.token_endpoint_auth_signing_alg}". client_secret_jwt has ${SECRET_ALGORITHMS.join(', ')}.`,
    client.id_token_signed_response_alg === 'none' &&
      `Provider "${id}": id_token_signed_response_alg is "none". ID tokens must be signed; name the algorithm they have.`,
  ]
}

const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512']

/** Whether an option has a key, or a list of at least one. */
export const hasKey = (given: unknown) => (Array.isArray(given) ? given.length > 0 : given !== undefined)

function parameterProblems({ id, forwardedParams = [] }: OAuthMembers, facts: OAuthFacts): Problems {
  const [type, mode, maxAge] = ['response_type', 'response_mode', 'max_age'].map((name) =>
    configuredParameter(facts, name),
  )
  return [
    scopeProblem(id, configuredParameter(facts, 'scope')),
    // With these response types, the provider gives tokens to the browser. Some providers have other names for `code`.
    /(^|\s)(token|id_token|none)(\s|$)/.test(String(type ?? 'code')) &&
      `Provider "${id}": response_type is "${String(type)}". Latchkey speaks the authorization code flow only; leave it out.`,
    mode !== undefined &&
      !RESPONSE_MODES.includes(String(mode)) &&
      `Provider "${id}": response_mode is "${String(mode)}". It is one of ${RESPONSE_MODES.join(', ')}.`,
    maxAge !== undefined &&
      maxAge !== '' &&
      typeof maxAge !== 'function' &&
      !isMaxAge(String(maxAge)) &&
      `Provider "${id}": max_age is "${String(maxAge)}". It is a whole number of seconds.`,
    forwardedParams.some(isReserved) &&
      `Provider "${id}": forwardedParams is a list of names of query parameters, and none of the protocol's, such as scope or redirect_uri, can be among them.`,
  ]
}

function scopeProblem(id: string, scope: unknown): string | null {
  if (scope === undefined || scope === null || typeof scope === 'string' || typeof scope === 'function') return null
  const words = Array.isArray(scope) && scope.every(isScopeWord) ? scope.join(' ') : 'openid profile'
  return `Provider "${id}": scope is ${describeValue(scope)}; it must be a string with blanks between the words. Write scope: "${words}".`
}

/** A word of a scope (RFC 6749 §3.3). */
const isScopeWord = (word: unknown) => typeof word === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(word)

/** The environment variable of a provider's value: `AUTH_MICROSOFT_ENTRA_ID_SECRET`. */
export const environmentName = (id: string, value: 'ID' | 'SECRET' | 'ISSUER' | 'KEY'): string =>
  `AUTH_${id.toUpperCase().replaceAll('-', '_')}_${value}`
