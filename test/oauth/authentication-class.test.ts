import { expect } from 'chai'
import type { OIDCConfig } from '../../lib/providers/provider.js'
import { type Identity, saysTwoFactors } from '../../lib/users/identity.js'
import { FakeProvider, fakeKey } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf } from '../support/oauth-driver.js'
import { RelyingParty } from '../support/oidc-basic-modules.js'

const TWO_FACTORS = 'urn:example:two-factors'
const ONE_FACTOR = 'urn:example:one-factor'

describe('a way of signing in that the application requires (OIDC-15)', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(async () => {
    fake.reset()
    fake.keys = [await fakeKey('key-1')]
  })
  const answering = (acr: unknown) => {
    fake.faults.claims = (claims) => ({ ...claims, ...(acr === undefined ? {} : { acr }) })
  }
  const party = (more: Partial<OIDCConfig<unknown>>) => new RelyingParty(fake, more)
  const essential = (acr: object) => ({
    authorization: { params: { claims: { id_token: { acr: { essential: true, ...acr } } } } },
  })

  for (const [name, options] of [
    ['requireAcr', { requireAcr: [TWO_FACTORS] }],
    ['an essential claim with one value', essential({ value: TWO_FACTORS })],
    ['an essential claim with several values', essential({ values: [TWO_FACTORS, 'urn:example:card'] })],
    [
      'an essential claim as text',
      {
        authorization: {
          params: { claims: JSON.stringify(essential({ value: TWO_FACTORS }).authorization.params.claims) },
        },
      },
    ],
  ] as const) {
    describe(`by ${name}`, () => {
      it('signs in with it', async () => {
        answering(TWO_FACTORS)
        await party(options).accepts()
      })
      for (const [what, acr] of [
        ['another way', ONE_FACTOR],
        ['no way', undefined],
        ['a list of ways', [TWO_FACTORS]],
        ['0, which means no confidence', '0'],
      ] as const) {
        it(`refuses an ID token with ${what}`, async () => {
          answering(acr)
          // A person can have chosen another way; a provider that names none cannot be asked for one.
          const type = typeof acr === 'string' ? 'OAuthCallbackError' : 'CallbackRouteError'
          await failure(party(options).signIn(), type, /ID token is refused: acr is (missing|another way)/)
        })
      }
    })
  }

  it('is asked for by acr_values, which no visitor can replace', async () => {
    const { driver, provider } = party({ requireAcr: [TWO_FACTORS, 'urn:example:card'] })
    const url = await driver.start(provider, new CookieJar(), { acr_values: ONE_FACTOR })
    expect(url.searchParams.getAll('acr_values')).to.deep.equal([`${TWO_FACTORS} urn:example:card`])
  })

  it('is asked for as the application asks, if it does', async () => {
    const params = { acr_values: 'gold' }
    const { driver, provider } = party({ requireAcr: [TWO_FACTORS], authorization: { params } })
    expect((await driver.start(provider, new CookieJar())).searchParams.get('acr_values')).to.equal('gold')
  })

  it('is a wish where it is not essential, and where a visitor asks for it', async () => {
    answering(ONE_FACTOR)
    const claims = { id_token: { acr: { values: [TWO_FACTORS] } } }
    await party({ authorization: { params: { claims } } }).accepts()
    await party({ authorization: { params: { acr_values: TWO_FACTORS } } }).accepts()
  })

  it('that is essential and has no name may be any, but the ID token must name it', async () => {
    answering(ONE_FACTOR)
    await party(essential({})).accepts()
    answering(undefined)
    await party(essential({})).refuses(/acr is missing/)
  })

  for (const [what, claims, found] of [
    ['both claims', { amr: ['pwd', 'mfa'], acr: ONE_FACTOR }, { amr: ['pwd', 'mfa'], acr: ONE_FACTOR }],
    ['none of them', {}, undefined],
    ['claims of wrong types', { amr: 'mfa', acr: 2, factors: 2 }, undefined],
    ['empty claims', { amr: [], acr: '' }, undefined],
  ] as const) {
    it(`is told of the identity with ${what}, and makes no second factor`, async () => {
      fake.faults.claims = (given) => ({ ...given, ...claims, factors: 2 })
      const identity = identityOf(await party({}).signIn())
      expect(identity.authentication).to.deep.equal(found)
    })
  }

  it('says two factors only by mfa', () => {
    const said = (authentication: Identity['authentication']) => saysTwoFactors({ authentication } as Identity)
    expect(said({ amr: ['pwd', 'mfa'] })).to.equal(true)
    expect([said(undefined), said({}), said({ acr: 'mfa' }), said({ amr: ['otp'] })]).to.deep.equal(
      Array(4).fill(false),
    )
  })
})
