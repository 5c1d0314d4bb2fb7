import { expect } from 'chai'
import Auth0 from '../../lib/providers/catalogue/auth0.js'
import Keycloak from '../../lib/providers/catalogue/keycloak.js'
import OneLogin from '../../lib/providers/catalogue/onelogin.js'
import { oidcProvider } from '../../lib/providers/index.js'
import type { Provider, ProviderEnvironment } from '../../lib/providers/provider.js'
import { resolveProvider } from '../../lib/providers/resolve-provider.js'
import { quiet } from '../support/oauth-driver.js'

const Acme = oidcProvider({ id: 'acme', name: 'Acme' })
const whole = { issuer: 'https://id.example.com/realms/main', clientId: 'client', clientSecret: 'secret' }

const look = (input: Provider, environment: ProviderEnvironment = {}) => {
  const warnings: string[] = []
  const { findings } = resolveProvider(input, {
    environment: () => environment,
    redirectProxyUrl: undefined,
    logger: { ...quiet, warn: (code) => void warnings.push(code) },
  })
  return { findings: findings.map(({ message }) => message), warnings }
}

describe('texts that were copied', () => {
  for (const [what, [before, after]] of Object.entries({
    'a blank after it': ['', ' '],
    'a blank before it': [' ', ''],
    'a line end after it': ['', '\n'],
    'a line end of Windows after it': ['', '\r\n'],
    'a blank that does not break': ['', '\u00a0'],
    'a byte order mark before it': ['\ufeff', ''],
  })) {
    it(`with ${what} stop the start, and the message names the member and the cure`, () => {
      for (const name of ['issuer', 'clientId'] as const) {
        const { findings } = look(Acme({ ...whole, [name]: `${before}${whole[name]}${after}` }))
        expect(findings, name).to.have.length(1)
        const where = name === 'issuer' ? 'contains' : 'begins or ends with'
        expect(findings[0]).to.match(new RegExp(`"acme": ${name} ${where} a blank or a line end. Remove it; .*trim`))
      }
    })
  }

  it('that the environment has are looked at, too, and those of an entry that computes its endpoints', () => {
    const said = /issuer contains a blank or a line end/
    expect(look(Keycloak as never, { ...whole, issuer: `${whole.issuer}\n` }).findings[0]).to.match(said)
    expect(look(OneLogin as never, { ...whole, issuer: `${whole.issuer}\n` }).findings[0]).to.match(said)
    const domain = Auth0({ ...whole, issuer: undefined, domain: 'acme.auth0.com\n' } as never)
    expect(look(domain).findings.join()).to.match(/domain contains a blank/)
  })

  it('may be a secret with a blank, which RFC 6749 allows, and none with a line end; no secret is repeated', () => {
    expect(look(Acme({ ...whole, clientSecret: 'the secret ' })).findings).to.deep.equal([])
    const [message = ''] = look(Acme({ ...whole, clientSecret: 'the-secret\n' })).findings
    expect(message).to.match(/clientSecret begins or ends with a line end/)
    expect(message).not.to.include('the-secret')
  })

  it('are told if the issuer is the address of the metadata, with the cure', () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      const { findings } = look(Acme({ ...whole, issuer: `${whole.issuer}${path}` }))
      expect(findings).to.have.length(1)
      expect(findings[0]).to.match(
        /issuer is the address of its metadata\. Leave out what begins with \/\.well-known\//,
      )
    }
    const inserted = 'https://id.example.com/.well-known/oauth-authorization-server/realms/main'
    expect(look(Acme({ ...whole, issuer: inserted })).findings[0]).to.match(/wellKnown in the place of issuer/)
    const metadata = { ...whole, issuer: undefined, wellKnown: `${whole.issuer}/.well-known/openid-configuration` }
    expect(look(Acme(metadata as never)).findings).to.deep.equal([])
  })
})

describe('a scope without openid', () => {
  const warned = (options: object) => look(Acme({ ...whole, ...options })).warnings.includes('scope-without-openid')

  it('is told at the start for an OpenID provider', () => {
    for (const scope of ['profile email', '', 'openid-connect', 'profile,openid'])
      expect(warned({ scope }), scope).to.equal(true)
    expect(warned({ authorization: 'https://id.example.com/authorize?scope=profile' })).to.equal(true)
    expect(look(oidcProvider({ id: 'acme', name: 'Acme', scopes: ['email'] })(whole)).warnings).to.deep.equal([
      'scope-without-openid',
    ])
  })

  it('is not told of Apple as Auth.js has it, which gives an ID token all the same', async () => {
    const { default: theirs } = await import('@auth/core/providers/apple')
    expect(look(theirs({ clientId: 'client', clientSecret: 'secret' }) as never).warnings).to.deep.equal([])
  })

  it('is not told where openid is there, or nobody can know, or the provider is plain OAuth', () => {
    for (const options of [
      {},
      { scope: 'openid' },
      { scope: 'email openid profile' },
      { authorization: { params: { scope: () => 'openid' } } },
      { authorization: 'https://id.example.com/authorize?scope=openid%20email' },
    ])
      expect(warned(options), JSON.stringify(options)).to.equal(false)
    const plain = { id: 'plain', name: 'Plain', type: 'oauth', scope: 'read', ...whole, token: 'https://a.example/t' }
    const endpoints = { authorization: 'https://a.example/a?scope=read', userinfo: 'https://a.example/u' }
    expect(look({ ...plain, ...endpoints } as never).warnings).not.to.include('scope-without-openid')
  })
})
