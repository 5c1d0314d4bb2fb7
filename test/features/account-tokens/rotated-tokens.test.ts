import { expect } from 'chai'
import { SignJWT } from 'jose'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { type AuthConfig, customFetch } from '../../../lib/index.js'
import { standardClaims } from '../../../lib/providers/profile-mapping.js'
import type { TokenSet } from '../../../lib/providers/provider.js'
import { FakeProvider, fakeKey, signWith } from '../../support/fake-provider.js'
import { accessTokenOf, MARK, openTokenApp, RefreshingProvider, signInAt } from '../../support/refreshing-provider.js'
import { newPerson, oauth } from '../../support/sign-ins.js'
import { watched } from '../../support/stores.js'
import { aMoment, hurryTimers } from '../../support/timers.js'

/** A provider that ends a refresh token at its use takes a second use for theft: what it gave in exchange must not get lost. */
describe('OAUTH-15: a rotated refresh token is not lost', () => {
  let idp: FakeProvider
  let provider: RefreshingProvider
  let takeTime = () => {}
  before(async () => {
    idp = await FakeProvider.start()
  })
  afterEach(() => takeTime())
  beforeEach(async () => {
    idp.reset()
    idp.keys = [await fakeKey('key-1')]
    provider = new RefreshingProvider(idp)
  })
  after(() => idp.stop())

  const REVOKING = {
    [customFetch]: async (input: string | URL | Request, init?: RequestInit) => {
      const answer = await fetch(input, init)
      if (!String(input).includes('openid-configuration')) return answer
      return Response.json({ ...((await answer.json()) as object), revocation_endpoint: `${idp.issuer}/revoke` })
    },
  }

  /** A browser whose access token has expired. */
  const expired = async (adapter: Adapter = memoryAdapter(), options: object = {}, more: Partial<AuthConfig> = {}) => {
    const app = openTokenApp(provider, adapter, { providers: [oauth(idp, 'oidc', options)], ...more })
    const person = newPerson()
    const browser = await signInAt(app, provider, person)
    app.clock.advance(3600)
    const row = async () => (await adapter.getAccount?.(person.sub, 'oidc')) ?? undefined
    /** The tokens that were kept work: the next refresh is made with them. */
    const refreshesAgain = async () => {
      idp.faults.idToken = undefined as never
      idp.faults.jwks = undefined as never
      provider.play(app, person)
      app.clock.advance(3600)
      return accessTokenOf(app, browser)
    }
    return { app, browser, person, log: app.log, row, ask: () => accessTokenOf(app, browser), refreshesAgain }
  }
  const expectNoTokenIn = (log: { readonly errors: readonly Error[] }) =>
    expect(log.errors.map(({ stack, cause }) => `${stack} ${String(cause)}`).join()).not.to.include(MARK)

  describe('where the new ID token cannot be verified', () => {
    const faults: Record<string, () => void> = {
      'the keys answer 503': () => {
        idp.faults.jwks = () => ({ status: 503, body: '' })
        idp.faults.idToken = async (claims) => signWith(await fakeKey('key-2'), claims)
      },
      'the keys lack the new one': () => {
        idp.faults.idToken = async (claims) => signWith(await fakeKey('key-2'), claims)
      },
      'the algorithm has changed': () => {
        idp.faults.idToken = async (claims) => signWith(await fakeKey('key-es', 'ES256'), claims)
      },
      'its end has passed': () => {
        const { claims } = idp.faults
        idp.faults.claims = (usual) => ({ ...claims?.(usual), exp: 1 })
      },
      'it is no JWT': () => {
        idp.faults.idToken = () => 'not-a-token'
      },
      'it is for audiences that are not trusted': () => {
        const { claims } = idp.faults
        idp.faults.claims = (usual) => ({ ...claims?.(usual), aud: ['client', 'another-client'], azp: 'client' })
      },
      'it names nobody': () => {
        const { claims } = idp.faults
        idp.faults.claims = (usual) => {
          const { sub: _, aud: __, ...others } = { ...claims?.(usual) }
          return others
        }
      },
      'it is unsigned': () => {
        idp.faults.idToken = (claims) =>
          `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`
      },
      'it is signed by HMAC with the public key': () => {
        const secret = new TextEncoder().encode(JSON.stringify(idp.keys[0]?.jwk))
        idp.faults.idToken = (claims) =>
          new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'key-1' }).sign(secret)
      },
    }
    for (const [why, begin] of Object.entries(faults)) {
      it(`because ${why}: the other tokens are kept, and the ID token of before stays`, async () => {
        const { ask, row, log, refreshesAgain } = await expired()
        const before = await row()
        begin()
        expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
        expect((await row())?.id_token).to.equal(before?.id_token)
        expect(log.errors.map(({ name }) => name)).to.deep.equal(['AccountTokenError'])
        expect(log.errors[0]?.message).to.include('a new ID token is left out')
        expect(log.errors[0]?.message.match(/Provider "/g)).to.have.length(1)
        expectNoTokenIn(log)
        expect(await refreshesAgain()).to.include({ status: 'ok', accessToken: `${MARK}-access-3` })
        expect(provider.used).to.deep.equal([`${MARK}-refresh-1`, `${MARK}-refresh-2`])
      })
    }

    it('because the keys do not come: nobody waits for them for long', async () => {
      const { ask } = await expired()
      takeTime = hurryTimers(5000)
      idp.faults.idToken = async (claims) => signWith(await fakeKey('key-2'), claims)
      idp.faults.jwks = (keys) => ({ body: { keys }, delayMs: 9000 })
      const begun = performance.now()
      expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
      expect(performance.now() - begun).to.be.below(4000)
    })
  })

  describe('but OIDC-20: tokens of somebody else are', () => {
    for (const [name, more] of Object.entries({
      'the default profile()': {},
      'that of an entry': { profile: standardClaims },
    }))
      it(`where no ID token is stored, with ${name}`, async () => {
        const account = ({ id_token: _, ...tokens }: TokenSet) => tokens
        const { ask, row, log } = await expired(memoryAdapter(), { account, ...more })
        const { tokenLease: _, ...before } = { ...(await row()) }
        expect(before).not.to.have.property('id_token')
        const { claims } = idp.faults
        idp.faults.claims = (usual) => ({ ...claims?.(usual), sub: 'somebody-else' })
        expect(await ask()).to.deep.equal({ status: 'unavailable' })
        const { tokenLease: __, ...after } = { ...(await row()) }
        expect(after).to.deep.equal(before)
        expect(log.errors[0]?.message).to.include('is of another person, issuer or client (sub)')
      })

    it('by a list of subjects in which the person is', async () => {
      const { ask, person, log } = await expired()
      const { claims } = idp.faults
      idp.faults.claims = (usual) => ({ ...claims?.(usual), sub: ['somebody-else', person.sub] as never })
      idp.faults.idToken = async (payload) => signWith(await fakeKey('key-2'), payload)
      expect(await ask()).to.deep.equal({ status: 'unavailable' })
      expect(log.errors[0]?.message).to.include('is of another person, issuer or client (sub)')
    })

    const others = { sub: 'somebody-else', iss: 'https://evil.example', aud: 'another-client', azp: 'another-client' }
    for (const [name, value] of Object.entries(others)) {
      it(`by another ${name} in an ID token whose signature cannot be verified now`, async () => {
        const { ask, row, log } = await expired()
        const { tokenLease: _, ...before } = { ...(await row()) }
        const { claims } = idp.faults
        idp.faults.claims = (usual) => ({ ...claims?.(usual), [name]: value })
        idp.faults.idToken = async (payload) => signWith(await fakeKey('key-2'), payload)
        idp.faults.jwks = () => ({ status: 503, body: '' })
        expect(await ask()).to.deep.equal({ status: 'unavailable' })
        const { tokenLease: __, ...after } = { ...(await row()) }
        expect(after).to.deep.equal(before)
        expect(log.errors[0]?.message).to.equal(
          `Provider "oidc": tokens could not be refreshed: its new ID token is of another person, issuer or client (${name}).`,
        )
        expectNoTokenIn(log)
      })
    }
  })

  describe('where the store is down for longer than one call waits', () => {
    beforeEach(() => {
      takeTime = hurryTimers()
    })

    const failing = () => {
      const store = memoryAdapter()
      const state = { isDown: false, writes: 0 }
      const guarded =
        (method: 'updateAccount' | 'getAccount' | 'listAccountsByUserId') =>
        (...args: never[]) => {
          if (state.isDown) throw new Error('down')
          if (method === 'updateAccount') state.writes += 1
          return (store[method] as (...args: never[]) => unknown)(...args)
        }
      const { adapter } = watched(store, {
        updateAccount: guarded('updateAccount') as never,
        getAccount: guarded('getAccount') as never,
        listAccountsByUserId: guarded('listAccountsByUserId') as never,
      })
      provider.onRefresh = () => {
        state.isDown = true
        provider.onRefresh = () => undefined
        return undefined
      }
      return { adapter, state, store }
    }

    it('the next call stores the kept tokens first, and then gives them out', async () => {
      const { adapter, state } = failing()
      const { ask, log } = await expired(adapter)
      expect(await ask()).to.deep.equal({ status: 'unavailable' })
      expectNoTokenIn(log)
      state.isDown = false
      expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
      expect(provider.used).to.deep.equal([`${MARK}-refresh-1`])
    })

    it('they are stored in the background, for the other processes', async () => {
      const { adapter, state } = failing()
      const { ask, app, browser } = await expired(adapter)
      expect(await ask()).to.deep.equal({ status: 'unavailable' })
      state.isDown = false
      await aMoment()
      const other = openTokenApp(provider, adapter)
      other.clock.ms = app.clock.ms
      expect(await accessTokenOf(other, browser)).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
      expect(provider.used).to.deep.equal([`${MARK}-refresh-1`])
    })

    it('they are not stored over the tokens of a sign-in that came meanwhile', async () => {
      const { adapter, state } = failing()
      const { ask, app, person } = await expired(adapter)
      expect(await ask()).to.deep.equal({ status: 'unavailable' })
      state.isDown = false
      await signInAt(app, provider, person)
      await aMoment()
      expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-3` })
    })

    it('a sign-out that revokes: they are revoked, though the row never had them', async () => {
      const { adapter, state } = failing()
      const { ask, browser } = await expired(adapter, REVOKING, { accountTokens: { revokeAtSignOut: true } })
      expect(await ask()).to.deep.equal({ status: 'unavailable' })
      state.isDown = false
      await browser.signOut()
      await aMoment()
      expect(idp.callsTo('/revoke').map(({ body }) => body.get('token'))).to.include(`${MARK}-refresh-2`)
    })

    it('they are revoked after the account was removed', async () => {
      const { adapter, state, store } = failing()
      const { ask, person } = await expired(adapter, REVOKING)
      expect(await ask()).to.deep.equal({ status: 'unavailable' })
      state.isDown = false
      await store.unlinkAccount({ provider: 'oidc', providerAccountId: person.sub })
      await aMoment()
      expect(idp.callsTo('/revoke').map(({ body }) => body.get('token'))).to.include(`${MARK}-refresh-2`)
    })

    it('they are not stored after a sign-out has dropped the refresh token', async () => {
      const { adapter, state, store } = failing()
      const { ask, person, row } = await expired(adapter)
      expect(await ask()).to.deep.equal({ status: 'unavailable' })
      state.isDown = false
      await store.updateAccount(
        { provider: 'oidc', providerAccountId: person.sub },
        { refresh_token: null, tokenLease: null },
      )
      await aMoment()
      expect((await row())?.refresh_token ?? null).to.equal(null)
    })
  })

  it('where a sign-out that revokes comes while the provider is asked: what it answers is revoked as well', async () => {
    const { ask, browser } = await expired(memoryAdapter(), REVOKING, { accountTokens: { revokeAtSignOut: true } })
    let signedOut: Promise<unknown> = Promise.resolve()
    provider.onRefresh = (answer) => {
      signedOut = browser.signOut().then(() => {
        takeTime = hurryTimers()
      })
      return { body: answer, delayMs: 300 }
    }
    expect(await ask()).to.include({ status: 'reauthorize' })
    await signedOut
    await aMoment()
    expect(idp.callsTo('/revoke').map(({ body }) => body.get('token'))).to.include(`${MARK}-refresh-2`)
  })

  it('where `account()` of the provider gives nothing without an ID token', async () => {
    const account = (tokens: TokenSet) => (tokens.id_token === undefined ? undefined : tokens)
    const { ask, row, app } = await expired(memoryAdapter(), { account })
    const before = await row()
    idp.faults.idToken = async (claims) => signWith(await fakeKey('key-2'), claims)
    await ask()
    expect((await row())?.refresh_token).not.to.equal(before?.refresh_token)
    app.clock.advance(3600)
    await ask()
    expect(provider.used.slice(0, 2)).to.deep.equal([`${MARK}-refresh-1`, `${MARK}-refresh-2`])
  })

  it('where another process has taken the lease over: the newer refresh token replaces the used one', async () => {
    const store = memoryAdapter()
    const { ask, person } = await expired(store)
    const key = { provider: 'oidc', providerAccountId: person.sub }
    provider.onRefresh = () => {
      void store.updateAccount(key, { tokenLease: 'the lease of another process' })
      return undefined
    }
    expect(await ask()).to.include({ status: 'ok', accessToken: `${MARK}-access-2` })
    expect(provider.used).to.deep.equal([`${MARK}-refresh-1`])
  })
})

describe('a refresh that is refused in other words than invalid_grant', () => {
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

  const statusesOf = async (status: number, body: unknown) => {
    const app = openTokenApp(provider, memoryAdapter())
    const browser = await signInAt(app, provider)
    app.clock.advance(3600)
    provider.rotates = false
    provider.onRefresh = () => ({ status, body })
    const said: string[] = []
    for (let times = 0; times < 4; times += 1) said.push((await accessTokenOf(app, browser))?.status ?? '')
    provider.onRefresh = () => undefined
    return { said, later: (await accessTokenOf(app, browser))?.status, log: app.log }
  }

  const dead: Record<string, [number, unknown]> = {
    'invalid_request, as Dex says it': [
      400,
      { error: 'invalid_request', error_description: 'Refresh token is invalid.' },
    ],
    'unauthorized_client, as Gitea says it': [400, { error: 'unauthorized_client' }],
    'a sentence, as Pocket ID says it': [400, { error: 'Refresh token is invalid or expired' }],
    'access_denied with 403': [403, { error: 'access_denied' }],
    'no JSON': [400, 'Bad Request'],
  }
  for (const [words, [status, body]] of Object.entries(dead)) {
    it(`${words}: the user is sent to the provider after some tries, and the token is kept`, async () => {
      const { said, later, log } = await statusesOf(status, body)
      expect(said).to.deep.equal(['unavailable', 'unavailable', 'reauthorize', 'reauthorize'])
      expect(later, 'when the provider accepts it again').to.equal('ok')
      expect(log.errors.map(({ name }) => name)).to.deep.equal(Array(4).fill('AccountTokenError'))
    })
  }

  const passing: Record<string, [number, unknown]> = {
    invalid_client: [401, { error: 'invalid_client' }],
    'invalid_client with 400': [400, { error: 'invalid_client' }],
    'unauthorized_client with 401, as Keycloak says it of a secret': [401, { error: 'unauthorized_client' }],
    'a sentence with 401, as Pocket ID says it of a secret': [401, { error: 'Invalid client secret' }],
    unsupported_grant_type: [400, { error: 'unsupported_grant_type' }],
    'a proof that is refused': [400, { error: 'invalid_dpop_proof' }],
    'invalid_request with 500, as Dex says it of an outage': [500, { error: 'invalid_request' }],
    '407, of a proxy on the way': [407, { error: 'invalid_grant' }],
    '408': [408, ''],
    '425, too early': [425, { error: 'invalid_grant' }],
    'invalid_grant with 500': [500, { error: 'invalid_grant' }],
    '429': [429, { error: 'invalid_request' }],
    '401 without a word': [401, ''],
    '503': [503, ''],
  }
  for (const [words, [status, body]] of Object.entries(passing)) {
    it(`${words}: is unavailable, however often, and costs nothing`, async () => {
      const { said, later } = await statusesOf(status, body)
      expect(new Set(said)).to.deep.equal(new Set(['unavailable']))
      expect(later).to.equal('ok')
    })
  }

  it('some times and then accepted: the count begins anew', async () => {
    const app = openTokenApp(provider, memoryAdapter())
    const browser = await signInAt(app, provider)
    provider.rotates = false
    for (let round = 0; round < 3; round += 1) {
      app.clock.advance(3600)
      provider.onRefresh = () => ({ status: 400, body: { error: 'invalid_request' } })
      for (let times = 0; times < 2; times += 1)
        expect(await accessTokenOf(app, browser)).to.deep.equal({ status: 'unavailable' })
      provider.onRefresh = () => undefined
      expect(await accessTokenOf(app, browser)).to.include({ status: 'ok' })
    }
  })
})
