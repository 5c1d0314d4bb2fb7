import type { ErrorType } from '../error-rules.js'
import { describeValue } from '../shapes/describe-value.js'
import { isMaxAge, isReserved } from './authorization-parameters.js'
import type { Finding, OIDCConfig, ResolvedEndpoint, TokenEndpoint, UserinfoEndpoint } from './provider.js'

/** A provider of either protocol, merged with its options. Its endpoints are objects. It is not checked yet. */
// biome-ignore lint/suspicious/noExplicitAny: only the hooks of the provider know the type of its profile
export type OAuthMembers = Omit<OIDCConfig<any>, 'type' | 'authorization' | 'token' | 'userinfo' | 'options'> & {
  type: 'oauth' | 'oidc'
  authorization?: { url?: unknown; params?: Record<string, unknown> }
  // biome-ignore lint/suspicious/noExplicitAny: as above
  token?: TokenEndpoint<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  userinfo?: UserinfoEndpoint<any>
}

/** What was computed about a provider before it is checked. */
export interface OAuthFacts {
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
export function checkOAuthProvider(provider: OAuthMembers, facts: OAuthFacts): readonly Finding[] {
  return [
    ...checkCredentials(provider),
    // The endpoints are made of these options, so without the options the endpoints need no check.
    ...(provider.missingOptions?.length ? checkOptions(provider) : checkEndpoints(provider, facts)),
    ...checkChecks(provider),
    ...checkClient(provider),
    ...checkParameters(provider, facts),
  ]
}

function checkCredentials({
  id,
  clientId,
  clientSecret,
  makeClientSecret,
  client = {},
  token,
}: OAuthMembers): Finding[] {
  const findings: Finding[] = []
  if (!clientId) {
    findings.push(
      invalid(
        `Provider "${id}" has no client id. Set its clientId option, or ${environmentName(id, 'ID')} in the environment.`,
      ),
    )
  }
  const method = client.token_endpoint_auth_method ?? 'client_secret_basic'
  // The signature is made with the secret that the provider knows, and a made one is new each time.
  const symmetric = [client.id_token_signed_response_alg, client.authorization_signed_response_alg].some((alg) =>
    String(alg).startsWith('HS'),
  )
  const needsSecret = !WITHOUT_SECRET.has(method) && !token?.request && !makeClientSecret
  if ((symmetric || needsSecret) && !clientSecret) {
    findings.push(
      invalid(
        `Provider "${id}" has no client secret. Set its clientSecret option, or ${environmentName(id, 'SECRET')} in the environment; a public client sets client: { token_endpoint_auth_method: "none" }.`,
      ),
    )
  }
  return findings
}

/** By option: the value of the environment that replaces it. */
const FROM_ENVIRONMENT: Readonly<Record<string, 'ISSUER' | 'KEY'>> = {
  issuer: 'ISSUER',
  baseUrl: 'ISSUER',
  apiKey: 'KEY',
}

function checkOptions({ id, missingOptions = [], ...members }: OAuthMembers): Finding[] {
  return missingOptions.map((name) => {
    if ((members as Readonly<Record<string, unknown>>)[name])
      return invalid(
        `Provider "${id}": its ${name} cannot be read. Give it as the provider gave it: a private key is the whole text of its file.`,
      )
    const value = FROM_ENVIRONMENT[name]
    const fix = value
      ? `Set its ${name} option, or ${environmentName(id, value)} in the environment.`
      : `Set its ${name} option.`
    return invalid(`Provider "${id}" has no ${name}. ${fix}`)
  })
}

function checkEndpoints({ id, type }: OAuthMembers, { issuer, missing }: OAuthFacts): Finding[] {
  if (type === 'oidc' && issuer === undefined) {
    return [
      {
        type: 'InvalidEndpoints',
        message: `Provider "${id}" has no issuer. Set its issuer option, or ${environmentName(id, 'ISSUER')} in the environment.`,
      },
    ]
  }
  if (missing.length === 0) return []
  return [
    {
      type: 'InvalidEndpoints',
      message: `Provider "${id}" has no ${missing.join(', ')} and no issuer to discover ${missing.length > 1 ? 'them' : 'it'} from. Set ${missing.length > 1 ? 'these endpoints' : 'this endpoint'}, or issuer, or wellKnown.`,
    },
  ]
}

function checkChecks({ id, type, checks = [], unsupportedChecks = [] }: OAuthMembers): Finding[] {
  if (!Array.isArray(checks))
    return [invalid(`Provider "${id}": checks is not a list. Write checks: ["pkce", "state"].`)]
  if (!Array.isArray(unsupportedChecks) || unsupportedChecks.some((check) => check !== 'pkce' && check !== 'nonce'))
    return [invalid(`Provider "${id}": unsupportedChecks is a list of "pkce" and "nonce", or of one of them.`)]
  const known = CHECKS[type]
  return checks
    .filter((check) => !known.includes(check))
    .map((check) =>
      invalid(
        `Provider "${id}" asks for the check "${String(check)}". A provider of type ${type} knows ${known.join(', ')}.`,
      ),
    )
}

function checkClient({ id, client = {}, token }: OAuthMembers): Finding[] {
  const findings: Finding[] = []
  const method = client.token_endpoint_auth_method
  if (method !== undefined && !AUTH_METHODS.has(method)) {
    findings.push(
      invalid(
        `Provider "${id}": token_endpoint_auth_method is "${method}". The methods are ${[...AUTH_METHODS].join(', ')}.`,
      ),
    )
  }
  if (method === 'private_key_jwt' && !hasKey(token?.clientPrivateKey) && !token?.request) {
    findings.push(
      invalid(
        `Provider "${id}" authenticates with private_key_jwt and has no key. Set token: { clientPrivateKey } to a CryptoKey or JWK.`,
      ),
    )
  }
  if (client.id_token_signed_response_alg === 'none') {
    findings.push(
      invalid(
        `Provider "${id}": id_token_signed_response_alg is "none". ID tokens must be signed; name the algorithm they have.`,
      ),
    )
  }
  return findings
}

const hasKey = (given: unknown) => (Array.isArray(given) ? given.length > 0 : given !== undefined)

function checkParameters(
  { id, forwardedParams = [] }: OAuthMembers,
  { authorization: { url, params } }: OAuthFacts,
): Finding[] {
  const findings: Finding[] = []
  const read = (name: string) => params[name] ?? url?.searchParams.get(name) ?? undefined
  const { scope } = params
  if (
    Array.isArray(scope) ||
    !['string', 'function', 'undefined'].includes(scope === null ? 'undefined' : typeof scope)
  ) {
    const words = Array.isArray(scope) && scope.every(isScopeWord) ? scope.join(' ') : 'openid profile'
    findings.push(
      invalid(
        `Provider "${id}": scope is ${describeValue(scope)}; it must be a string with blanks between the words. Write scope: "${words}".`,
      ),
    )
  }
  const type = read('response_type')
  // With these response types, the provider gives tokens to the browser. Some providers have other names for `code`.
  if (/(^|\s)(token|id_token|none)(\s|$)/.test(String(type ?? 'code'))) {
    findings.push(
      invalid(
        `Provider "${id}": response_type is "${String(type)}". Latchkey speaks the authorization code flow only; leave it out.`,
      ),
    )
  }
  const mode = read('response_mode')
  if (mode !== undefined && !RESPONSE_MODES.includes(String(mode))) {
    findings.push(
      invalid(`Provider "${id}": response_mode is "${String(mode)}". It is one of ${RESPONSE_MODES.join(', ')}.`),
    )
  }
  const maxAge = read('max_age') ?? undefined
  if (maxAge !== undefined && maxAge !== '' && typeof maxAge !== 'function' && !isMaxAge(String(maxAge))) {
    findings.push(invalid(`Provider "${id}": max_age is "${String(maxAge)}". It is a whole number of seconds.`))
  }
  if (!Array.isArray(forwardedParams) || forwardedParams.some((name) => typeof name !== 'string' || isReserved(name))) {
    findings.push(
      invalid(
        `Provider "${id}": forwardedParams is a list of names of query parameters, and none of the protocol's, such as scope or redirect_uri, can be among them.`,
      ),
    )
  }
  return findings
}

/** A word of a scope (RFC 6749 §3.3). */
const isScopeWord = (word: unknown) => typeof word === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(word)

/** The environment variable of a provider's value: `AUTH_MICROSOFT_ENTRA_ID_SECRET`. */
export const environmentName = (id: string, value: 'ID' | 'SECRET' | 'ISSUER' | 'KEY'): string =>
  `AUTH_${id.toUpperCase().replaceAll('-', '_')}_${value}`

const invalid = (message: string, type: ErrorType = 'InvalidProvider'): Finding => ({ type, message })
