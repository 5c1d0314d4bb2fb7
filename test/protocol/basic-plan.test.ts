import { FakeProvider, fakeKey, signWith } from '../support/fake-provider.js'
import { basicModules, RelyingParty } from '../support/oidc-basic-modules.js'

describe('oidcc-client-basic-certification-test-plan', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())

  basicModules(() => fake)

  describe('modules of oidcc-client-test-plan beyond it', () => {
    it('oidcc-client-test-missing-aud: refuses an ID token without aud', async () => {
      fake.faults.claims = ({ aud: _, ...claims }) => claims
      await new RelyingParty(fake).refuses(/"aud" claim/)
    })

    it('oidcc-client-test-invalid-sig-es256: refuses a wrong ES256 signature', async () => {
      const published = await fakeKey('ec-1', 'ES256')
      const other = await fakeKey('ec-2', 'ES256')
      fake.keys = [published]
      fake.faults.metadata = (document) => ({ ...document, id_token_signing_alg_values_supported: ['ES256'] })
      await new RelyingParty(fake).accepts()
      fake.faults.idToken = async (claims) => signWith({ ...other, jwk: published.jwk }, claims)
      await new RelyingParty(fake).refuses(/signature/)
    })

    it('oidcc-client-test-invalid-sig-hs256: refuses HS256 with another secret', async () => {
      const { SignJWT } = await import('jose')
      const sign = (secret: string) => (claims: object) =>
        new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret))
      const party = new RelyingParty(fake, { client: { id_token_signed_response_alg: 'HS256' } })
      fake.faults.idToken = sign('marked-client-secret')
      await party.accepts()
      fake.faults.idToken = sign('another-secret')
      await party.refuses(/signature/)
    })

    it('oidcc-client-test-userinfo-signed: verifies the signature of a signed userinfo answer', async () => {
      const [key] = fake.keys
      const other = await fakeKey('key-2')
      if (!key) throw new Error('no key')
      const party = new RelyingParty(fake, { idToken: false, client: { userinfo_signed_response_alg: 'RS256' } })
      const claims = { sub: 'person-1', iss: fake.issuer, aud: 'client' }
      const good = await signWith(key, claims)
      const forged = await signWith({ ...other, jwk: key.jwk }, claims)
      fake.faults.userinfo = () => ({ headers: { 'content-type': 'application/jwt' }, body: good })
      await party.accepts()
      fake.faults.userinfo = () => ({ headers: { 'content-type': 'application/jwt' }, body: forged })
      await party.refuses(/signature/)
    })
  })
})
