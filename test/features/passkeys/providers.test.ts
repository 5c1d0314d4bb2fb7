import AuthjsPasskey from '@auth/core/providers/passkey'
import AuthjsWebAuthn from '@auth/core/providers/webauthn'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { resolveConfig } from '../../../lib/compose.js'
import { readEnv } from '../../../lib/config/env.js'
import type { AuthConfig, AuthError, Provider } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import WebAuthn from '../../../lib/providers/webauthn.js'
import { createLog, testConfig } from '../../support/app.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { ADDRESS, answer, ask, authenticate, errorOf, openPasskeyApp, register } from './ceremonies.js'

const surroundings = { env: readEnv({}), now: Date.now }

function failureOf(options: Partial<AuthConfig>): AuthError | null {
  try {
    resolveConfig(testConfig({ adapter: memoryAdapter(), ...options }), surroundings)
    return null
  } catch (error) {
    return error as AuthError
  }
}

// Without a cast: the types fit as well.
const authjs = (provider: Provider) => provider

describe('a passkey provider', () => {
  it('of our own is stable', () => {
    const log = createLog()
    const resolve = (provider: Provider) =>
      resolveConfig(testConfig({ providers: [provider], adapter: memoryAdapter(), logger: log.logger }), surroundings)
    for (const provider of [Passkey, Passkey(), WebAuthn(), { ...Passkey(), id: 'key' }]) resolve(provider)
    expect(log.warnings).to.deep.equal([])
  })

  it('made for Auth.js needs the flag, and warns once with it', () => {
    for (const provider of [AuthjsPasskey({}), AuthjsWebAuthn({}), AuthjsPasskey]) {
      const failure = failureOf({ providers: [authjs(provider)] })
      expect(failure?.type).to.equal('ExperimentalFeatureNotEnabled')
      expect(failure?.message).to.include('latchkey/providers/passkey')
    }
    const log = createLog()
    const options = {
      providers: [authjs(AuthjsPasskey({}))],
      experimental: { enableWebAuthn: true },
      logger: log.logger,
    }
    expect(failureOf(options)).to.equal(null)
    expect(log.warnings).to.deep.equal(['experimental-webauthn'])
  })

  it('made for Auth.js signs up and in', async () => {
    const providers = [authjs(AuthjsPasskey({}))]
    const passkeyApp = openPasskeyApp({ providers, experimental: { enableWebAuthn: true } })
    expect(errorOf(await register(passkeyApp, { email: ADDRESS }))).to.equal(null)
    expect(
      errorOf(await authenticate({ ...passkeyApp, browser: passkeyApp.testApp.browser() }, { email: ADDRESS })),
    ).to.equal(null)
    expect(errorOf(await authenticate({ ...passkeyApp, browser: passkeyApp.testApp.browser() }))).to.equal(null)
  })

  it('opens passkeys that were made under Auth.js', async () => {
    const passkeyApp = openPasskeyApp()
    await register(passkeyApp, { email: ADDRESS })
    const id = passkeyApp.device.passkey.id.toString('base64')
    const row = await passkeyApp.adapter.getAuthenticator(id)
    const user = await passkeyApp.adapter.getUserByEmail(ADDRESS)
    await passkeyApp.adapter.deleteAuthenticator(id)
    await passkeyApp.adapter.createAuthenticator({
      credentialID: id,
      providerAccountId: id,
      userId: user?.id ?? '',
      credentialPublicKey: row?.credentialPublicKey ?? '',
      counter: 0,
      credentialDeviceType: 'multiDevice',
      credentialBackedUp: true,
      transports: null,
    })
    expect(errorOf(await authenticate({ ...passkeyApp, browser: passkeyApp.testApp.browser() }))).to.equal(null)
  })

  it('takes the functions of version 9 of the library', async () => {
    const library = await import('@simplewebauthn/server')
    const seen: string[] = []
    const simpleWebAuthn = {
      generateAuthenticationOptions: (options: object) => library.generateAuthenticationOptions(options as never),
      generateRegistrationOptions: (options: object) => library.generateRegistrationOptions(options as never),
      async verifyRegistrationResponse(options: object) {
        seen.push('register')
        const { verified, registrationInfo } = await library.verifyRegistrationResponse(options as never)
        const { id, publicKey, counter } = registrationInfo?.credential ?? {}
        const credentialID = Buffer.from(id ?? '', 'base64url')
        return { verified, registrationInfo: { credentialID, credentialPublicKey: publicKey, counter } }
      },
      verifyAuthenticationResponse({ credential: _, authenticator, ...options }: Record<string, unknown>) {
        seen.push('authenticate')
        const { credentialID, credentialPublicKey, counter } = authenticator as Record<string, Uint8Array>
        const id = Buffer.from(credentialID ?? []).toString('base64url')
        const credential = { id, publicKey: credentialPublicKey, counter }
        return library.verifyAuthenticationResponse({ ...options, credential } as never)
      },
    }
    const passkeyApp = openPasskeyApp({ providers: [Passkey({ simpleWebAuthn })] })
    expect(errorOf(await register(passkeyApp, { email: ADDRESS }))).to.equal(null)
    expect(errorOf(await authenticate({ ...passkeyApp, browser: passkeyApp.testApp.browser() }))).to.equal(null)
    expect(seen).to.deep.equal(['register', 'authenticate'])
  })

  it('is refused when it cannot work', () => {
    const outcomes: [string, Partial<AuthConfig>, string, RegExp][] = [
      ['no adapter', { adapter: undefined }, 'MissingAdapter', /passkey/i],
      ['no methods', { adapter: {}, session: { strategy: 'jwt' } }, 'MissingAdapterMethods', /createAuthenticator/],
      [
        'two conditional UIs',
        { providers: [Passkey(), WebAuthn()] },
        'DuplicateConditionalUI',
        /"passkey", "webauthn"/,
      ],
      ['no field', { providers: [Passkey({ formFields: {} })] }, 'MissingWebAuthnAutocomplete', /autocomplete/],
      [
        'a version',
        { providers: [Passkey({ simpleWebAuthnBrowserVersion: '9' as never })] },
        'InvalidProvider',
        /Version/,
      ],
      [
        'no version',
        { providers: [Passkey({ simpleWebAuthnBrowserVersion: null as never })] },
        'InvalidProvider',
        /Version/,
      ],
      ['an id', { providers: [Passkey({ relayingParty: { id: 'https://x.example' } })] }, 'InvalidProvider', /domain/],
      [
        'an origin',
        { providers: [Passkey({ relayingParty: { origin: 'https://x.example/' } })] },
        'InvalidProvider',
        /slash/,
      ],
      ['functions', { providers: [Passkey({ simpleWebAuthn: {} as never })] }, 'InvalidProvider', /verifyRegistration/],
      ['a hook', { providers: [Passkey({ getUserInfo: 'x' as never })] }, 'InvalidProvider', /it must be a function/],
    ]
    for (const [what, options, type, message] of outcomes) {
      const failure = failureOf({ providers: [Passkey()], ...options })
      expect([what, failure?.type]).to.deep.equal([what, type])
      expect(failure?.message).to.match(message)
    }
  })

  it('takes any form of the version, and false', () => {
    for (const simpleWebAuthnBrowserVersion of ['v9', 'v9.0', 'v9.0.1', false] as const) {
      expect(failureOf({ providers: [Passkey({ simpleWebAuthnBrowserVersion })] })).to.equal(null)
    }
  })

  it('serves several domains, each with passkeys of its own', async () => {
    const relayingParty = { id: ['example.org', 'app.example'], origin: ['http://app.example', 'https://example.org'] }
    const { browser, testApp } = openPasskeyApp({ providers: [Passkey({ relayingParty })] })
    const asked = (await ask(browser, { email: ADDRESS })).json().options
    expect(asked.rp.id).to.equal('app.example')
    const device = new SoftAuthenticator(testApp.origin)
    expect(errorOf(await answer(browser, 'register', device.register(asked)))).to.equal(null)
  })
})
