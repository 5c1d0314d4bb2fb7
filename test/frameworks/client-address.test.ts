import { expect } from 'chai'
import { factsOf as qwikFacts } from '../../lib/frameworks/qwik/event.js'
import { type SolidEvent, signIn } from '../../lib/frameworks/solid-start/index.js'
import { webAuth } from '../../lib/frameworks/web/index.js'
import type { AuthConfig } from '../../lib/index.js'
import { enteredBy, LISTING_STRATEGIES, storeWithPeople } from '../support/people-app.js'
import { OWN_PAGE, webConfig } from '../support/web-app.js'
import { eventAt as qwikEvent } from './qwik/fake-city.js'
import { cookiesFrom, event as solidEvent } from './solid-start/event.js'
import { cookieHeader, redirection, SvelteKitAuth, eventAt as svelteKitEvent } from './sveltekit/fake-kit.js'

const ADDRESS = '203.0.113.77'
const NETWORK = '203.0.113.0/24'
const FORWARDED = { ...OWN_PAGE, 'x-forwarded-for': '198.51.100.9' }

/** The networks of the sessions of who sends these cookies. */
const networksOf = async (config: AuthConfig, cookie: string) => {
  const visitor = webAuth(config).forRequest({ headers: new Headers({ cookie }) })
  return (await visitor.listSessions()).map(({ network }) => network)
}

describe('the network of a session that begins in a framework', () => {
  let config: AuthConfig
  beforeEach(async () => {
    config = webConfig(LISTING_STRATEGIES.database(await storeWithPeople()))
  })

  for (const [what, getClientAddress, network] of [
    ['the adapter of SvelteKit knows', () => ADDRESS, NETWORK],
    ['the adapter of SvelteKit does not know, and throws', svelteKitThrows, null],
  ] as const) {
    it(`is that of the address that ${what}`, async () => {
      const form = { providerId: 'credentials', ...enteredBy('ada') }
      const event = { ...svelteKitEvent('/login', { form, headers: FORWARDED }), getClientAddress }
      await redirection(SvelteKitAuth(config).signIn(event))
      expect(await networksOf(config, cookieHeader(event))).to.deep.equal([network])
    })
  }

  it('is that of the connection that Qwik City knows', () => {
    const event = { ...qwikEvent('/'), clientConn: { ip: ADDRESS } }
    expect([qwikFacts(event).clientAddress(), qwikFacts(qwikEvent('/')).clientAddress()]).to.deep.equal([
      ADDRESS,
      undefined,
    ])
  })

  it('is that of the address that SolidStart knows', async () => {
    const event: SolidEvent = { ...solidEvent('/_server?id=1', FORWARDED, 'POST'), clientAddress: ADDRESS }
    const thrown = await signIn(event, config, 'credentials', enteredBy('ada')).catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(Response)
    const cookie = cookiesFrom(event.response.headers)
    expect(await networksOf(config, cookie)).to.deep.equal([NETWORK])
  })
})

function svelteKitThrows(): string {
  throw new Error('Cannot read the address')
}
