import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { ACCOUNT_TOKENS } from '../../../lib/features/account-tokens/operations.js'
import { customFetch } from '../../../lib/index.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { MARK, openTokenApp, RefreshingProvider, signInAt } from '../../support/refreshing-provider.js'
import { newPerson, oauth } from '../../support/sign-ins.js'
import { watched } from '../../support/stores.js'

describe('tokens of accounts after a sign-out', () => {
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

  it('are revoked for every account, also if those of one cannot be deleted', async () => {
    const revoked: string[] = []
    const noting = async (input: string | URL | Request, init?: RequestInit) => {
      if (!String(input).includes('/revoke')) return fetch(input, init)
      revoked.push(String(new URLSearchParams(String(init?.body)).get('token')))
      return new Response('')
    }
    const tokenFacts = { revocation: { url: 'https://acme.example/revoke', dialect: 'rfc7009' } }
    const options = { tokenFacts, [customFetch]: noting }
    const store = memoryAdapter()
    const { adapter } = watched(store, {
      updateAccount: (name, changes, expected) => {
        if (name.provider === 'oidc') throw new Error('down')
        return store.updateAccount(name, changes, expected)
      },
    })
    const app = openTokenApp(provider, adapter, {
      providers: [oauth(idp, 'oidc', options), oauth(idp, 'oidc', { ...options, id: 'work' })],
      accountTokens: { revokeAtSignOut: true },
    })
    const person = newPerson()
    const browser = await signInAt(app, provider, person)
    const { userId = '' } = (await store.getAccount(person.sub, 'oidc')) ?? {}
    const work = { provider: 'work', providerAccountId: 'at-work' }
    store.linkAccount({ ...work, type: 'oidc', userId, refresh_token: `${MARK}-at-work` })
    await browser.signOut()
    expect(revoked).to.deep.equal([`${MARK}-at-work`])
    expect((await store.getAccount('at-work', 'work'))?.refresh_token ?? null).to.equal(null)
    expect(app.log.errors.map(({ message }) => message)).to.deep.equal([
      'Provider "oidc": tokens could not be deleted and revoked.',
    ])
  })

  for (const announced of [true, false]) {
    it(`are revoked at a provider without facts ${announced ? 'where its metadata announce it' : 'nowhere, and the log says so, once'}`, async () => {
      const withEndpoint = async (input: string | URL | Request, init?: RequestInit) => {
        const answer = await fetch(input, init)
        if (!announced || !String(input).includes('openid-configuration')) return answer
        return Response.json({ ...((await answer.json()) as object), revocation_endpoint: `${idp.issuer}/revoke` })
      }
      const app = openTokenApp(provider, memoryAdapter(), {
        providers: [oauth(idp, 'oidc', { [customFetch]: withEndpoint })],
        accountTokens: { revokeAtSignOut: true },
      })
      for (let times = 0; times < 2; times += 1) {
        idp.calls.length = 0
        await (await signInAt(app, provider, newPerson())).signOut()
        const tokens = idp.callsTo('/revoke').map(({ body }) => body.get('token_type_hint'))
        expect(tokens).to.deep.equal(announced ? ['refresh_token', 'access_token'] : [])
      }
      expect(app.log.warnings.filter((code) => code === 'contradicted-option')).to.have.length(announced ? 0 : 1)
    })
  }

  it('are known to be revoked nowhere at the start, where nothing says how', () => {
    const warningsOf = (tokenFacts: object) =>
      openTokenApp(provider, memoryAdapter(), {
        providers: [oauth(idp, 'oauth', { tokenFacts })],
        accountTokens: { revokeAtSignOut: true },
      }).log.warnings.filter((code) => code === 'contradicted-option').length
    const url = 'https://acme.example/revoke'
    const facts = [{}, { revocation: 'none' }, { revocation: 'metadata' }, { revocation: { url } }]
    expect(facts.map(warningsOf)).to.deep.equal([1, 1, 1, 1])
    expect(warningsOf({ revocation: { url, dialect: 'rfc7009' } })).to.equal(0)
  })

  for (const scope of ['openid offline_access', 'openid email']) {
    const isKept = scope.includes('offline_access')
    it(`at the provider, a refresh token ${isKept ? 'stays' : 'goes'} where "${scope}" was granted without a word`, async () => {
      const store = memoryAdapter()
      const app = openTokenApp(provider, store, {
        providers: [oauth(idp, 'oidc', { authorization: { params: { scope } } })],
      })
      // An answer names the scope only if it is another one than was asked for (RFC 6749 §5.1).
      provider.onSignIn = ({ scope: _, ...answer }) => answer
      const person = newPerson()
      await signInAt(app, provider, person)
      const { userId = '' } = (await store.getAccount(person.sub, 'oidc')) ?? {}
      await app.engine.config.services
        .get(ACCOUNT_TOKENS)
        .tokens.dropRefreshTokens(userId, { provider: 'oidc', subject: person.sub })
      const { refresh_token } = (await store.getAccount(person.sub, 'oidc')) ?? {}
      expect(Boolean(refresh_token)).to.equal(isKept)
    })
  }
})
