import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { readEnv } from '../../lib/config/env.js'
import type { AuthConfig } from '../../lib/index.js'
import type { Provider } from '../../lib/providers/provider.js'
import { ADA, passwords } from '../support/app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, OAuthDriver, resolved } from '../support/oauth-driver.js'
import { ofFeatures } from '../support/of-features.js'
import { askForLink, goTo, Mailbox, oauth } from '../support/sign-ins.js'
import { Clock, type TestApp, type TestBrowser, whoIs } from '../support/test-app.js'
import { atProcess, NEIGHBOURS, NEW, OLD, STEPS, type Step, startAt } from './processes.js'

/** A codec of an application's own that does as the guide says: it encrypts with the first secret, and decrypts with each. */
const ownCodec: AuthConfig['jwt'] = {
  encode: ({ token, secret }) => JSON.stringify({ token, by: [secret].flat()[0] }),
  decode({ token, secret }) {
    const read = JSON.parse(decodeURIComponent(token ?? ''))
    return [secret].flat().includes(read.by) ? read.token : null
  },
}

/** Where the secrets of an application may stand. */
const PLACES: Record<string, (step: Step) => Partial<AuthConfig>> = {
  secret: () => ({}),
  'the secret of an instance': () => ({ instance: 'tenant' }),
  'jwt.secret, beside a secret that stays': (step) => ({
    secret: 'stays as it is, and is long enough',
    jwt: { secret: [...STEPS[step]] },
  }),
  'secret, with a jwt.encode and jwt.decode of the application’s own': () => ({ jwt: ownCodec }),
  'the environment': () => ({ secret: [] }),
}

/** The three steps as they are written in the environment. */
const ENVIRONMENT: Record<Step, Record<string, string>> = {
  before: { AUTH_SECRET: OLD },
  accept: { AUTH_SECRET_1: OLD, AUTH_SECRET: NEW },
  use: { AUTH_SECRET_1: NEW, AUTH_SECRET: OLD },
  drop: { AUTH_SECRET: NEW },
}

/** Both directions of a roll-out: made in a process that is at one step, and used in one that is at the other. */
const DIRECTIONS = NEIGHBOURS.flatMap(([one, other]): (readonly [Step, Step])[] => [
  [one, other],
  [other, one],
])

/** What a feature makes with a secret. */
const OF_FEATURES = await ofFeatures<{
  readonly title: string
  readonly provider: () => Provider
  /** Makes it in a browser `there`, and uses it `here`. */
  readonly run: (browsers: { readonly there: TestBrowser; readonly here: TestBrowser }) => Promise<void>
}>('made-with-secret')

describe('the three steps, written in the environment', () => {
  it('give the lists that the steps need', () => {
    const lists = Object.fromEntries(Object.entries(ENVIRONMENT).map(([step, env]) => [step, readEnv(env).secrets]))
    expect(lists).to.deep.equal(STEPS)
  })
})

for (const [place, optionsAt] of Object.entries(PLACES)) {
  describe(`TOK-04: what is made with a secret, by ${place},`, () => {
    let fake: FakeProvider
    before(async () => {
      fake = await FakeProvider.start()
    })
    after(() => fake.stop())

    for (const [from, to] of DIRECTIONS) {
      describe(`at ${from} and used at ${to}`, () => {
        const startBoth = () => {
          const adapter = memoryAdapter()
          const mailbox = new Mailbox()
          const acme = oauth(fake, 'oidc', { id: 'acme', checks: ['pkce', 'state', 'nonce'] })
          const start = (step: Step): TestApp =>
            startAt(
              step,
              {
                providers: [passwords, acme, mailbox.provider(), ...OF_FEATURES.map(({ provider }) => provider())],
                adapter,
                session: { strategy: 'jwt' },
                url: 'http://app.example',
                ...optionsAt(step),
              },
              { clock: new Clock(Date.now()), env: ENVIRONMENT[step] },
            )
          const [made, used] = [start(from), start(to)]
          const there = made.browser()
          return { made, used, there, here: atProcess(used, there), mailbox }
        }
        const nameIn = async (browser: TestBrowser) => (await browser.session())?.user?.name ?? null

        it('a session is one, is changed, and is ended', async () => {
          const { used, there, here } = startBoth()
          await there.signIn()
          const copy = there.copy()
          expect([await nameIn(here), await nameIn(there)]).to.deep.equal(['Ada', 'Ada'])
          expect((await here.update({})).status).to.equal(200)
          expect(await nameIn(there)).to.equal('Ada')
          expect((await here.signOut()).location).to.equal('http://app.example')
          expect(await nameIn(atProcess(used, copy))).to.equal(null)
        })

        it('a form is good', async () => {
          const { there, here } = startBoth()
          const csrfToken = await there.csrfToken()
          const answered = await here.post('/auth/callback/credentials', { csrfToken, ...ADA })
          expect([answered.location, await nameIn(there)]).to.deep.equal(['http://app.example', 'Ada'])
        })

        it('a sign-in at a provider ends there', async () => {
          const { there, here } = startBoth()
          const answered = await here.get(await goTo(there, fake, 'acme'))
          expect([answered.location, await nameIn(here)]).to.deep.equal(['http://app.example', 'Ada'])
        })

        it('a mailed link signs in at once in the browser that asked for it', async () => {
          const { there, here, mailbox } = startBoth()
          const path = await askForLink(there, mailbox, 'ada@example.com')
          expect((await here.get(path)).status).to.equal(302)
          expect(await whoIs(here)).to.equal('ada@example.com')
        })

        for (const { title, run } of OF_FEATURES) it(title, () => run(startBoth()))
      })
    }
  })
}

describe('TOK-04: the state of a redirect proxy', () => {
  const proxied = () =>
    resolved(
      {
        id: 'acme',
        name: 'Acme',
        type: 'oauth',
        clientId: 'client',
        clientSecret: 'secret',
        authorization: 'https://acme.example/authorize',
        token: 'https://acme.example/token',
        userinfo: 'https://acme.example/me',
        profile: () => ({ id: '1' }),
      } as never,
      {},
      'https://stable.example/auth',
    )

  for (const [from, to] of DIRECTIONS) {
    it(`that a deployment at ${from} made is read by a proxy at ${to}`, async () => {
      const preview = new OAuthDriver({ secrets: STEPS[from], mountUrl: 'https://preview.example/auth' })
      const proxy = new OAuthDriver({
        secrets: STEPS[to],
        mountUrl: 'https://stable.example/auth',
        redirectProxyHosts: ['preview.example'],
      })
      const url = await preview.start(proxied(), new CookieJar())
      const params = new URLSearchParams({ code: 'code', state: url.searchParams.get('state') ?? '' })
      expect((await proxy.finish(proxied(), new CookieJar(), params)).kind).to.equal('forward')
    })
  }
})
