import { expect } from 'chai'
import Credentials from '../../lib/providers/credentials.js'
import type { OAuthConfig, Provider, ProviderEnvironment } from '../../lib/providers/provider.js'
import { customFetch } from '../../lib/providers/provider.js'
import { resolveProvider, resolveProviders } from '../../lib/providers/resolve-provider.js'
import { quiet, resolved } from '../support/oauth-driver.js'

const base = {
  id: 'acme',
  name: 'Acme',
  type: 'oauth' as const,
  authorization: 'https://acme.example/authorize',
  token: 'https://acme.example/token',
  userinfo: 'https://acme.example/me',
  clientId: 'client',
  clientSecret: 'secret',
}
const findingsOf = (input: Provider, environment: ProviderEnvironment = {}, redirectProxyUrl?: string) =>
  resolveProvider(input, { environment: () => environment, redirectProxyUrl, logger: quiet }).findings
const wrong = (more: object): Provider => ({ ...base, ...more }) as OAuthConfig<unknown>

describe('resolveProvider', () => {
  it('gives a frozen provider and leaves the object it was given alone', () => {
    const options = { authorization: { params: { prompt: 'consent' } }, client: { token_endpoint_auth_method: 'none' } }
    const given = { ...base, options }
    const before = structuredClone(given)
    const provider = resolved(given as Provider)
    expect(given).to.deep.equal(before)
    expect(
      Object.isFrozen(provider) && Object.isFrozen(provider.authorization) && Object.isFrozen(provider.client),
    ).to.equal(true)
    expect(Object.isFrozen(given) || Object.isFrozen(options) || Object.isFrozen(options.client)).to.equal(false)
  })

  it('lets options win: members, the id, and parameters that keep the URL', () => {
    const provider = resolved({
      ...base,
      options: {
        id: 'acme-two',
        name: 'Acme 2',
        authorization: { params: { scope: 'read' } },
        clientId: 'other',
        clientSecret: undefined,
      },
    } as Provider)
    expect(provider).to.include({ id: 'acme-two', name: 'Acme 2', clientId: 'other', clientSecret: 'secret' })
    expect(provider.authorization.url?.href).to.equal('https://acme.example/authorize')
    expect(provider.authorization.params).to.deep.equal({ scope: 'read' })
  })

  it('lets an option given as a URL replace the URL and keep the parameters', () => {
    const provider = resolved({
      ...base,
      authorization: { url: 'https://acme.example/authorize', params: { prompt: 'none' } },
      options: { authorization: 'https://other.example/authorize' },
    } as Provider)
    expect(provider.authorization.url?.host).to.equal('other.example')
    expect(provider.authorization.params).to.deep.equal({ scope: 'openid profile email', prompt: 'none' })
  })

  it('fills in the environment only where nothing is set', () => {
    const environment = { clientId: 'env-id', clientSecret: 'env-secret', issuer: 'https://env.example' }
    expect(resolved({ ...base, clientSecret: undefined } as Provider, environment)).to.include({
      clientId: 'client',
      clientSecret: 'env-secret',
      issuer: 'https://env.example',
    })
  })

  it('calls a function without options to learn its id, then with what the environment has', () => {
    const calls: object[] = []
    const make = (options: object) => {
      calls.push({ ...options })
      return { ...base, clientId: undefined, options } as Provider
    }
    const asked: string[] = []
    const { provider } = resolveProvider(make as Provider, {
      environment: (id) => {
        asked.push(id)
        return { clientId: 'env-id', clientSecret: undefined }
      },
      redirectProxyUrl: undefined,
      logger: quiet,
    })
    expect(calls).to.deep.equal([{}, { clientId: 'env-id' }])
    expect(asked[0]).to.equal('acme')
    expect(provider).to.include({ clientId: 'env-id' })
  })

  it('PKCE-01: has the checks of the specification: pkce, and state with a redirect proxy', () => {
    expect([...resolved(base).checks]).to.deep.equal(['pkce'])
    expect([...resolved(base, {}, 'https://stable.example/auth/').checks]).to.deep.equal(['pkce', 'state'])
    expect(resolved(base, {}, 'https://stable.example/auth/').redirectProxyUrl).to.equal('https://stable.example/auth')
    expect([...resolved({ ...base, checks: ['none'] }).checks]).to.deep.equal([])
    expect([...resolved({ ...base, checks: [] }).checks]).to.deep.equal([])
  })

  it('warns of a provider without any check', () => {
    const warned: unknown[] = []
    const logger = { ...quiet, warn: (...line: unknown[]) => void warned.push(line) }
    resolveProvider({ ...base, checks: ['none'] }, { environment: () => ({}), redirectProxyUrl: undefined, logger })
    expect(warned).to.deep.equal([['unchecked-provider', { provider: 'acme' }]])
  })

  it("prefers the provider's own redirectProxyUrl", () => {
    const provider = resolved(
      { ...base, redirectProxyUrl: 'https://own.example/auth' },
      {},
      'https://stable.example/auth',
    )
    expect(provider.redirectProxyUrl).to.equal('https://own.example/auth')
  })

  it('discovers only what is not configured', () => {
    expect(resolved(base).discoveryUrl).to.equal(null)
    const oidc = resolved({
      id: 'op',
      name: 'OP',
      type: 'oidc',
      issuer: 'https://op.example/realm/',
      clientId: 'c',
      clientSecret: 's',
    })
    expect(oidc.discoveryUrl?.href).to.equal('https://op.example/realm/.well-known/openid-configuration')
    const known = resolved({
      id: 'op',
      name: 'OP',
      type: 'oidc',
      wellKnown: 'https://op.example/x/.well-known/openid-configuration',
      clientId: 'c',
      clientSecret: 's',
    })
    expect(known.issuer).to.equal('https://op.example/x')
  })

  it('takes a fetch under a symbol of this or another library', () => {
    const own = (() => {}) as unknown as typeof fetch
    expect(resolved({ ...base, [customFetch]: own }).fetch).to.equal(own)
    expect(resolved({ ...base, options: { [Symbol('custom-fetch')]: own } } as Provider).fetch).to.equal(own)
  })

  const faults: Record<string, [Provider, string, RegExp]> = {
    'no client id': [wrong({ clientId: undefined }), 'InvalidProvider', /clientId option, or AUTH_ACME_ID/],
    'an empty client id': [wrong({ clientId: '' }), 'InvalidProvider', /AUTH_ACME_ID/],
    'no client secret': [wrong({ clientSecret: undefined, id: 'acme-two' }), 'InvalidProvider', /AUTH_ACME_TWO_SECRET/],
    'no token endpoint': [wrong({ token: undefined }), 'InvalidEndpoints', /has no token and no issuer/],
    'no endpoints at all': [
      wrong({ token: undefined, userinfo: undefined, authorization: undefined }),
      'InvalidEndpoints',
      /authorization, token, userinfo/,
    ],
    'no issuer (oidc)': [wrong({ type: 'oidc' }), 'InvalidEndpoints', /AUTH_ACME_ISSUER/],
    'an endpoint that is no URL': [wrong({ token: '/token' }), 'InvalidEndpoints', /token\.url is not an absolute URL/],
    'plain http': [wrong({ token: 'http://acme.example/token' }), 'InvalidEndpoints', /allowInsecureHttp/],
    'another scheme': [wrong({ authorization: 'javascript:alert(1)' }), 'InvalidEndpoints', /authorization\.url/],
    'an issuer over plain http': [
      wrong({ type: 'oidc', issuer: 'http://op.example' }),
      'InvalidEndpoints',
      /issuer is http/,
    ],
    'an unknown check': [wrong({ checks: ['pkce', 'pkec'] }), 'InvalidProvider', /"pkec"/],
    'nonce with plain OAuth': [wrong({ checks: ['nonce'] }), 'InvalidProvider', /type oauth knows none, state, pkce/],
    'checks that are no list': [wrong({ checks: 'pkce' }), 'InvalidProvider', /not a list/],
    'an unknown authentication': [
      wrong({ client: { token_endpoint_auth_method: 'basic' } }),
      'InvalidProvider',
      /"basic"/,
    ],
    'private_key_jwt without a key': [
      wrong({ client: { token_endpoint_auth_method: 'private_key_jwt' } }),
      'InvalidProvider',
      /clientPrivateKey/,
    ],
    'unsigned ID tokens': [
      wrong({ client: { id_token_signed_response_alg: 'none' } }),
      'InvalidProvider',
      /must be signed/,
    ],
    'the implicit flow': [
      wrong({ authorization: { url: base.authorization, params: { response_type: 'id_token' } } }),
      'InvalidProvider',
      /authorization code flow only/,
    ],
    'a fragment response': [
      wrong({ authorization: `${base.authorization}?response_mode=fragment` }),
      'InvalidProvider',
      /response_mode/,
    ],
    'an unknown type': [wrong({ type: 'saml' }), 'InvalidProvider', /"saml"/],
    'no authorize': [
      { id: 'credentials', name: 'C', type: 'credentials' } as unknown as Provider,
      'MissingAuthorize',
      /authorize/,
    ],
    'a function that throws': [
      () => {
        throw new Error('tenant is missing.')
      },
      'InvalidProvider',
      /tenant is missing/,
    ],
    null: [
      null as unknown as Provider,
      'InvalidProvider',
      /A provider is null; a provider is an object, or a function/,
    ],
  }
  for (const [what, [input, type, message]] of Object.entries(faults)) {
    it(`finds ${what}, and says how to mend it`, () => {
      const findings = findingsOf(input)
      expect(findings.map((finding) => finding.type)).to.include(type)
      expect(findings.map((finding) => finding.message).join('\n')).to.match(message)
    })
  }

  for (const id of [undefined, '', 'undefined', '-x', 'a/b', 'a b', '../x', 'a?b', 'ä']) {
    it(`refuses the id ${JSON.stringify(id)}`, () => {
      expect(findingsOf(wrong({ id }))[0]?.message).to.match(/An id is part of URLs/)
    })
  }

  it('asks for no more than is used', () => {
    expect(findingsOf(wrong({ userinfo: { request: () => ({}) } }))).to.deep.equal([])
    expect(findingsOf(wrong({ token: { request: () => ({}) }, clientSecret: undefined }))).to.deep.equal([])
    expect(
      findingsOf(wrong({ clientSecret: undefined, client: { token_endpoint_auth_method: 'none' } })),
    ).to.deep.equal([])
    expect(findingsOf(wrong({ token: 'http://127.0.0.1:8080/token', userinfo: 'http://localhost/me' }))).to.deep.equal(
      [],
    )
    expect(findingsOf(wrong({ token: 'http://op.test/token', allowInsecureHttp: true }))).to.deep.equal([])
  })

  it('takes nothing from a key that would reach a prototype', () => {
    const given = JSON.parse('{"__proto__": {"clientSecret": "x"}, "options": {"__proto__": {"clientSecret": "x"}}}')
    const { clientSecret: _, ...rest } = base
    expect(findingsOf({ ...given, ...rest } as Provider)[0]?.message).to.match(/AUTH_ACME_SECRET/)
    // Here it does reach the prototype, of the object that is given.
    expect(findingsOf(Object.assign({}, given, rest) as Provider)[0]?.message).to.match(/`clientSecret` is inherited/)
    expect(({} as { clientSecret?: string }).clientSecret).to.equal(undefined)
  })

  it('resolves credentials', () => {
    const authorize = () => ({ id: '1' })
    const { provider } = resolveProvider(Credentials({ credentials: { user: { label: 'User' } }, authorize }), {
      environment: () => ({}),
      redirectProxyUrl: undefined,
      logger: quiet,
    })
    expect(provider).to.deep.include({
      id: 'credentials',
      name: 'Credentials',
      type: 'credentials',
      fields: { user: { label: 'User' } },
    })
    expect(provider).to.have.property('authorize', authorize)
    const renamed = resolveProvider(Credentials({ id: 'staff', name: 'Staff', authorize }), {
      environment: () => ({}),
      redirectProxyUrl: undefined,
      logger: quiet,
    })
    expect(renamed.provider).to.include({ id: 'staff', name: 'Staff' })
  })
})

describe('resolveProviders', () => {
  it('keeps the order, and finds ids that are used twice', () => {
    const { providers, findings } = resolveProviders(
      [base, { ...base, id: 'b' }, { ...base, options: { id: 'b' } } as Provider, wrong({ clientId: '' })],
      {
        environment: () => ({}),
        redirectProxyUrl: undefined,
        logger: quiet,
      },
    )
    expect(providers.map(({ id }) => id)).to.deep.equal(['acme', 'b'])
    expect(findings.map(({ message }) => message)).to.have.length(2)
    expect(findings[0]?.message).to.match(/Two providers have the id "b"/)
  })
})
