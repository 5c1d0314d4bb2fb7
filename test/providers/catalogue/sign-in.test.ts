import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { AuthError } from '../../../lib/kernel/errors.js'
import { customFetch } from '../../../lib/providers/provider.js'
import {
  type CatalogueEntry,
  catalogueIds,
  importEntry,
  type ProviderFacts,
  profileFixtures,
  providerFacts,
  SAMPLE_OPTIONS,
} from '../../support/catalogue.js'
import { CLIENT, DialectProvider, type ProviderData } from '../../support/dialect-provider.js'
import { CookieJar, identityOf, OAuthDriver, resolved } from '../../support/oauth-driver.js'
import { evaluate, pathsIn, place, remove } from '../../support/profile-expression.js'
import { sampleProviderData } from '../../support/sample-provider-data.js'

interface Person {
  id: string
  name: unknown
  email: unknown
  image: unknown
}

const appleKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })

describe('a sign-in at each provider of the catalogue', () => {
  let dialect: DialectProvider
  const driver = new OAuthDriver()
  /** Of the last sign-in: whether the provider has verified the address. */
  let isVerified = false
  before(async () => {
    dialect = await DialectProvider.start()
  })
  after(() => dialect.stop())

  /** Signs in, and gives the user and whatever the provider had to complain of. */
  async function signIn(entry: CatalogueEntry, facts: ProviderFacts, providerData: ProviderData): Promise<Person> {
    const isApple = facts.id === 'apple'
    const provider = resolved(
      entry({
        ...CLIENT,
        ...SAMPLE_OPTIONS[facts.id],
        ...(isApple ? { privateKey: appleKey.privateKey.export({ type: 'pkcs8', format: 'pem' }) } : {}),
        [customFetch]: dialect.fetch,
      }),
    )
    dialect.secretKey = isApple ? String(appleKey.publicKey.export({ type: 'spki', format: 'pem' })) : undefined
    dialect.play(facts, providerData, provider.claimsFrom === 'userinfo')
    const jar = new CookieJar()
    const url = await driver.start(provider, jar)
    const answer = dialect.authorize(url, `https://app.example/auth/callback/${facts.id}`)
    try {
      const identity = identityOf(await driver.finish(provider, jar, answer))
      const { user, account } = identity
      expect(dialect.complaints).to.deep.equal([])
      isVerified = identity.linking?.isEmailVerified ?? false
      return {
        id: account.providerAccountId,
        name: user.name ?? null,
        email: user.email ?? null,
        image: user.image ?? null,
      }
    } catch (error) {
      // What the provider disliked tells more than that it answered with an error.
      if (dialect.complaints.length > 0) throw new Error(dialect.complaints.join('; '), { cause: error })
      throw error
    }
  }

  /** What the entry's mapping alone makes of a profile. */
  async function mapProfile(entry: CatalogueEntry, facts: ProviderFacts, { profile }: ProviderData): Promise<Person> {
    const provider = resolved(entry({ ...CLIENT, ...SAMPLE_OPTIONS[facts.id] }))
    const user = await provider.profile(profile, {}, { params: {}, fetch: dialect.fetch })
    const { id, name = null, email, image = null } = user
    return { id: String(id), name, email: email?.toLowerCase() ?? null, image }
  }

  /** The user that the facts make of a providerData. */
  function expectedUser(facts: ProviderFacts, providerData: ProviderData): Person {
    const scope = { ...providerData, variables: dialectVariables(facts.id) }
    const read = (field: keyof ProviderFacts['profile']) => evaluate(facts.profile[field], scope)
    const email = read('emailVerified') === false ? null : read('email')
    return {
      id: String(read('id')),
      name: read('name'),
      email: typeof email === 'string' ? email.toLowerCase() : null,
      image: read('image'),
    }
  }

  for (const id of catalogueIds) {
    describe(id, () => {
      const facts = providerFacts.get(id)
      if (!facts) throw new Error(`there are no facts of ${id}`)

      it('asks and redeems as the provider wants it, and makes the user of its answers', async () => {
        const entry = await importEntry(id)
        const [first, ...others] = providerDataOf(facts)
        if (first) expect(await signIn(entry, facts, first)).to.deep.equal(expectedUser(facts, first))
        for (const providerData of others) {
          const isOneAnswer = providerData.extra === undefined && providerData.token === undefined
          const user = await (isOneAnswer ? mapProfile(entry, facts, providerData) : signIn(entry, facts, providerData))
          expect(user, JSON.stringify(providerData)).to.deep.equal(expectedUser(facts, providerData))
        }
      })

      it('OIDC-19: calls an address verified where the provider does, and nowhere else', async () => {
        const entry = await importEntry(id)
        const verifies = async (providerData: ProviderData) => {
          await signIn(entry, facts, providerData)
          return isVerified
        }
        const sample = sampleProviderData(facts)
        const path = facts.profile.emailVerified
        const hasAddress = expectedUser(facts, sample).email !== null
        expect(await verifies(sample)).to.equal(hasAddress && (path !== null || id === 'twitter'))
        for (const value of path ? [false, null, 'False', undefined] : []) {
          const providerData = sampleProviderData(facts)
          for (const each of pathsIn(path)) place(each, value, providerData)
          expect(await verifies(providerData), String(value)).to.equal(false)
        }
      })

      it('refuses somebody without an id, whatever else there is', async () => {
        const entry = await importEntry(id)
        const providerData = sampleProviderData(facts)
        for (const path of pathsIn(facts.profile.id)) remove(path, providerData)
        const error = await signIn(entry, facts, providerData).catch((thrown: unknown) => thrown)
        expect(error).to.be.instanceOf(AuthError)
        if (providerData.token) return
        for (const value of [null, '']) {
          for (const path of pathsIn(facts.profile.id)) place(path, value, providerData)
          const user = await mapProfile(entry, facts, providerData).catch(() => null)
          expect(user?.id ?? 'undefined', JSON.stringify(value)).to.equal('undefined')
        }
      })

      const fixture = profileFixtures[id]
      for (const sample of fixture ? [fixture, ...(fixture.variants ?? [])] : []) {
        it(`maps the documented profile${sample.case ? `: ${sample.case}` : ''}`, async () => {
          const { extra, ...profile } = sample.profile
          const ownList = id === 'github' ? [{ email: profile['email'], primary: true, verified: true }] : undefined
          const openid = id === 'wechat' ? { token: { openid: profile['openid'] } } : {}
          const providerData: ProviderData = { profile, extra: extra ?? ownList, ...openid }
          expect(await signIn(await importEntry(id), facts, providerData)).to.deep.equal(sample.expectedUser)
        })
      }
    })
  }

  it('has a fixture of no provider that is missing', () => {
    expect(Object.keys(profileFixtures).filter((id) => !catalogueIds.includes(id))).to.deep.equal([])
  })

  it('has fixtures of 25 providers and more beyond the first forty, each with the documentation of its shape', () => {
    const sources = Object.values(profileFixtures).flatMap(({ source }) => source ?? [])
    expect(sources).to.have.length.of.at.least(25)
    for (const source of sources) expect(source).to.match(/^https:\/\/\S+$/)
  })

  describe('finds out', () => {
    const broken: Record<string, [string, (options: object, entry: CatalogueEntry) => object]> = {
      'a wrong scope': ['gumroad', (options, entry) => entry({ ...options, scope: 'edit_products' })],
      'a missing challenge': ['gumroad', (options, entry) => entry({ ...options, checks: ['state'] })],
      'a missing nonce': ['yahoo', (options, entry) => entry({ ...options, checks: ['pkce', 'state'] })],
      'another authorization endpoint': [
        'gumroad',
        (options, entry) => entry({ ...options, authorization: { url: 'https://gumroad.com/oauth' } }),
      ],
      'credentials in the wrong place': [
        'gumroad',
        (options, entry) => entry({ ...options, client: { token_endpoint_auth_method: 'client_secret_basic' } }),
      ],
      'another token endpoint': [
        'gumroad',
        (options, entry) => entry({ ...options, token: { url: 'https://gumroad.com/oauth/token' } }),
      ],
      'a missing header': [
        'notion',
        (options, entry) => entry({ ...options, userinfo: { headers: { 'notion-version': '' } } }),
      ],
      'a wrong mapping': ['gumroad', (options, entry) => entry({ ...options, profile: () => ({ id: 'somebody' }) })],
    }
    for (const [what, [id, make]] of Object.entries(broken)) {
      it(what, async () => {
        const entry = await importEntry(id)
        const facts = providerFacts.get(id) as ProviderFacts
        const providerData = sampleProviderData(facts)
        const user = await signIn(
          ((options: object) => make(options, entry)) as CatalogueEntry,
          facts,
          providerData,
        ).catch(() => null)
        expect(user).not.to.deep.equal(expectedUser(facts, providerData))
      })
    }
  })

  const dialectVariables = (id: string) => ({
    ...(SAMPLE_OPTIONS[id] ?? {}),
  })
})

/** The sample; the same without what a fallback stands in for; and with an address that is not verified. */
function* providerDataOf(facts: ProviderFacts): Generator<ProviderData> {
  yield sampleProviderData(facts)
  for (const field of ['id', 'name', 'email', 'image'] as const) {
    const alternatives = facts.profile[field]?.split(' ?? ') ?? []
    if (facts.id === 'discord' && field === 'image') continue
    for (let gone = 1; gone <= alternatives.length; gone += 1) {
      // Without any id nobody is signed in, and a subject cannot be missing in an ID token.
      if (field === 'id' && (gone === alternatives.length || facts.type === 'oidc')) break
      const providerData = sampleProviderData(facts)
      const ids = new Set(pathsIn(facts.profile.id))
      for (const path of pathsIn(alternatives.slice(0, gone).join(' ?? '))) {
        if (field === 'id' || !ids.has(path)) remove(path, providerData)
      }
      yield providerData
    }
  }
  if (facts.profile.emailVerified) {
    const providerData = sampleProviderData(facts)
    for (const path of pathsIn(facts.profile.emailVerified)) place(path, false, providerData)
    yield providerData
  }
}
