import { existsSync } from 'node:fs'
import { inspect } from 'node:util'
import { Auth, skipCSRFCheck, customFetch as theirCustomFetch } from '@auth/core'
import { expect } from 'chai'
import type { Provider } from '../../../lib/providers/provider.js'
import {
  catalogueIds,
  importEntry,
  type ProviderFacts,
  providerFacts,
  SAMPLE_OPTIONS,
} from '../../support/catalogue.js'
import { CLIENT, DialectProvider, type ProviderData } from '../../support/dialect-provider.js'
import { CookieJar, identityOf, OAuthDriver, resolved } from '../../support/oauth-driver.js'
import { evaluate } from '../../support/profile-expression.js'
import { sampleProviderData } from '../../support/sample-provider-data.js'

const WELL_KNOWN = 'Auth.js takes metadata only from where the issuer says.'
const PARAMETERS = 'Auth.js computes no parameters of requests.'
const HOOK = 'Auth.js lets no hook make the token request.'
const HEADERS = 'Auth.js sends no headers of a provider with the token request.'

/** Entries that need what Auth.js does not have; with it, their own there do no better. */
const NOT_THERE: Readonly<Record<string, string>> = {
  apple: 'Auth.js wants a userinfo endpoint, which its own entry makes up.',
  'azure-ad': 'Auth.js knows this provider by its id when it comes to issuers of many tenants.',
  'azure-ad-b2c': WELL_KNOWN,
  'microsoft-entra-id': 'As azure-ad.',
  naver: PARAMETERS,
  paybin: 'Auth.js wants a userinfo endpoint.',
  shikimori: HEADERS,
  'start-gg': HOOK,
  tiktok: PARAMETERS,
  tumblr: 'Auth.js takes every id_token for a text.',
  'united-effects': 'Auth.js wants a userinfo endpoint.',
  vk: PARAMETERS,
  wechat: HOOK,
  withings: PARAMETERS,
  zoho: HOOK,
}

const ADDRESS = 'It asks at another address than the documentation of today has.'
const ANSWER = 'It reads another answer than the documentation of today has.'
const ISSUER = 'Its issuer is not the one that the metadata and the tokens name.'
const REQUEST = 'It makes another token request than the documentation of today has.'

/** Entries of Auth.js that the stand-in does not serve, since it speaks as the documentation of each provider has it. */
const NOT_SERVED: Readonly<Record<string, string>> = {
  asgardeo: ISSUER,
  bungie: ADDRESS,
  eveonline: ADDRESS,
  facebook: ADDRESS,
  hubspot: ADDRESS,
  instagram: ANSWER,
  naver: REQUEST,
  nextcloud: ADDRESS,
  onelogin: ISSUER,
  patreon: ADDRESS,
  pipedrive: ADDRESS,
  threads: ANSWER,
  todoist: ADDRESS,
  trakt: ADDRESS,
  vk: ADDRESS,
  wechat: REQUEST,
  wordpress: ADDRESS,
  yandex: ADDRESS,
}

/** Options that the entries of Auth.js want where ours work the issuer out. */
const THEIR_OPTIONS: Readonly<Record<string, object>> = {
  apple: { clientSecret: CLIENT.clientSecret },
  asgardeo: { issuer: 'https://api.asgardeo.io/t/acme' },
  auth0: { issuer: 'https://example.eu.auth0.com/' },
  authentik: { issuer: 'https://id.example.com/application/o/web/' },
  'azure-ad-b2c': {
    issuer: 'https://contosob2c.b2clogin.com/775527ff-9a37-4307-8b3d-cc311f58d925/v2.0/',
    wellKnown:
      'https://contosob2c.b2clogin.com/contosob2c.onmicrosoft.com/B2C_1_sign_up_sign_in/v2.0/.well-known/openid-configuration',
  },
  battlenet: { issuer: 'https://oauth.battle.net' },
  // Auth.js trusts every audience.
  kinde: { trustedAudiences: ['*'] },
  zitadel: { trustedAudiences: ['*'] },
  netsuite: { accountID: '1234567', userinfo: SAMPLE_OPTIONS['netsuite']?.['userinfoUrl'] },
  cognito: { issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab1Cd2Ef3' },
}

/** What an account is known by there, where it is something else here. */
const THEIR_ID: Readonly<Record<string, string>> = {
  pinterest: 'username',
  salesforce: 'sub',
}

/** Auth.js knows no issuer that is there until another is given. */
const ISSUERS: Readonly<Record<string, object>> = {
  battlenet: { issuer: 'https://oauth.battle.net' },
}

describe('the catalogue inside @auth/core', () => {
  let dialect: DialectProvider
  const platformFetch = globalThis.fetch
  before(async () => {
    dialect = await DialectProvider.start()
    // There, hooks have nothing but the platform's.
    globalThis.fetch = dialect.fetch
  })
  after(async () => {
    globalThis.fetch = platformFetch
    await dialect.stop()
  })

  /** Signs in with Auth.js; gives the account that it ends with, or what went wrong. */
  async function signIn(id: string, facts: ProviderFacts, providerData: ProviderData): Promise<string> {
    const entry = await importEntry(id)
    const made = entry({ ...CLIENT, ...SAMPLE_OPTIONS[id], ...ISSUERS[id] })
    const provider = { ...made, [theirCustomFetch]: dialect.fetch }
    dialect.play(facts, providerData, made.type === 'oidc' && made.idToken === false)
    let account = ''
    const problems: string[] = []
    const config = {
      providers: [provider],
      secret: 'a-secret-of-at-least-thirty-two-bytes',
      trustHost: true,
      basePath: '/auth',
      skipCSRFCheck,
      logger: {
        error: (error: Error) => problems.push(inspect(error.cause ?? error)),
        warn: () => {},
        debug: () => {},
      },
      callbacks: {
        signIn: (params: { account: { providerAccountId: string } }) => {
          account = params.account.providerAccountId
          return true
        },
      },
    } as unknown as Parameters<typeof Auth>[1]
    const cookies = new Map<string, string>()
    const send = async (path: string, init: RequestInit = {}) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await Auth(
        new Request(`https://app.test/auth/${path}`, { ...init, headers: { cookie, ...init.headers } }),
        config,
      )
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/)
        cookies.set(name, value)
      }
      return response
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const started = await send(`signin/${id}`, { method: 'POST', headers, body: '' })
    const location = started.headers.get('location') ?? ''
    if (location.startsWith('https://app.test')) return `no start: ${problems}`
    const answer = dialect.authorize(new URL(location), `https://app.test/auth/callback/${id}`)
    await send(`callback/${id}?${answer}`)
    return account || [...dialect.complaints, ...problems].join('; ')
  }

  for (const id of catalogueIds) {
    if (id in NOT_THERE) continue
    it(`signs in with ${id}`, async () => {
      const facts = providerFacts.get(id) as ProviderFacts
      const providerData = sampleProviderData(facts)
      const account = await signIn(id, facts, providerData)
      expect(account).to.equal(String(evaluate(facts.profile.id, providerData)))
    })
  }

  it('is whole but for what Auth.js has no place for', () => {
    expect(Object.keys(NOT_THERE).filter((id) => !catalogueIds.includes(id))).to.deep.equal([])
    expect(catalogueIds.length - Object.keys(NOT_THERE).length).to.be.greaterThan(100)
  })
})

describe('the providers of @auth/core here, unmodified', () => {
  const folder = new URL('../../../node_modules/@auth/core/providers/', import.meta.url)
  const shared = catalogueIds.filter((id) => existsSync(new URL(`${id}.js`, folder)))
  let dialect: DialectProvider
  const platformFetch = globalThis.fetch
  before(async () => {
    dialect = await DialectProvider.start()
    // Some of their hooks know no other, and Apple's and Microsoft's are made for what is inside Auth.js.
    globalThis.fetch = dialect.fetch
  })
  after(async () => {
    globalThis.fetch = platformFetch
    await dialect.stop()
  })

  /** The account that somebody signs in with. */
  async function signIn(id: string): Promise<string> {
    const module = (await import(new URL(`${id}.js`, folder).href)) as { default: (options: object) => Provider }
    const made = module.default({ ...CLIENT, ...SAMPLE_OPTIONS[id], ...THEIR_OPTIONS[id] })
    // A hook of the provider's own stays; it uses the platform's fetch.
    const provider = resolved({ [theirCustomFetch]: dialect.fetch, ...made } as unknown as Provider)
    const method = provider.client.token_endpoint_auth_method ?? 'client_secret_basic'
    const facts = { ...providerFacts.get(id), tokenEndpointAuthMethod: method } as ProviderFacts
    dialect.play(facts, sampleProviderData(facts), provider.claimsFrom === 'userinfo')
    const driver = new OAuthDriver()
    const jar = new CookieJar()
    const url = await driver.start(provider, jar)
    const answer = dialect.authorize(url, `https://app.example/auth/callback/${id}`)
    // They ask for other scopes, and for less PKCE: that is theirs to choose.
    dialect.complaints.length = 0
    return identityOf(await driver.finish(provider, jar, answer)).account.providerAccountId
  }

  for (const id of shared) {
    if (id in NOT_SERVED) continue
    it(`sign in with ${id}`, async () => {
      const facts = providerFacts.get(id) as ProviderFacts
      const expected = THEIR_ID[id] ?? facts.profile.id
      expect(await signIn(id)).to.equal(String(evaluate(expected, sampleProviderData(facts))))
    })
  }

  it('are all served but for those that ask or read otherwise', async () => {
    const working: string[] = []
    for (const id of Object.keys(NOT_SERVED)) {
      const facts = providerFacts.get(id) as ProviderFacts
      const account = await signIn(id).catch(() => null)
      if (account === String(evaluate(facts.profile.id, sampleProviderData(facts)))) working.push(id)
    }
    expect(working).to.deep.equal([])
    expect(shared.length - Object.keys(NOT_SERVED).length).to.be.greaterThan(60)
  })
})
