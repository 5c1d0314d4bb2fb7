import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { base64url, CompactEncrypt, SignJWT } from 'jose'
import { FakeProvider, fakeKey, signWith } from '../../support/fake-provider.js'
import { whoIs } from '../../support/test-app.js'
import { LOGOUT_EVENT, logoutClaims, logoutToken, openLogoutApp, sendLogout } from './logout-app.js'

const seconds = () => Math.floor(Date.now() / 1000)
const unsigned = (header: object, claims: object, signature = '') =>
  `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(claims))}.${signature}`

/** Tokens that must be refused, and what the log says of each. */
const MALFORMED: readonly (readonly [name: string, make: (fake: FakeProvider) => unknown, reason: RegExp])[] = [
  ['no token at all', () => undefined, /has no logout_token/],
  ['an empty token', () => '', /has no logout_token/],
  ['a text that is no JWT', () => 'not-a-token', /refused/],
  ['two parts', () => 'e30.e30', /refused/],
  [
    'oidcc-client-test-rp-backchannel-rpinitlogout-alg-none: alg none',
    (fake) => unsigned({ alg: 'none', typ: 'logout+jwt' }, logoutClaims(fake)),
    /alg|signature/i,
  ],
  [
    'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg: HS256 with the client secret, which is not configured',
    (fake) =>
      new SignJWT(logoutClaims(fake))
        .setProtectedHeader({ alg: 'HS256', typ: 'logout+jwt' })
        .sign(new TextEncoder().encode('marked-client-secret')),
    /alg/,
  ],
  [
    'an algorithm that the provider does not announce',
    async (fake) => signWith(await fakeKey('ec-1', 'ES256'), logoutClaims(fake)),
    /alg/,
  ],
  [
    'a signature of another key',
    async (fake) => {
      const [published] = fake.keys
      const other = await fakeKey('key-2')
      return signWith({ ...other, jwk: published?.jwk ?? {} }, logoutClaims(fake))
    },
    /signature/,
  ],
  [
    'a key that the header brings along',
    async (fake) => {
      const other = await fakeKey('key-2')
      return signWith({ ...other, jwk: { kid: 'key-2' } }, logoutClaims(fake), { jwk: other.jwk })
    },
    /key/,
  ],
  ['a changed signature', async (fake) => `${(await logoutToken(fake)).slice(0, -8)}AAAAAAAA`, /signature/],
  [
    'an encrypted token',
    async (fake) =>
      new CompactEncrypt(new TextEncoder().encode(await logoutToken(fake)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .encrypt(new Uint8Array(32)),
    /it is encrypted/,
  ],
  [
    'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss: another issuer',
    (fake) => logoutToken(fake, { iss: `${fake.issuer}/other` }),
    /iss/,
  ],
  ['no issuer', (fake) => logoutToken(fake, { iss: undefined }), /iss/],
  [
    'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud: another client',
    (fake) => logoutToken(fake, { aud: 'other' }),
    /aud/,
  ],
  ['no audience', (fake) => logoutToken(fake, { aud: undefined }), /aud/],
  [
    'an audience beside this client',
    (fake) => logoutToken(fake, { aud: ['client', 'other'] }),
    /aud names other clients/,
  ],
  ['no iat', (fake) => logoutToken(fake, { iat: undefined }), /iat/],
  ['an iat of two hours ago', (fake) => logoutToken(fake, { iat: seconds() - 7200 }), /iat/],
  ['an iat in ten minutes', (fake) => logoutToken(fake, { iat: seconds() + 600, exp: seconds() + 900 }), /iat/],
  ['an iat that is a text', (fake) => logoutToken(fake, { iat: 'now' }), /iat/],
  [
    'no exp and an iat of ten minutes ago',
    (fake) => logoutToken(fake, { iat: seconds() - 600, exp: undefined }),
    /exp/,
  ],
  ['an exp that is over', (fake) => logoutToken(fake, { iat: seconds() - 600, exp: seconds() - 300 }), /exp/],
  ['an nbf in the future', (fake) => logoutToken(fake, { nbf: seconds() + 600 }), /nbf/],
  ['no jti', (fake) => logoutToken(fake, { jti: undefined }), /jti/],
  ['a jti that is a number', (fake) => logoutToken(fake, { jti: 1 }), /jti/],
  ['an empty jti', (fake) => logoutToken(fake, { jti: '' }), /jti/],
  ['neither sub nor sid', (fake) => logoutToken(fake, { sid: undefined }), /neither sub nor sid/],
  ['a sid that is a list', (fake) => logoutToken(fake, { sid: ['session-1'] }), /sid/],
  ['an empty sid', (fake) => logoutToken(fake, { sid: '' }), /sid/],
  ['a sid of 256 characters', (fake) => logoutToken(fake, { sid: 'x'.repeat(256) }), /sid/],
  ['a sub that is a number', (fake) => logoutToken(fake, { sub: 1 }), /sub/],
  ['a sub of 256 characters', (fake) => logoutToken(fake, { sub: 'x'.repeat(256) }), /sub/],
  [
    'oidcc-client-test-rp-backchannel-rpinitlogout-no-event: no events',
    (fake) => logoutToken(fake, { events: undefined }),
    /events/,
  ],
  [
    'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event: another event',
    (fake) => logoutToken(fake, { events: { 'https://example.com/event': {} } }),
    /events has no logout event/,
  ],
  ['events that are a list', (fake) => logoutToken(fake, { events: [LOGOUT_EVENT] }), /events is not an object/],
  ['events that are a text', (fake) => logoutToken(fake, { events: LOGOUT_EVENT }), /events is not an object/],
  ['an event that is a text', (fake) => logoutToken(fake, { events: { [LOGOUT_EVENT]: 'yes' } }), /is not an object/],
  ['an event that is null', (fake) => logoutToken(fake, { events: { [LOGOUT_EVENT]: null } }), /is not an object/],
  ['an event that is a list', (fake) => logoutToken(fake, { events: { [LOGOUT_EVENT]: [] } }), /is not an object/],
  [
    'oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce: a nonce',
    (fake) => logoutToken(fake, { nonce: randomUUID() }),
    /nonce/,
  ],
  ['a nonce that is null', (fake) => logoutToken(fake, { nonce: null }), /nonce/],
  ['the type of an access token', (fake) => logoutToken(fake, {}, { typ: 'at+jwt' }), /typ/],
  ['the type of another security event', (fake) => logoutToken(fake, {}, { typ: 'secevent+jwt' }), /typ/],
  [
    'an ID token of the person',
    (fake) => logoutToken(fake, { events: undefined, jti: undefined, sub: 'person-1' }, {}),
    /events|jti/,
  ],
]

describe('oidcc-client-back-channel-logout-rp-basic', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  describe('LOGOUT-05, LOGOUT-06: refuses with 400, and nobody is signed out', () => {
    let app: ReturnType<typeof openLogoutApp>
    let ada: Awaited<ReturnType<typeof app.signInAt>>
    before(async () => {
      app = openLogoutApp(fake)
      ada = await app.signInAt('session-1')
    })

    for (const [name, make, reason] of MALFORMED) {
      it(name, async () => {
        const token = await make(fake)
        app.log.errors.length = 0
        const fields: Record<string, string> = token === undefined ? {} : { logout_token: String(token) }
        const answer = await app.browser().post('/auth/backchannel-logout/op', fields)
        expect(answer.status).to.equal(400)
        expect(answer.json().error).to.equal('invalid_request')
        expect(app.log.errors.map(({ name }) => name)).to.deep.equal(['LogoutTokenError'])
        expect(app.log.errors[0]?.message).to.match(reason)
        if (typeof token === 'string' && token.length > 20) expect(app.log.errors[0]?.message).not.to.include(token)
        expect(await whoIs(ada)).to.equal('ada@example.com')
      })
    }

    it('has at least 30 such tokens, and the same token without a fault signs out', async () => {
      expect(MALFORMED.length).to.be.at.least(30)
      expect((await sendLogout(app, await logoutToken(fake))).status).to.equal(200)
      expect(await ada.session()).to.equal(null)
    })
  })

  it('oidcc-client-test-rp-backchannel-rpinitlogout: accepts a good logout token', async () => {
    for (const header of [{ typ: 'logout+jwt' }, { typ: 'application/LOGOUT+JWT' }, { typ: 'JWT' }, {}]) {
      const app = openLogoutApp(fake)
      const ada = await app.signInAt('session-1')
      expect((await sendLogout(app, await logoutToken(fake, {}, header))).status).to.equal(200)
      expect(await ada.session()).to.equal(null)
    }
  })

  it('accepts HS256 where it is configured, and then nothing else', async () => {
    const hs256 = (secret: string) =>
      new SignJWT(logoutClaims(fake)).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret))
    const app = openLogoutApp(fake, 'database sessions', {
      provider: { client: { id_token_signed_response_alg: 'HS256' } },
    })
    expect((await sendLogout(app, await hs256('marked-client-secret'))).status).to.equal(200)
    expect((await sendLogout(app, await hs256('another-client-secret'))).status).to.equal(400)
    expect((await sendLogout(app, await logoutToken(fake))).status).to.equal(400)
  })

  it('accepts another audience that the configuration trusts', async () => {
    const app = openLogoutApp(fake, 'database sessions', { provider: { trustedAudiences: ['gateway'] } })
    expect((await sendLogout(app, await logoutToken(fake, { aud: ['client', 'gateway'] }))).status).to.equal(200)
  })
})
