import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { ratesOf } from '../../lib/features/limits/options.js'
import { InvalidConfiguration } from '../../lib/kernel/errors.js'
import { completeLogger } from '../../lib/kernel/logger.js'
import { withoutUndefined } from '../../lib/kernel/objects.js'
import { resolveTheme } from '../../lib/pages/theme.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Google from '../../lib/providers/catalogue/google.js'
import Keycloak from '../../lib/providers/catalogue/keycloak.js'
import MicrosoftEntraID from '../../lib/providers/catalogue/microsoft-entra-id.js'
import Passkey from '../../lib/providers/passkey.js'
import Password from '../../lib/providers/password.js'
import type { Provider } from '../../lib/providers/provider.js'
import { resolveProvider } from '../../lib/providers/resolve-provider.js'
import WebAuthn from '../../lib/providers/webauthn.js'
import { createLog, testConfig } from '../support/app.js'
import { quiet } from '../support/oauth-driver.js'

const resolved = (provider: Provider): unknown => {
  const settings = {
    environment: readEnv({}).provider,
    redirectProxyUrl: undefined,
    logger: completeLogger(createLog().logger, false),
  }
  const { provider: made, findings } = resolveProvider(provider, settings)
  expect(findings).to.deep.equal([])
  return JSON.parse(JSON.stringify(made))
}

/** Options with these names, each undefined, as a JavaScript application gives them from variables that are not set. */
const unset = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, undefined])) as Record<string, never>

describe('an option that is undefined counts as absent', () => {
  const verifying = {
    authenticationOptions: unset('userVerification', 'timeout'),
    registrationOptions: { authenticatorSelection: unset('userVerification', 'residentKey'), ...unset('timeout') },
    verifyAuthenticationOptions: unset('requireUserVerification'),
    verifyRegistrationOptions: unset('requireUserVerification'),
  }
  const own = unset('id', 'name', 'formFields', 'enableConditionalUI', 'relayingParty', 'simpleWebAuthn')

  it('in Passkey, which demands the person all the same', () => {
    expect(resolved(Passkey({ ...verifying }))).to.deep.equal(resolved(Passkey()))
    expect(resolved(Passkey(own))).to.deep.equal(resolved(Passkey()))
    const party = { id: 'app.example' }
    expect(resolved(Passkey({ relayingParty: { ...party, ...unset('name', 'origin') } }))).to.deep.equal(
      resolved(Passkey({ relayingParty: party })),
    )
  })

  it('in WebAuthn', () => {
    const { authenticationOptions, registrationOptions } = { ...verifying, registrationOptions: unset('timeout') }
    expect(resolved(WebAuthn({ authenticationOptions, registrationOptions }))).to.deep.equal(resolved(WebAuthn()))
    expect(resolved(WebAuthn(own))).to.deep.equal(resolved(WebAuthn()))
  })

  it('in providers of OAuth, at any depth', () => {
    const client = { clientId: 'id', clientSecret: 'secret' }
    const more = unset('id', 'name', 'checks', 'scope', 'profile', 'verifiedEmail', 'idToken', 'allowInsecureHttp')
    const deep = {
      authorization: { params: unset('scope', 'prompt'), ...unset('url') },
      token: unset('url', 'params', 'headers', 'conform', 'request'),
      client: unset('token_endpoint_auth_method', 'id_token_encrypted_response_enc'),
      style: unset('logo', 'brandColor'),
    } as never
    expect(resolved(GitHub({ ...client, ...(more as object) }))).to.deep.equal(
      resolved(GitHub({ ...client, style: {} })),
    )
    const issuer = 'https://op.example'
    for (const options of [more, deep] as object[]) {
      const { source: _one, ...one } = resolved(Keycloak({ ...client, issuer, ...options })) as { source: unknown }
      const { source: _other, ...other } = resolved(Keycloak({ ...client, issuer })) as { source: unknown }
      expect(one).to.deep.equal(other)
    }
  })

  it('in the theme', () => {
    expect(resolveTheme(unset('colorScheme', 'logo', 'brandColor', 'buttonText'))).to.deep.equal(resolveTheme({}))
  })

  it('in the times of sessions that have a default, but not in a limit that has none (SESS-04)', () => {
    const timed = (session: object) => () => resolveConfig(testConfig({ session }), { env: readEnv({}), now: Date.now })
    expect(timed(unset('maxAge', 'updateAge', 'recentAuthAge', 'strategy'))().recentAuthAge).to.equal(900)
    expect(timed({ maxLifetime: Number.POSITIVE_INFINITY })).not.to.throw()
    expect(timed(unset('maxLifetime'))).to.throw(
      InvalidConfiguration,
      '`session.maxLifetime` is undefined, which would be no limit; it must be a number of seconds',
    )
    expect(timed(unset('refreshUser'))).to.throw(InvalidConfiguration, '`session.refreshUser` is undefined')
  })

  it('in rates of limits', () => {
    expect(ratesOf({ guesses: { account: unset('atOnce', 'perHour') } })).to.deep.equal(ratesOf({}))
  })

  for (const missing of [undefined, null]) {
    it(`but not in other options that limit something: ${missing} would be no limit`, () => {
      for (const [path, options] of [
        ['hosts', { hosts: missing }],
        ['signUp', { signUp: missing }],
        ['limits.mayTry', { limits: { mayTry: missing } }],
        ['session.maxLifetime', { session: { maxLifetime: missing } }],
        ...['signIn', 'signUp', 'authorized'].map((name) => [`callbacks.${name}`, { callbacks: { [name]: missing } }]),
      ] as [string, object][]) {
        expect(() => resolveConfig(testConfig(options), { env: readEnv({}), now: Date.now })).to.throw(
          InvalidConfiguration,
          new RegExp(
            `^\`${path}\` is ${missing}, which would be no limit; it must be .*\\. Leave it out if there is none\\.$`,
          ),
        )
      }
    })
  }

  it('but not in what a provider must do, since nothing else would notice', () => {
    const settings = { environment: () => ({}), redirectProxyUrl: undefined, logger: quiet }
    const client = { clientId: 'id', clientSecret: 'secret', issuer: 'https://op.example' }
    for (const provider of [
      Keycloak({ ...client, requireAcr: undefined }),
      { ...Keycloak(client), requireAcr: undefined },
    ])
      expect(resolveProvider(provider, settings).findings.map(({ message }) => message)).to.deep.equal([
        'Provider "keycloak": `requireAcr` is undefined, which would be no limit; it must be a list of strings. Leave it out if there is none.',
      ])
    expect(resolveProvider({ ...Keycloak({ ...client, requireAcr: ['2'] }), requireAcr: undefined }, settings).findings) //
      .to.deep.equal([])
  })

  describe('but not in what a provider must do, at any depth', () => {
    const settings = { environment: () => ({}), redirectProxyUrl: undefined, logger: quiet }
    const client = { clientId: 'id', clientSecret: 'secret', issuer: 'https://op.example' }
    const messages = (provider: Provider) => resolveProvider(provider, settings).findings.map(({ message }) => message)
    const asking = (acr: object) => ({ authorization: { params: { claims: { id_token: { acr } } } } })
    const ACR = 'authorization.params.claims.id_token.acr'
    const none = (what: unknown) => `is ${what}, which would be no limit; it must be`
    const cases = (missing: undefined | null): [place: string, options: object][] => [
      ['dpop', { dpop: missing }],
      ...[
        'id_token_signed_response_alg',
        'userinfo_signed_response_alg',
        'authorization_signed_response_alg',
        'id_token_encrypted_response_alg',
        'userinfo_encrypted_response_alg',
        'authorization_encrypted_response_alg',
      ].map((name): [string, object] => [`client.${name}`, { client: { [name]: missing } }]),
      ...['max_age', 'acr_values', 'claims'].map((name): [string, object] => [
        `authorization.params.${name}`,
        { authorization: { params: { [name]: missing } } },
      ]),
      [`${ACR}.value`, asking({ essential: true, value: missing })],
      [`${ACR}.values`, asking({ essential: true, values: missing })],
      [`${ACR}.essential`, asking({ essential: missing, value: '2' })],
    ]
    for (const missing of [undefined, null])
      for (const [place, options] of cases(missing))
        it(`${place}: ${missing}`, () => {
          const found = `Provider "keycloak": \`${place}\` ${none(missing)}`
          for (const provider of [Keycloak({ ...client, ...options }), { ...Keycloak(client), ...options }]) {
            const [message, ...others] = messages(provider as Provider)
            expect(message?.slice(0, found.length)).to.equal(found)
            expect(others).to.deep.equal([])
          }
        })

    it('an acr that is asked for, and names none', () => {
      const json = (acr: object) => ({ params: { claims: JSON.stringify({ id_token: { acr } }) } })
      for (const values of [[], [null]]) {
        const start = `Provider "keycloak": \`${ACR}.values`
        for (const authorization of [
          asking({ essential: true, values }).authorization,
          json({ essential: true, values }),
        ])
          expect(messages(Keycloak({ ...client, authorization }))[0]?.slice(0, start.length)).to.equal(start)
      }
      expect(messages(Keycloak({ ...client, ...asking({ essential: true }) }))).to.deep.equal([])
      expect(messages(Keycloak({ ...client, authorization: { params: { claims: { id_token: { acr: null } } } } }))) //
        .to.deep.equal([])
    })

    it('breached of Password', () => {
      expect(messages(Password({ breached: undefined } as object))[0]).to.contain(
        `\`password.breached\` ${none('undefined')}`,
      )
    })

    it('whose accounts Google and Microsoft admit', () => {
      const app = { clientId: 'id', clientSecret: 'secret' }
      expect(messages(Google({ ...app, hostedDomain: undefined } as object as typeof app))).to.deep.equal([
        'Provider "google" has no hostedDomain. Set its hostedDomain option.',
      ])
      expect(messages(MicrosoftEntraID({ ...app, tenantId: undefined } as object as typeof app))).to.deep.equal([
        'Provider "microsoft-entra-id" has no tenantId. Set its tenantId option.',
      ])
      expect(messages(Google(app))).to.deep.equal([])
      expect(messages(MicrosoftEntraID({ ...client, tenantId: undefined } as object as typeof app))).to.deep.equal([])
    })
  })

  it('and other values do not, though they look alike', () => {
    const kept = { no: false, none: null, zero: 0, empty: '' }
    expect(withoutUndefined({ ...kept, gone: undefined })).to.deep.equal(kept)
    expect(withoutUndefined(undefined)).to.deep.equal({})
  })
})
