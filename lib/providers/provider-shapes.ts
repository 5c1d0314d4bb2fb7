import { isPlainObject } from '../kernel/describe-value.js'
import { parseObject } from '../kernel/json-object.js'
import { type ObjectRules, object } from '../kernel/object-shape.js'
import { underEach } from '../kernel/objects.js'
import {
  anything,
  call,
  either,
  flag,
  limit,
  listOf,
  oneOf,
  problemsOf,
  recordOf,
  type Shape,
  type ShapesOf,
  seconds,
  text,
} from '../kernel/shape.js'
import type {
  AuthorizationEndpoint,
  BreachedPasswords,
  ClientCertificate,
  ClientOverrides,
  CommonProviderOptions,
  CredentialInput,
  CredentialsConfig,
  DPoPOptions,
  EmailConfig,
  HashImporter,
  OAuthProviderButtonStyles,
  OIDCConfig,
  PasswordSettings,
  ProviderType,
  RelayingParty,
  RequestObjects,
  SimpleWebAuthn,
  TokenEndpoint,
  UserinfoEndpoint,
  WebAuthnConfig,
} from './provider-object.js'
import { tokenFactsShape } from './token-facts.js'

/** The members of a type of provider that need a shape here. `options` are merged before the check. */
type Own<Config> = Omit<Config, 'options' | keyof CommonProviderOptions>

const url: Shape = {
  expected: 'a string, or a URL',
  fits: (value) => typeof value === 'string' || value instanceof URL,
}
const oneTextOrMore = either(text, listOf(text, 'strings'))
const record: Shape = recordOf(anything)

const common: ShapesOf<CommonProviderOptions> = {
  id: text,
  name: text,
  // It was checked when the shape was chosen by it.
  type: anything,
  knownOptions: listOf(text, 'names'),
  custom: anything,
}

/** An `<input>`. It may have other members, which are attributes with their names in HTML or JSX. */
const field = object<CredentialInput>(
  {
    label: text,
    type: text,
    placeholder: text,
    value: anything,
    autocomplete: text,
    required: anything,
  },
  { others: 'all' },
)

/** A `CryptoKey`, a `CryptoKeyPair`, a JWK, or an object with one of them and the id of the key. */
const key: Shape = {
  expected: 'a CryptoKey, or a JWK as an object',
  fits: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}
const oneKeyOrMore: Shape = either(key, listOf(key, 'keys'))
/** A text in the form of PEM. */
const pem: Shape = {
  expected: 'a string, or a Buffer',
  fits: (value) => typeof value === 'string' || Buffer.isBuffer(value),
}

/** A demand on the answer of the provider. Another check says whether it can be used. */
const demand = (expected: string): Shape => limit({ expected, fits: (value) => value !== undefined && value !== null })

/** What `claims` asks for as `acr`; null asks for it and demands nothing (OpenID Connect Core 1.0 §5.5.1). */
const acrRequest = either(
  { expected: 'null', fits: (value) => value === null },
  object<{ essential: boolean; value: string; values: string[] }>(
    {
      essential: limit(flag),
      value: limit(text),
      values: limit({
        ...listOf(text, 'strings'),
        expected: 'a list of at least one string',
        fits: (value) => Array.isArray(value) && value.length > 0,
      }),
    },
    { others: 'all' },
  ),
)
const claimsRequest = object<{ id_token: { acr: unknown } }>(
  { id_token: object<{ acr: unknown }>({ acr: limit(acrRequest) }, { others: 'all' }) },
  { others: 'all' },
)

/** An object, or JSON. */
const claims: Shape = {
  ...claimsRequest,
  ...demand('an object, or JSON'),
  inside(value, path) {
    const read = typeof value === 'string' ? parseObject(value) : value
    return isPlainObject(read) ? problemsOf(read, claimsRequest, path) : []
  },
}

const demands = object<{ max_age: unknown; acr_values: unknown; claims: unknown }>(
  { max_age: demand('a whole number of seconds'), acr_values: demand('a string'), claims },
  { others: 'all' },
)
const authorizationParams: Shape = { ...demands, ...record, inside: demands.inside ?? (() => []) }

// biome-ignore lint/suspicious/noExplicitAny: only the hooks of a provider know the type of its profile
const oauth: ShapesOf<Own<OIDCConfig<any>>> = {
  ...underEach(['clientId', 'clientSecret', 'issuer', 'fallbackIssuer', 'wellKnown'], text),
  authorization: either(text, object<AuthorizationEndpoint>({ url, params: authorizationParams })),
  token: either(
    text,
    // biome-ignore lint/suspicious/noExplicitAny: as above
    object<TokenEndpoint<any>>({
      url,
      params: record,
      headers: recordOf(text),
      request: call,
      conform: call,
      clientPrivateKey: oneKeyOrMore,
    }),
  ),
  userinfo: either(
    text,
    // biome-ignore lint/suspicious/noExplicitAny: as above
    object<UserinfoEndpoint<any>>({ url, params: record, headers: recordOf(text), request: call, conform: call }),
  ),
  jwks_endpoint: url,
  // The protocol decides which there are.
  checks: anything,
  client: object<ClientOverrides>(
    {
      token_endpoint_auth_method: text,
      id_token_signed_response_alg: limit(text),
      userinfo_signed_response_alg: limit(text),
      token_endpoint_auth_signing_alg: text,
      id_token_encrypted_response_alg: limit(text),
      id_token_encrypted_response_enc: text,
      userinfo_encrypted_response_alg: limit(text),
      userinfo_encrypted_response_enc: text,
      authorization_signed_response_alg: limit(text),
      authorization_encrypted_response_alg: limit(text),
      authorization_encrypted_response_enc: text,
      request_object_signing_alg: text,
      use_mtls_endpoint_aliases: flag,
    },
    { others: 'unless-near' },
  ),
  ...underEach(['profile', 'completeProfile', 'verifiedEmail'], call),
  forwardedParams: listOf(text, 'names'),
  // The protocol decides which there are.
  unsupportedChecks: anything,
  account: call,
  makeClientSecret: call,
  trustedAudiences: listOf(text, 'strings'),
  allowDangerousEmailAccountLinking: flag,
  redirectProxyUrl: text,
  allowInsecureHttp: flag,
  pushedAuthorizationRequests: flag,
  requestObjects: either(flag, object<RequestObjects>({ signingKey: key })) as Shape,
  decryptionKeys: oneKeyOrMore,
  clientAssertionAudience: oneOf('issuer', 'token_endpoint'),
  dpop: limit(object<DPoPOptions>({ key })),
  tls: object<ClientCertificate>({ cert: pem, key: pem, passphrase: text, ca: either(pem, listOf(pem, 'strings')) }),
  requireAcr: limit(listOf(text, 'strings')),
  tokenFacts: tokenFactsShape,
  endSession: oneOf('offer', 'always'),
  endSessionMethod: oneOf('get', 'post'),
  backChannelLogout: flag,
  frontChannelLogout: flag,
  style: object<OAuthProviderButtonStyles>({ logo: text, text, bg: text, brandColor: text }),
  missingOptions: listOf(text, 'names'),
  idToken: flag,
}

const importer: Shape = {
  expected: 'an object with reads(hash), verify(password, hash) and a sample that it reads',
  fits(value) {
    const { reads, verify, sample } = (value ?? {}) as Partial<HashImporter>
    return typeof reads === 'function' && typeof verify === 'function' && typeof sample === 'string'
  },
}

const credentials: ShapesOf<Own<CredentialsConfig>> = {
  credentials: recordOf(field),
  authorize: call,
  password: object<PasswordSettings>({
    minLength: {
      expected: 'a whole number from 8 to 64',
      fits: (value) => Number.isInteger(value) && Number(value) >= 8 && Number(value) <= 64,
    },
    words: listOf(text, 'words'),
    importers: listOf(importer, 'importers'),
    breached: limit(object<BreachedPasswords>({ whenUnavailable: oneOf('accept', 'refuse'), url })),
  }),
}

const email: ShapesOf<Own<EmailConfig>> = {
  from: text,
  maxAge: seconds(1),
  secret: oneTextOrMore,
  apiKey: text,
  server: {
    expected: 'a string, or an object',
    fits: (value) =>
      typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value)),
  },
  confirm: oneOf('auto', 'always', 'never'),
  code: either(oneOf('only'), flag),
  ...underEach(
    ['sendVerificationRequest', 'sendNotification', 'generateVerificationToken', 'normalizeIdentifier'],
    call,
  ),
  requires: listOf(text, 'names'),
}

/** The functions of `@simplewebauthn/server`. */
export const WEBAUTHN_FUNCTION_NAMES = [
  'generateAuthenticationOptions',
  'generateRegistrationOptions',
  'verifyAuthenticationResponse',
  'verifyRegistrationResponse',
] as const
/** The options that they get. */
export const WEBAUTHN_OPTION_NAMES = [
  'authenticationOptions',
  'registrationOptions',
  'verifyAuthenticationOptions',
  'verifyRegistrationOptions',
] as const

const webauthn: ShapesOf<Own<WebAuthnConfig>> = {
  relayingParty: object<Partial<Record<keyof RelayingParty, string | string[]>>>(
    underEach(['id', 'name', 'origin'], oneTextOrMore),
  ),
  getRelayingParty: call,
  getUserInfo: call,
  formFields: recordOf(field) as Shape,
  enableConditionalUI: flag,
  // A version, or false; it has no effect.
  simpleWebAuthnBrowserVersion: anything,
  // The members of these options depend on the version of @simplewebauthn/server.
  ...underEach(WEBAUTHN_OPTION_NAMES, record),
  simpleWebAuthn: object<SimpleWebAuthn>(underEach(WEBAUTHN_FUNCTION_NAMES, call), { others: 'all' }),
}

/**
 * Every member that a provider may have, and its shape, by the type of the provider. Provider objects are checked against
 * this list. If a member is in the types but not in this list, the list does not compile.
 */
const MEMBERS: Readonly<Record<ProviderType, Readonly<Record<string, Shape>>>> = {
  oauth: { ...common, ...oauth },
  oidc: { ...common, ...oauth },
  credentials: { ...common, ...credentials },
  email: { ...common, ...email },
  webauthn: { ...common, ...webauthn },
}

/** Members that are objects with members of their own. Functions of `simpleWebAuthn` are called as its methods. */
export const NESTED_MEMBERS = { ...oauth, ...credentials, ...webauthn, simpleWebAuthn: anything }

/** Options of nodemailer's transport. */
const OF_MAIL_SERVER = Object.fromEntries(
  ['host', 'port', 'secure', 'auth'].map((name) => [name, `belongs into \`server\`: { ${name}: … }.`]),
)

/**
 * The shape of a provider of one type.
 *
 * @param others other names that are accepted: the options of its function
 */
export const providerShape = (type: ProviderType, others: ObjectRules['others'] = []): Shape =>
  object<Record<string, unknown>>(MEMBERS[type], {
    others,
    ...(type === 'email' && { misplaced: OF_MAIL_SERVER }),
    custom: 'Data of your own goes into `custom`.',
  })
