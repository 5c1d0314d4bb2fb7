import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import type { AuthConfig } from '../../lib/config/options.js'
import { isPlainObject } from '../../lib/kernel/describe-value.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Keycloak from '../../lib/providers/catalogue/keycloak.js'
import Passkey from '../../lib/providers/passkey.js'
import type { Provider } from '../../lib/providers/provider.js'
import { resolveProviders } from '../../lib/providers/resolve-provider.js'
import { testConfig } from '../support/app.js'
import { quiet } from '../support/oauth-driver.js'

/** Options as instances of classes that have them as getters: a spread finds none. Parameters have any name, so they are literals. */
function inheriting<T extends object>(options: T): T {
  class Options {}
  for (const [name, value] of Object.entries(options)) {
    const inner = isPlainObject(value) && name !== 'params' ? inheriting(value) : value
    Object.defineProperty(Options.prototype, name, { get: () => inner })
  }
  return new Options() as T
}

function resolved(provider: Provider): unknown {
  const settings = { environment: () => ({}), redirectProxyUrl: undefined, logger: quiet }
  const { providers, findings } = resolveProviders([provider], settings)
  expect(findings).to.deep.equal([])
  return JSON.parse(JSON.stringify(providers[0]))
}

const resolve = (config: AuthConfig) => resolveConfig(config, { env: readEnv({}), now: Date.now })

describe('an option that an instance of a class inherits counts like any other', () => {
  const CLIENT = { clientId: 'id', clientSecret: 'secret' }
  const ISSUER = 'https://op.example'
  const NESTED = {
    client: { token_endpoint_auth_method: 'client_secret_post', require_auth_time: true },
    authorization: { params: { prompt: 'login' } },
    token: { url: `${ISSUER}/token` },
    userinfo: { url: `${ISSUER}/me` },
    tokenFacts: { revocation: { url: `${ISSUER}/revoke`, dialect: 'rfc7009' as const } },
    style: { brandColor: '#123456' },
  }

  for (const name of Object.keys(NESTED) as (keyof typeof NESTED)[]) {
    it(`in ${name} of a provider`, () => {
      const given = (value: object) => resolved(Keycloak({ ...CLIENT, issuer: ISSUER, [name]: value }))
      expect(given(inheriting(NESTED[name]))).to.deep.equal(given(NESTED[name]))
    })
  }

  it('in what the function of a provider is called with', () => {
    const options = { ...CLIENT, scope: 'gist', style: { brandColor: '#123456' } }
    expect(resolved(GitHub(inheriting(options)))).to.deep.equal(resolved(GitHub(options)))
    const passkeys = { name: 'Key', relayingParty: { id: 'app.example' } }
    expect(resolved(Passkey(inheriting(passkeys)))).to.deep.equal(resolved(Passkey(passkeys)))
  })

  it('in cookies', () => {
    const cookies = { sessionToken: { name: 'sid', options: { domain: 'app.example', sameSite: 'strict' as const } } }
    const { specs } = resolve(testConfig({ cookies: inheriting(cookies) })).schemeFor('https://app.example')
    expect(specs.sessionToken).to.deep.equal(
      resolve(testConfig({ cookies })).schemeFor('https://app.example').specs.sessionToken,
    )
    const planted = { ownSignIn: { options: { domain: 'example.com' } } }
    expect(() => resolve(testConfig({ cookies: inheriting(planted) }))).to.throw('`cookies.ownSignIn` must have')
  })

  it('in pages', () => {
    expect(resolve(testConfig({ pages: inheriting({ signIn: '/login' }) })).pages.signIn).to.equal('/login')
    expect(() => resolve(testConfig({ pages: inheriting({ signIn: 'login' }) }))).to.throw('`pages.signIn` is neither')
  })
})
