import { inspect } from 'node:util'
import { expect } from 'chai'
import type { AuthError } from '../../lib/kernel/errors.js'
import { describeError } from '../../lib/kernel/logger.js'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { type FakeFaults, FakeProvider } from '../support/fake-provider.js'
import { CookieJar, OAuthDriver, resolved } from '../support/oauth-driver.js'

describe('an error of a sign-in', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => {
    fake.reset()
    fake.profile = { sub: 'marked-subject', email: 'marked@example.com' }
  })

  const provokes: Record<string, [FakeFaults, Partial<OIDCConfig<unknown>>?]> = {
    'the token endpoint repeats the request': [
      { token: (_answer, call) => ({ status: 400, body: { error: 'invalid_request', error_description: call.text } }) },
    ],
    'the token endpoint has the code as its error': [
      { token: (_answer, call) => ({ status: 400, body: { error: `bad ${call.body.get('code')}` } }) },
    ],
    'the token endpoint refuses the code': [
      { token: (_answer, call) => ({ status: 400, body: { error: 'invalid_grant', error_description: call.text } }) },
    ],
    'the token endpoint fails with the tokens in the body': [{ token: (answer) => ({ status: 500, body: answer }) }],
    'the token endpoint challenges with the secret': [
      {
        token: (_answer, call) => ({
          status: 401,
          headers: { 'www-authenticate': `Basic realm="${call.body.get('code')}"` },
          body: {},
        }),
      },
    ],
    'the tokens are not JSON': [{ token: (answer) => ({ body: `access_token=${answer['access_token']}` }) }],
    'the token is of another type': [{ token: (answer) => ({ body: { ...answer, token_type: 'marked-type' } }) }],
    'the ID token is for another client': [{ claims: (claims) => ({ ...claims, aud: 'another-audience' }) }],
    'the ID token has another issuer': [{ claims: (claims) => ({ ...claims, iss: 'https://another.example' }) }],
    'the ID token has another nonce': [{ claims: (claims) => ({ ...claims, nonce: 'marked-nonce' }) }],
    'the ID token is broken': [{ idToken: () => 'marked.broken.token' }],
    'userinfo repeats the token': [
      {
        userinfo: (_profile, call) => ({
          status: 401,
          headers: { 'www-authenticate': `Bearer error="${call.headers.authorization}"` },
          body: {},
        }),
      },
      { idToken: false },
    ],
    'userinfo is not JSON': [{ userinfo: () => ({ body: 'marked body' }) }, { idToken: false }],
    'userinfo is of another': [{ userinfo: () => ({ body: { sub: 'marked-other' } }) }, { idToken: false }],
    'the mapping throws with the profile': [
      {},
      {
        profile: (profile) => {
          throw new Error(`no mapping for ${JSON.stringify(profile)}`)
        },
      },
    ],
    'the answer is of another issuer': [{ answer: (params) => params.set('iss', 'https://marked.example') }],
    'the answer is an error with everything in it': [
      { answer: (params) => params.set('error', `all of ${params.get('code')} ${params.get('state')}`) },
    ],
  }
  for (const [what, [faults, more]] of Object.entries(provokes)) {
    it(`holds no secret when ${what}`, async () => {
      fake.faults = faults
      const provider = resolved({
        id: 'fake',
        name: 'Fake',
        type: 'oidc',
        issuer: fake.issuer,
        clientId: 'client',
        clientSecret: 'marked-client-secret',
        checks: ['pkce', 'state', 'nonce'],
        ...more,
      })
      const driver = new OAuthDriver({ secrets: ['marked-application-secret-of-32-bytes'] })
      const jar = new CookieJar()
      const url = await driver.start(provider, jar)
      const cookies = [...jar.cookies.values()]
      const answer = fake.authorize(url.href)
      const error = await driver.finish(provider, jar, answer).then(
        () => null,
        (thrown: AuthError) => thrown,
      )
      if (error === null) throw new Error('nothing was thrown')
      // Everything a logger could write, however deep it looks.
      const text = [
        describeError(error),
        inspect(error, { depth: 10, showHidden: true }),
        JSON.stringify(error),
        String(error.stack),
      ].join('\n')
      const verifier = fake.callsTo('/token')[0]?.body.get('code_verifier')
      const secrets = [
        'marked',
        answer.get('code'),
        answer.get('state'),
        url.searchParams.get('nonce'),
        verifier,
        ...cookies,
      ]
      for (const secret of secrets) if (secret) expect(text).not.to.include(secret)
      expect(text).to.include('fake')
    })
  }

  it('holds no secret when a pushed authorization request fails', async () => {
    fake.faults.metadata = (document) => ({
      ...document,
      pushed_authorization_request_endpoint: `${fake.issuer}/par`,
      require_pushed_authorization_requests: true,
    })
    const provider = resolved({
      id: 'fake',
      name: 'Fake',
      type: 'oidc',
      issuer: fake.issuer,
      clientId: 'client',
      clientSecret: 'marked-client-secret',
    })
    const error = await new OAuthDriver().start(provider, new CookieJar()).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('type', 'OAuthSignInError')
    expect(inspect(error, { depth: 10 })).not.to.include('marked')
  })
})
