import { createHash, randomBytes } from 'node:crypto'
import { isAbsoluteUrl } from '../../kernel/urls.js'
import {
  ALGORITHM,
  type Changes,
  type Claims,
  claimsFor,
  makeKey,
  type PersonOfProvider,
  type ProviderAnswer,
  type SigningKey,
  signToken,
} from './answers.js'

/** A request to the provider. */
export interface ProviderCall {
  readonly path: string
  /** Parameters of the query and of the form. */
  readonly parameters: URLSearchParams
  readonly authorization: string | undefined
}

/** What a person has allowed an application. */
interface Grant {
  readonly clientId: string
  readonly redirectUri: string
  /** The S256 code challenge (RFC 7636 §4.2); null if none was sent. */
  readonly challenge: string | null
  readonly nonce: string | null
  readonly scope: string
  readonly person: PersonOfProvider
  readonly changes: Changes
}

/** What a provider works with. */
interface ProviderState {
  readonly issuer: string
  /** Client secrets by client id; undefined for a client without one. */
  readonly clients: ReadonlyMap<string, string | undefined>
  /** Who signs in. */
  person(): PersonOfProvider
  /**
   * What the misbehaviour that the test has asked for changes; nothing if there is none. Unless it lasts until `behave()`, it
   * is over with this call.
   *
   * @param concerns whether the changes are for the caller; by default, all are. Others stay for a later call
   */
  takeChanges(concerns?: (changes: Changes) => boolean): Changes
}

const ACCESS_TOKEN_SECONDS = 60 * 60
const ID_TOKEN_SECONDS = 5 * 60

/** Paths of the endpoints that browsers open. Only applications call the others. */
export const PATHS_FOR_BROWSERS: readonly string[] = ['/authorize', '/end-session']

/** The endpoints of a provider: a function from a request to an answer. */
export function createEndpoints({ issuer, clients, person, takeChanges }: ProviderState) {
  const key = makeKey()
  const anotherKey = makeKey()
  const codes = new Map<string, Grant>()
  const refreshTokens = new Map<string, Grant>()
  const accessTokens = new Map<string, { readonly grant: Grant; readonly endsAt: number }>()

  const endpoints: Readonly<Record<string, (call: ProviderCall) => ProviderAnswer>> = {
    '/.well-known/openid-configuration': () => ({ body: metadataOf(issuer) }),
    '/jwks': () => ({ body: { keys: [key.jwk] } }),
    '/authorize': authorize,
    '/token': token,
    '/userinfo': userinfo,
    '/revoke': revoke,
    '/end-session': endSession,
  }

  function authorize({ parameters }: ProviderCall): ProviderAnswer {
    const clientId = parameters.get('client_id') ?? ''
    const redirectUri = parameters.get('redirect_uri') ?? ''
    if (!clients.has(clientId)) return page(400, `The provider does not know the client "${clientId}".`)
    if (!isAbsoluteUrl(redirectUri)) return page(400, 'redirect_uri must be an absolute URL.')
    const state = parameters.get('state')
    const answer = (members: Readonly<Record<string, string>>) => {
      const target = new URL(redirectUri)
      const all = { ...(state !== null && { state }), iss: issuer, ...members }
      for (const [name, value] of Object.entries(all)) target.searchParams.set(name, value)
      return redirect(target)
    }
    const wrong = wrongParameter(parameters)
    if (wrong !== null) return answer(wrong)
    const changes = takeChanges(({ connection }) => connection === undefined)
    if (changes.response?.['error'] !== undefined) return answer(changes.response)
    const code = randomText()
    codes.set(code, {
      clientId,
      redirectUri,
      challenge: parameters.get('code_challenge'),
      nonce: parameters.get('nonce'),
      scope: parameters.get('scope') ?? '',
      person: person(),
      changes,
    })
    return answer({ code, ...changes.response })
  }

  function token(call: ProviderCall): ProviderAnswer {
    const { parameters } = call
    const clientId = authenticatedClient(call, clients)
    if (clientId === null) return oauthError('invalid_client', 'The client id or its secret is wrong.', 401)
    switch (parameters.get('grant_type')) {
      case 'authorization_code': {
        const grant = takeFrom(codes, parameters.get('code'))
        if (grant?.clientId !== clientId) return oauthError('invalid_grant', 'The code is unknown, or was used before.')
        if (grant.redirectUri !== parameters.get('redirect_uri'))
          return oauthError('invalid_grant', 'redirect_uri is not that of the authorization request.')
        if (!isVerified(grant.challenge, parameters.get('code_verifier')))
          return oauthError('invalid_grant', 'code_verifier does not fit code_challenge.')
        // The test may have asked for a misbehaviour after the browser was here. One of the browser is for the next sign-in.
        const isUnchanged = Object.keys(grant.changes).length === 0
        const changes = isUnchanged ? takeChanges(({ response }) => response === undefined) : grant.changes
        return tokensFor({ ...grant, changes }, grant.nonce)
      }
      case 'refresh_token': {
        const grant = takeFrom(refreshTokens, parameters.get('refresh_token'))
        if (grant?.clientId !== clientId)
          return oauthError('invalid_grant', 'The refresh token is unknown, or was used before.')
        return tokensFor({ ...grant, changes: takeChanges((changes) => changes.token !== undefined) }, null)
      }
      default:
        return oauthError('unsupported_grant_type', 'The provider knows authorization_code and refresh_token.')
    }
  }

  function tokensFor(grant: Grant, nonce: string | null): ProviderAnswer {
    const { changes, scope } = grant
    if (changes.token) return changes.token
    const now = Math.floor(Date.now() / 1000) + (changes.clockOffset ?? 0)
    const access = randomText()
    const refresh = randomText()
    accessTokens.set(access, { grant, endsAt: Date.now() + ACCESS_TOKEN_SECONDS * 1000 })
    refreshTokens.set(refresh, { ...grant, changes: {} })
    const idToken = scope.split(' ').includes('openid') ? idTokenOf(grant, nonce, now) : null
    return {
      ...(changes.clockOffset !== undefined && { headers: { date: new Date(now * 1000).toUTCString() } }),
      body: {
        access_token: access,
        token_type: 'Bearer',
        expires_in: ACCESS_TOKEN_SECONDS,
        refresh_token: refresh,
        scope,
        ...(idToken !== null && { id_token: idToken }),
      },
    }
  }

  function idTokenOf(grant: Grant, nonce: string | null, now: number): string | null {
    const { clientId, changes } = grant
    if (changes.idToken === null) return null
    const right: Claims = {
      ...personOf(grant),
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + ID_TOKEN_SECONDS,
      auth_time: now,
      ...(nonce !== null && { nonce }),
    }
    const signer: SigningKey = changes.signsWithAnotherKey ? anotherKey : key
    return signToken(changes.idToken?.(right) ?? right, signer)
  }

  function userinfo({ authorization = '' }: ProviderCall): ProviderAnswer {
    const found = accessTokens.get(authorization.replace(/^Bearer /i, ''))
    if (!found || found.endsAt <= Date.now()) {
      return {
        ...oauthError('invalid_token', 'The access token is unknown, or has expired.', 401),
        headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
      }
    }
    const claims = personOf(found.grant)
    return { body: found.grant.changes.userinfo?.(claims) ?? claims }
  }

  function revoke(call: ProviderCall): ProviderAnswer {
    if (authenticatedClient(call, clients) === null)
      return oauthError('invalid_client', 'The client id or its secret is wrong.', 401)
    const revoked = call.parameters.get('token')
    takeFrom(accessTokens, revoked)
    takeFrom(refreshTokens, revoked)
    return { body: {} }
  }

  return (call: ProviderCall): ProviderAnswer =>
    endpoints[call.path]?.(call) ?? page(404, `The provider has nothing at ${call.path}.`)
}

/** OpenID Connect Discovery 1.0 §3. */
const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/jwks`,
  revocation_endpoint: `${issuer}/revoke`,
  end_session_endpoint: `${issuer}/end-session`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  subject_types_supported: ['public'],
  scopes_supported: ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'],
  id_token_signing_alg_values_supported: [ALGORITHM],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})

const personOf = ({ person, scope, changes }: Grant): Claims => {
  const claims = claimsFor(person, scope)
  return changes.person?.(claims) ?? claims
}

/** OpenID Connect RP-Initiated Logout 1.0 §3. A provider in production accepts registered addresses only. */
function endSession({ parameters }: ProviderCall): ProviderAnswer {
  const address = parameters.get('post_logout_redirect_uri')
  if (address === null || !isAbsoluteUrl(address)) return page(200, 'You are signed out at the provider.')
  const target = new URL(address)
  const state = parameters.get('state')
  if (state !== null) target.searchParams.set('state', state)
  return redirect(target)
}

/** What is wrong with an authorization request, as the answer says it (RFC 6749 §4.1.2.1); null for nothing. */
function wrongParameter(parameters: URLSearchParams): Readonly<Record<string, string>> | null {
  if (parameters.get('response_type') !== 'code')
    return { error: 'unsupported_response_type', error_description: 'response_type must be "code".' }
  if ((parameters.get('response_mode') ?? 'query') !== 'query')
    return { error: 'invalid_request', error_description: 'response_mode must be "query".' }
  if (parameters.has('code_challenge') && parameters.get('code_challenge_method') !== 'S256')
    return { error: 'invalid_request', error_description: 'code_challenge_method must be "S256".' }
  return null
}

/** The client that a call authenticates as, by client_secret_basic, client_secret_post or none (RFC 6749 §2.3.1). */
function authenticatedClient(
  { authorization, parameters }: ProviderCall,
  clients: ProviderState['clients'],
): string | null {
  const [, basic] = /^Basic (.+)$/i.exec(authorization ?? '') ?? []
  const [id, secret] =
    basic === undefined ? [parameters.get('client_id'), parameters.get('client_secret')] : pair(basic)
  if (id === null || !clients.has(id)) return null
  return (clients.get(id) ?? null) === secret ? id : null
}

/** Id and secret of a Basic header, each of which is form-encoded. */
function pair(basic: string): readonly [string, string] {
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':')
  const decode = (text: string) => new URLSearchParams(`value=${text}`).get('value') ?? ''
  return [decode(id), decode(secret)]
}

const isVerified = (challenge: string | null, verifier: string | null): boolean =>
  challenge === null
    ? verifier === null
    : verifier !== null && createHash('sha256').update(verifier).digest('base64url') === challenge

function takeFrom<Value>(values: Map<string, Value>, name: string | null): Value | undefined {
  const value = name === null ? undefined : values.get(name)
  if (name !== null) values.delete(name)
  return value
}

const randomText = (): string => randomBytes(24).toString('base64url')

const redirect = (target: URL): ProviderAnswer => ({ status: 303, headers: { location: target.href }, body: '' })

const oauthError = (error: string, error_description: string, status = 400): ProviderAnswer => ({
  status,
  body: { error, error_description },
})

/** A page of the provider. Its text may repeat a parameter, so it is no HTML. */
const page = (status: number, text: string): ProviderAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: text,
})
