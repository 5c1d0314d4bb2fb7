import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import type { AuthConfig } from '../../lib/config/options.js'
import { ratesOf } from '../../lib/features/limits/options.js'
import { isPlainObject } from '../../lib/kernel/describe-value.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Keycloak from '../../lib/providers/catalogue/keycloak.js'
import Credentials, { type CredentialInput } from '../../lib/providers/credentials.js'
import Passkey from '../../lib/providers/passkey.js'
import Password from '../../lib/providers/password.js'
import type { Provider } from '../../lib/providers/provider.js'
import { resolveProviders } from '../../lib/providers/resolve-provider.js'
import { testConfig } from '../support/app.js'
import { quiet } from '../support/oauth-driver.js'

/** Where an object may have its members so that a spread finds none. */
const HIDINGS: Readonly<Record<string, () => { from: object; made: object }>> = {
  'an instance of a class inherits'() {
    class Options {}
    return { from: Options.prototype, made: new Options() }
  },
  'an instance of a class with a name of its own inherits'() {
    class Options {
      readonly [Symbol.toStringTag] = 'Options'
    }
    return { from: Options.prototype, made: new Options() }
  },
  'an object inherits'() {
    const from = {}
    return { from, made: Object.create(from) as object }
  },
  'an object inherits from one without a prototype'() {
    const from = Object.create(null) as object
    return { from, made: Object.create(from) as object }
  },
  'is not enumerable'() {
    const made = {}
    return { from: made, made }
  },
}

/** Objects without names that are known: they must be literals, whose members may be hidden all the same. */
const LITERAL = new Set(['params', 'headers', 'texts', 'views', 'credentials', 'formFields'])

function resolved(provider: Provider): unknown {
  const settings = { environment: () => ({}), redirectProxyUrl: undefined, logger: quiet }
  const { providers, findings } = resolveProviders([provider], settings)
  expect(findings).to.deep.equal([])
  return JSON.parse(JSON.stringify(providers[0]))
}

const resolve = (config: AuthConfig) => resolveConfig(config, { env: readEnv({}), now: Date.now })

for (const [hiding, hide] of Object.entries(HIDINGS))
  describe(`an option that ${hiding} counts like any other`, () => {
    /** Options whose members are getters there, at any depth. */
    function hidden<T extends object>(options: T, isLiteral = false): T {
      const { from, made } = isLiteral && hiding !== 'is not enumerable' ? { from: {}, made: null } : hide()
      const inner = Object.entries(options).map(
        ([name, value]) => [name, isPlainObject(value) ? hidden(value, LITERAL.has(name)) : value] as const,
      )
      for (const [name, value] of inner) Object.defineProperty(from, name, { get: () => value })
      return (made ?? Object.fromEntries(inner)) as T
    }

    const CLIENT = { clientId: 'id', clientSecret: 'secret' }
    const ISSUER = 'https://op.example'
    const NESTED = {
      client: { token_endpoint_auth_method: 'client_secret_post', id_token_signed_response_alg: 'ES256' },
      authorization: { params: { prompt: 'login', claims: { id_token: { acr: { essential: true, value: '2' } } } } },
      token: { url: `${ISSUER}/token`, params: { resource: 'api' }, headers: { 'x-key': '1' } },
      userinfo: { url: `${ISSUER}/me` },
      tokenFacts: { revocation: { url: `${ISSUER}/revoke`, dialect: 'rfc7009' as const } },
      style: { brandColor: '#123456' },
    }

    for (const name of Object.keys(NESTED) as (keyof typeof NESTED)[]) {
      it(`in ${name} of a provider`, () => {
        for (const more of [{}, { scope: 'openid email' }]) {
          const given = (value: object) => resolved(Keycloak({ ...CLIENT, issuer: ISSUER, ...more, [name]: value }))
          expect(given(hidden(NESTED[name]))).to.deep.equal(given(NESTED[name]))
        }
        const written = (value: object) =>
          resolved({ id: 'op', name: 'OP', type: 'oidc', ...CLIENT, issuer: ISSUER, [name]: value } as Provider)
        expect(written(hidden(NESTED[name]))).to.deep.equal(written(NESTED[name]))
      })
    }

    it('in what the function of a provider is called with', () => {
      const options = { ...CLIENT, scope: 'gist', style: { brandColor: '#123456' } }
      expect(resolved(GitHub(hidden(options)))).to.deep.equal(resolved(GitHub(options)))
      const passkeys = {
        name: 'Key',
        relayingParty: { id: 'app.example' },
        authenticationOptions: { userVerification: 'discouraged' },
        registrationOptions: { authenticatorSelection: { authenticatorAttachment: 'platform' }, timeout: 7000 },
        verifyRegistrationOptions: { requireUserVerification: false },
        formFields: { email: { autocomplete: 'webauthn', label: 'Who' } },
      }
      expect(resolved(Passkey(hidden(passkeys)))).to.deep.equal(resolved(Passkey(passkeys)))
      const passwords = { minLength: 20, words: ['acme'], breached: { whenUnavailable: 'refuse' as const } }
      expect(resolved(Password(hidden(passwords)))).to.deep.equal(resolved(Password(passwords)))
    })

    it('in fields of credentials', () => {
      const given = (credentials: Record<string, CredentialInput>) =>
        resolved(Credentials({ credentials, authorize: () => null }))
      const fields = { pin: { type: 'password', label: 'PIN' } }
      expect(given(hidden(fields, true))).to.deep.equal(given(fields))
    })

    it('in cookies', () => {
      const cookies = { sessionToken: { name: 'sid', options: { secure: true, sameSite: 'strict' as const } } }
      const specOf = (given: typeof cookies) =>
        resolve(testConfig({ cookies: given })).schemeFor('http://app.example').specs.sessionToken
      expect(specOf(hidden(cookies))).to.deep.equal(specOf(cookies))
      const planted = { ownSignIn: { options: { domain: 'example.com' } } }
      expect(() => resolve(testConfig({ cookies: hidden(planted) }))).to.throw('`cookies.ownSignIn` must have')
    })

    it('in pages', () => {
      expect(resolve(testConfig({ pages: hidden({ signIn: '/login' }) })).pages.signIn).to.equal('/login')
      expect(() => resolve(testConfig({ pages: hidden({ signIn: 'login' }) }))).to.throw('`pages.signIn` is neither')
    })

    it('in the rates of limits', () => {
      const account = { atOnce: 3, perHour: 4 }
      expect(ratesOf({ guesses: hidden({ account }) }).guesses.account).to.deep.equal(account)
    })
  })

describe('an object whose names are not known', () => {
  it('is refused where it inherits them', () => {
    const params = Object.create({ prompt: 'login' })
    const settings = { environment: () => ({}), redirectProxyUrl: undefined, logger: quiet }
    const provider = Keycloak({
      clientId: 'id',
      clientSecret: 'secret',
      issuer: 'https://op.example',
      authorization: { params },
    })
    expect(resolveProviders([provider], settings).findings.map(({ message }) => message)).to.deep.equal([
      'Provider "keycloak": `authorization.params` is an instance of Object; it must be an object. Write it as an object literal: what an object inherits is not read here.',
    ])
  })
})
