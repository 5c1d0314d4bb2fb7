import { inspect } from 'node:util'
import { Auth, skipCSRFCheck, customFetch as theirCustomFetch } from '@auth/core'
import { expect } from 'chai'
import {
  catalogueIds,
  importEntry,
  type ProviderFacts,
  providerFacts,
  SAMPLE_OPTIONS,
} from '../../support/catalogue.js'
import { CLIENT, DialectProvider, type Scene } from '../../support/dialect-provider.js'
import { evaluate } from '../../support/profile-expression.js'
import { sampleScene } from '../../support/sample-scene.js'

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
  async function signIn(id: string, facts: ProviderFacts, scene: Scene): Promise<string> {
    const entry = await importEntry(id)
    const made = entry({ ...CLIENT, ...SAMPLE_OPTIONS[id], ...ISSUERS[id] })
    const provider = { ...made, [theirCustomFetch]: dialect.fetch }
    dialect.play(facts, scene, made.type === 'oidc' && made.idToken === false)
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
      const scene = sampleScene(facts)
      const account = await signIn(id, facts, scene)
      expect(account).to.equal(String(evaluate(facts.profile.id, scene)))
    })
  }

  it('is whole but for what Auth.js has no place for', () => {
    expect(Object.keys(NOT_THERE).filter((id) => !catalogueIds.includes(id))).to.deep.equal([])
    expect(catalogueIds.length - Object.keys(NOT_THERE).length).to.be.greaterThan(100)
  })
})
