import { expect } from 'chai'
import { CompactEncrypt, exportJWK, generateKeyPair } from 'jose'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { TokenSet } from '../../../lib/providers/provider.js'
import { FakeProvider, fakeKey, signWith } from '../../support/fake-provider.js'
import { accessTokenOf, MARK, openTokenApp, RefreshingProvider, signInAt } from '../../support/refreshing-provider.js'
import { newPerson, oauth } from '../../support/sign-ins.js'

/** A refresh needs no visitor. So whatever the sign-in checks of the answer, the refresh must check as well. */
describe('OAUTH-14: the answer to a refresh is checked like that of the sign-in', () => {
  let idp: FakeProvider
  let provider: RefreshingProvider
  before(async () => {
    idp = await FakeProvider.start()
  })
  beforeEach(() => {
    idp.reset()
    provider = new RefreshingProvider(idp)
  })
  after(() => idp.stop())

  /** A browser whose access token has expired, at a provider with more options. */
  const expired = async (options: object) => {
    const store = memoryAdapter()
    const app = openTokenApp(provider, store, { providers: [oauth(idp, 'oidc', options)] })
    const person = newPerson()
    const browser = await signInAt(app, provider, person)
    app.clock.advance(3600)
    const stored = async () => {
      const { tokenLease: _, ...row } = { ...(await store.getAccount(person.sub, 'oidc')) }
      return row
    }
    return { app, browser, log: app.log, stored, ask: () => accessTokenOf(app, browser) }
  }

  describe('DPoP', () => {
    const openBound = async () => {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      provider.onSignIn = (answer) => ({ ...answer, token_type: 'DPoP' })
      return expired({ dpop: { key: await exportJWK(privateKey) } })
    }

    it('proves the key at each refresh, and gives the bound token out', async () => {
      const { ask } = await openBound()
      let proof: unknown
      provider.onRefresh = (answer, { headers }) => {
        proof = headers['dpop']
        return { body: { ...answer, token_type: 'DPoP' } }
      }
      expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-2`, tokenType: 'dpop' })
      expect(proof).to.be.a('string')
    })

    it('refuses a token that is not bound: it is not stored, and not given out', async () => {
      const { ask, stored, log } = await openBound()
      const before = await stored()
      provider.onRefresh = (answer) => ({ body: { ...answer, token_type: 'Bearer' } })
      expect(await ask()).to.deep.equal({ status: 'unavailable' })
      expect(await stored()).to.deep.equal(before)
      expect(log.errors[0]?.message).to.include('not bound to the key')
      expect(log.errors.map(({ stack }) => stack).join()).not.to.include(MARK)
    })
  })

  describe('an encrypted ID token', () => {
    const openEncrypted = async () => {
      const { privateKey, publicKey } = await generateKeyPair('RSA-OAEP-256', { extractable: true })
      const encrypted = async (claims: object) =>
        new CompactEncrypt(new TextEncoder().encode(await signWith(await fakeKey('key-1'), { ...claims })))
          .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM' })
          .encrypt(publicKey)
      const client = { id_token_encrypted_response_alg: 'RSA-OAEP-256', id_token_encrypted_response_enc: 'A256GCM' }
      const key = { ...(await exportJWK(privateKey)), alg: 'RSA-OAEP-256' }
      const { play } = provider
      provider.play = (...args) => {
        play.apply(provider, args)
        idp.faults.idToken = encrypted
      }
      return expired({ client, decryptionKeys: key })
    }

    it('is decrypted and verified', async () => {
      const { ask } = await openEncrypted()
      expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
    })

    it('is refused if it is of somebody else', async () => {
      const { ask, log } = await openEncrypted()
      const { claims } = idp.faults
      idp.faults.claims = (usual) => ({ ...claims?.(usual), sub: 'somebody-else' })
      expect(await ask()).to.deep.equal({ status: 'unavailable' })
      expect(log.errors[0]?.message).to.include('is of another person, issuer or client (sub)')
    })

    it('is left out if it comes without the encryption, and the other tokens are kept', async () => {
      const { ask, stored, log } = await openEncrypted()
      const { id_token } = await stored()
      idp.faults.idToken = async (claims) => signWith(await fakeKey('key-1'), claims)
      expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
      expect((await stored()).id_token).to.equal(id_token)
      expect(log.errors[0]?.message).to.include('not encrypted')
    })
  })

  describe('a required way to sign in', () => {
    const withAcr = (acr: string | undefined) => {
      const { claims } = idp.faults
      idp.faults.claims = (usual) => ({ ...claims?.(usual), ...(acr !== undefined && { acr }) })
    }
    const openWithAcr = async () => {
      const { play } = provider
      provider.play = (...args) => {
        play.apply(provider, args)
        withAcr('two-factors')
      }
      const opened = await expired({ requireAcr: ['two-factors'] })
      play.call(provider, opened.app, { sub: idp.profile['sub'] as string, email: null, name: 'Ada' })
      return opened
    }

    it('need not be named again (OpenID Connect Core 1.0 §12.2)', async () => {
      const { ask } = await openWithAcr()
      expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
    })

    it('is checked where it is named: an ID token with another one is left out', async () => {
      const { ask, stored, log } = await openWithAcr()
      const { id_token } = await stored()
      withAcr('password')
      expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
      expect((await stored()).id_token).to.equal(id_token)
      expect(log.errors[0]?.message).to.include('acr')
    })
  })

  it('does not lose the new refresh token when `account()` of the provider throws', async () => {
    // At a refresh, many providers send no ID token.
    const account = ({ access_token, refresh_token, expires_at, id_token }: TokenSet) => {
      if (id_token === undefined) throw new TypeError('there is no ID token')
      return { access_token, refresh_token, expires_at }
    }
    const { app, ask, stored, log } = await expired({ account })
    provider.onRefresh = ({ id_token: _, ...answer }) => ({ body: answer })
    for (const count of [2, 3]) {
      expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-${count}` })
      app.clock.advance(3600)
    }
    expect(provider.used).to.deep.equal([`${MARK}-refresh-1`, `${MARK}-refresh-2`])
    expect(log.errors[0]?.message).to.include('account() of the provider threw')
    expect(log.errors.map(({ stack }) => stack).join()).not.to.include(MARK)
    expect(await stored(), 'nothing that was not stored before').not.to.have.any.keys('scope', 'id_token')
  })
})
