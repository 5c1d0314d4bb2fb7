import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { InvalidConfiguration } from '../../lib/kernel/errors.js'
import { completeLogger } from '../../lib/kernel/logger.js'
import { withoutUndefined } from '../../lib/kernel/objects.js'
import { resolveTheme } from '../../lib/pages/theme.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import Keycloak from '../../lib/providers/catalogue/keycloak.js'
import Passkey from '../../lib/providers/passkey.js'
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
      client: unset('token_endpoint_auth_method', 'id_token_signed_response_alg'),
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

  it('and other values do not, though they look alike', () => {
    const kept = { no: false, none: null, zero: 0, empty: '' }
    expect(withoutUndefined({ ...kept, gone: undefined })).to.deep.equal(kept)
    expect(withoutUndefined(undefined)).to.deep.equal({})
  })
})
