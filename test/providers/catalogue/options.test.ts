import { expect } from 'chai'
import Apple from '../../../lib/providers/catalogue/apple.js'
import EVEOnline from '../../../lib/providers/catalogue/eveonline.js'
import GitHub from '../../../lib/providers/catalogue/github.js'
import Google from '../../../lib/providers/catalogue/google.js'
import PayPal from '../../../lib/providers/catalogue/paypal.js'
import Salesforce from '../../../lib/providers/catalogue/salesforce.js'
import WeChat from '../../../lib/providers/catalogue/wechat.js'
import WorkOS from '../../../lib/providers/catalogue/workos.js'
import Zoho from '../../../lib/providers/catalogue/zoho.js'
import { customFetch, type Provider } from '../../../lib/providers/provider.js'
import { catalogueIds, importEntry, SAMPLE_OPTIONS } from '../../support/catalogue.js'
import { fakeKey, signWith } from '../../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../../support/oauth-driver.js'

const client = { clientId: 'client', clientSecret: 'secret' }

/** Signs in where each address has one answer, and gives the addresses that were asked. */
async function signIn(
  make: (options: { [customFetch]: typeof fetch }) => Provider,
  answers: Record<string, () => unknown>,
  params: Record<string, string> = {},
) {
  const asked: string[] = []
  const provider = resolved(
    make({
      [customFetch]: (async (input: string) => {
        const { origin, pathname } = new URL(input)
        asked.push(origin + pathname)
        return Response.json(await answers[origin + pathname]?.())
      }) as typeof fetch,
    }),
  )
  const driver = new OAuthDriver()
  const jar = new CookieJar()
  const url = await driver.start(provider, jar)
  const answer = new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '', ...params })
  return { url, asked, identity: driver.finish(provider, jar, answer).then(identityOf) }
}

describe('options and hooks of the catalogue', () => {
  describe('an endpoint that is given as a URL', () => {
    /** Only values of the protocol can stand here. */
    const FIXED = ['response_type', 'response_mode']
    const namesIn = (params: object | undefined) => Object.keys(params ?? {}).filter((name) => !FIXED.includes(name))
    const urlWith = (names: readonly string[]) =>
      `https://own.example/endpoint?${new URLSearchParams(names.map((name) => [name, `own ${name}`]))}`

    for (const id of catalogueIds) {
      it(`of ${id} has its own parameters win over those of the entry`, async () => {
        const make = await importEntry(id)
        const options = { ...SAMPLE_OPTIONS[id], ...client }
        const before = resolved(make(options))
        for (const name of ['authorization', 'token', 'userinfo'] as const) {
          const names = [...new Set(['scope', 'more', ...namesIn(before[name].params)])]
          for (const given of [urlWith(names), { url: urlWith(names) }]) {
            const { url, params } = resolved(make({ ...options, [name]: given }))[name]
            expect(Object.keys(params).filter((each) => names.includes(each))).to.deep.equal([])
            for (const each of names) expect(url?.searchParams.getAll(each)).to.deep.equal([`own ${each}`])
          }
        }
      })
    }

    it('is asked for what its URL says, and for what the entry says beside that', async () => {
      const authorization = 'https://github.com/login/oauth/authorize?scope=repo'
      const at = async (provider: Provider) => new OAuthDriver().start(resolved(provider), new CookieJar())
      expect((await at(GitHub({ ...client, authorization }))).searchParams.getAll('scope')).to.deep.equal(['repo'])
      const elsewhere = 'https://git.example/authorize'
      expect((await at(GitHub({ ...client, authorization: elsewhere }))).searchParams.get('scope')).to.equal(
        'read:user user:email',
      )
      const both = { url: authorization, params: { scope: 'gist' } }
      expect((await at(GitHub({ ...client, authorization: both }))).searchParams.getAll('scope')).to.deep.equal([
        'gist',
      ])
      expect(
        (await at(GitHub({ ...client, authorization, scope: 'gist' }))).searchParams.getAll('scope'),
      ).to.deep.equal(['gist'])
    })
  })

  describe('Zoho', () => {
    const at = (host: string) => ({
      [`${host}/oauth/v2/token`]: () => ({ access_token: 'at', token_type: 'bearer' }),
      [`${host}/oauth/user/info`]: () => ({ ZUID: 7 }),
    })

    it('redeems the code where the answer says that the account is', async () => {
      const eu = 'https://accounts.zoho.eu'
      const { asked, identity } = await signIn((options) => Zoho({ ...client, ...options }), at(eu), {
        'accounts-server': eu,
      })
      expect((await identity).account.providerAccountId).to.equal('7')
      expect(asked).to.deep.equal([`${eu}/oauth/v2/token`, `${eu}/oauth/user/info`])
    })

    it("sends its secret to no server that is not Zoho's, whatever an answer says", async () => {
      for (const server of [
        'https://accounts.zoho.example',
        'https://accounts.zoho.com.evil.example',
        'https://accounts.zoho.eu/',
        'http://accounts.zoho.eu',
      ]) {
        const com = 'https://accounts.zoho.com'
        const { asked, identity } = await signIn((options) => Zoho({ ...client, ...options }), at(com), {
          'accounts-server': server,
        })
        await identity
        expect(asked).to.deep.equal([`${com}/oauth/v2/token`, `${com}/oauth/user/info`])
      }
    })
  })

  describe('Google', () => {
    const google = async (hd: string | undefined) => {
      const key = await fakeKey('key-1')
      let nonce: string | null = null
      const started = await signIn((options) => Google({ ...client, ...options, hostedDomain: 'example.com' }), {
        'https://accounts.google.com/.well-known/openid-configuration': () => ({
          issuer: 'https://accounts.google.com',
          authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
          token_endpoint: 'https://oauth2.googleapis.com/token',
          jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
        }),
        'https://www.googleapis.com/oauth2/v3/certs': () => ({ keys: [key.jwk] }),
        'https://oauth2.googleapis.com/token': async () => {
          const now = Math.floor(Date.now() / 1000)
          const claims = { iss: 'https://accounts.google.com', aud: 'client', sub: '1', iat: now, exp: now + 60 }
          const id_token = await signWith(key, { ...claims, nonce, ...(hd === undefined ? {} : { hd }) })
          return { access_token: 'at', token_type: 'bearer', id_token }
        },
      })
      nonce = started.url.searchParams.get('nonce')
      return started
    }

    it('admits one hosted domain if the option says so, by the signed claim', async () => {
      const { url, identity } = await google('example.com')
      expect(url.searchParams.get('hd')).to.equal('example.com')
      expect((await identity).account.providerAccountId).to.equal('1')
      await failure((await google('evil.example')).identity, 'CallbackRouteError', /hosted domain/)
      await failure((await google(undefined)).identity, 'CallbackRouteError', /hosted domain/)
    })
  })

  describe('EVE Online', () => {
    const eve = async (claims: Record<string, unknown>, kid = 'key-1') => {
      const now = Math.floor(Date.now() / 1000)
      const right = { iss: 'https://login.eveonline.com', aud: ['client', 'EVE Online'], exp: now + 60 }
      const token = await signWith(await fakeKey(kid), { sub: 'CHARACTER:EVE:9', name: 'Vey', ...right, ...claims })
      return signIn((options) => EVEOnline({ ...client, ...options }), {
        'https://login.eveonline.com/v2/oauth/token': () => ({ access_token: token, token_type: 'bearer' }),
        'https://login.eveonline.com/oauth/jwks': async () => ({ keys: [(await fakeKey('key-1')).jwk] }),
      })
    }

    it('reads the character from the access token, with either of its issuers', async () => {
      expect((await (await eve({})).identity).account.providerAccountId).to.equal('9')
      expect((await (await eve({ iss: 'login.eveonline.com' })).identity).user.name).to.equal('Vey')
    })

    it('refuses a token of another issuer, for another client, expired, of another key, or of something else', async () => {
      const wrong = [
        { iss: 'https://evil.example' },
        { aud: ['other', 'EVE Online'] },
        { aud: ['client'] },
        { exp: 1 },
        { exp: undefined },
      ]
      for (const claims of wrong) await failure((await eve(claims)).identity, 'CallbackRouteError')
      await failure((await eve({}, 'key-2')).identity, 'CallbackRouteError')
      await failure((await eve({ sub: 'CORPORATION:EVE:9' })).identity, 'OAuthProfileParseError')
    })
  })

  it('Apple takes a secret made elsewhere, and no half of a key', () => {
    expect(resolved(Apple, client).makeClientSecret).to.equal(undefined)
    // @ts-expect-error: the key is missing
    expect(() => resolved(Apple({ ...client, teamId: 'T', keyId: 'K' }))).to.throw(/has no privateKey/)
    expect(() => resolved(Apple, { clientId: 'client' })).to.throw(/AUTH_APPLE_SECRET/)
  })

  it('PayPal and Salesforce have sandboxes', () => {
    const paypal = resolved(PayPal({ ...client, environment: 'sandbox' }))
    expect(paypal.authorization.url?.host).to.equal('www.sandbox.paypal.com')
    expect(paypal.token.url?.host).to.equal('api-m.sandbox.paypal.com')
    expect(resolved(Salesforce({ ...client, loginUrl: 'test.salesforce.com' })).issuer).to.equal(
      'https://test.salesforce.com',
    )
  })

  it('WeChat signs in at an Official Account', () => {
    const { authorization } = resolved(WeChat({ ...client, platformType: 'OfficialAccount' }))
    expect(authorization.url?.pathname).to.equal('/connect/oauth2/authorize')
    expect(authorization.params['scope']).to.equal('snsapi_userinfo')
  })

  it('WorkOS says which connection is meant', () => {
    const { authorization } = resolved(WorkOS({ ...client, organization: 'org_1' }))
    expect(authorization.params['organization']).to.equal('org_1')
    expect(authorization.params).not.to.have.any.keys('connection', 'provider')
  })
})
