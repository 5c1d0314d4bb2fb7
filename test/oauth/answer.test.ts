import { expect } from 'chai'
import { checkIssuerParameter } from '../../lib/oauth/issuer.js'
import type { ResolvedOAuthProvider } from '../../lib/providers/provider.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

describe('the answer of a provider', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  const oidc = () =>
    resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'secret',
      checks: ['pkce', 'state'],
    })
  const plain = (more: object = {}) =>
    resolved({
      id: 'plain',
      name: 'Plain',
      type: 'oauth',
      authorization: `${fake.issuer}/authorize`,
      token: `${fake.issuer}/token`,
      userinfo: `${fake.issuer}/userinfo`,
      clientId: 'client',
      clientSecret: 'secret',
      ...more,
    })

  const finishWith = async (provider: ReturnType<typeof oidc>, change: (params: URLSearchParams) => void) => {
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const answer = fake.authorize((await driver.start(provider, jar)).href)
    change(answer)
    return driver.finish(provider, jar, answer)
  }
  const neverRedeemed = () => expect(fake.callsTo('/token')).to.deep.equal([])

  for (const name of ['code', 'iss', 'error'] as const) {
    it(`is refused with two ${name} parameters`, async () => {
      await failure(
        finishWith(oidc(), (params) => {
          params.append(name, 'one')
          params.append(name, 'two')
        }),
        'OAuthCallbackError',
        new RegExp(`several ${name} parameters`),
      )
      neverRedeemed()
    })
  }

  it('is refused with two state parameters', async () => {
    await failure(
      finishWith(oidc(), (params) => params.append('state', params.get('state') ?? '')),
      'InvalidCheck',
      /several state/,
    )
    neverRedeemed()
  })

  for (const code of [null, '']) {
    it(`is refused with ${code === null ? 'no' : 'an empty'} code`, async () => {
      await failure(
        finishWith(oidc(), (params) => (code === null ? params.delete('code') : params.set('code', code))),
        'OAuthCallbackError',
        /neither a code nor an error/,
      )
      neverRedeemed()
    })
  }

  it('is refused as a JWT (JARM)', async () => {
    await failure(
      finishWith(oidc(), (params) => params.set('response', 'a.b.c')),
      'OAuthCallbackError',
      /JARM/,
    )
    neverRedeemed()
  })

  it('OIDC-21: with an error ends the sign-in, and the log has its description in quotation marks', async () => {
    const { message } = await failure(
      finishWith(oidc(), (params) => {
        params.delete('code')
        params.set('error', 'access_denied')
        params.set('error_description', 'no "thanks"\n[latchkey][error] forged')
      }),
      'OAuthCallbackError',
      /"access_denied"/,
    )
    expect(message).to.equal(
      'Provider "fake" answered, through the visitor\'s browser, with the error "access_denied", and says: "no \\"thanks\\"\\n[latchkey][error] forged".',
    )
  })

  it('with an invalid_scope names the configured scope', async () => {
    const error = await failure(
      finishWith(oidc(), (params) => {
        params.delete('code')
        params.set('error', 'invalid_scope')
      }),
      'CallbackRouteError',
      /"invalid_scope"/,
    )
    expect(error.message).to.include('The configured scope is "openid profile email".')
  })

  it('with an error that is no code has it as the description', async () => {
    const { message } = await failure(
      finishWith(oidc(), (params) => params.set('error', 'The request has expired')),
      'OAuthCallbackError',
    )
    expect(message).to.include('an error that has no code, and says: "The request has expired"')
  })

  it('with an error and a wrong state belongs to no sign-in', async () => {
    await failure(
      finishWith(oidc(), (params) => {
        params.set('error', 'access_denied')
        params.set('state', 'made-up')
      }),
      'InvalidCheck',
    )
  })

  it('with a code that the provider then refuses is the provider saying no', async () => {
    await failure(
      finishWith(oidc(), (params) => params.set('code', 'unknown')),
      'OAuthCallbackError',
      /invalid_grant/,
    )
  })

  describe('iss (RFC 9207)', () => {
    it('ISS-01: another issuer stops the flow before the token call', async () => {
      await failure(
        finishWith(oidc(), (params) => params.set('iss', 'https://other.example')),
        'OAuthCallbackError',
        /another issuer/,
      )
      neverRedeemed()
    })

    it('ISS-01: compares letter by letter', async () => {
      await failure(
        finishWith(oidc(), (params) => params.set('iss', `${fake.issuer}/`)),
        'OAuthCallbackError',
      )
      await failure(
        finishWith(oidc(), (params) => params.set('iss', '')),
        'OAuthCallbackError',
      )
    })

    it('ISS-02: is demanded where the metadata promises it', async () => {
      fake.faults.metadata = (document) => ({ ...document, authorization_response_iss_parameter_supported: true })
      identityOf(await finishWith(oidc(), () => {}))
      await failure(
        finishWith(oidc(), (params) => params.delete('iss')),
        'OAuthCallbackError',
        /no iss parameter/,
      )
    })

    it('ISS-03: may be absent where it is not promised', async () => {
      identityOf(await finishWith(oidc(), (params) => params.delete('iss')))
    })

    it('ISS-03: plain OAuth with a configured issuer compares it', async () => {
      const provider = plain({ issuer: `${fake.issuer}/login/oauth` })
      identityOf(await finishWith(provider, (params) => params.set('iss', `${fake.issuer}/login/oauth`)))
      identityOf(await finishWith(provider, (params) => params.delete('iss')))
      await failure(
        finishWith(provider, (params) => params.set('iss', 'https://other.example')),
        'OAuthCallbackError',
      )
    })

    it('ISS-03: plain OAuth without an issuer ignores it', async () => {
      identityOf(await finishWith(plain(), (params) => params.set('iss', 'https://whatever.example')))
    })

    it('ISS-04: error answers are checked the same way', async () => {
      await failure(
        finishWith(oidc(), (params) => {
          params.set('error', 'access_denied')
          params.set('iss', 'https://other.example')
        }),
        'OAuthCallbackError',
        /another issuer/,
      )
    })
  })

  it('arriving at another mount than the sign-in began at is refused', async () => {
    const jar = new CookieJar()
    const url = await new OAuthDriver().start(oidc(), jar)
    const elsewhere = new OAuthDriver({ mountUrl: 'https://app.example/other' })
    await failure(elsewhere.finish(oidc(), jar, fake.authorize(url.href)), 'InvalidCheck', /another address/)
    neverRedeemed()
  })
})

describe('the iss parameter of an issuer with many tenants', () => {
  const template = 'https://login.example/{tenantid}/v2.0'
  const tenant = '7f3c1a52-9d0e-4b8a-a6c4-2e5d18f0b9c7'
  const provider = { id: 'shared' } as ResolvedOAuthProvider

  it('must be the issuer of one of them', () => {
    const check = (received: string | null) =>
      checkIssuerParameter(provider, received, { issuer: template, isPromised: false })
    check(null)
    check(`https://login.example/${tenant}/v2.0`)
    for (const received of [
      template,
      'https://login.example/common/v2.0',
      `https://evil.example/${tenant}/v2.0`,
      `https://login.example/${tenant}/v2.0/`,
      '',
    ]) {
      expect(() => check(received), received).to.throw(/another issuer/)
    }
  })
})
