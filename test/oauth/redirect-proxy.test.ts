import { expect } from 'chai'
import express from 'express'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { type AuthConfig, expressAuth, InvalidConfiguration } from '../../lib/index.js'
import { createValueEncryption } from '../../lib/kernel/encrypted-values.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import { createLog, listen, type Running, testConfig } from '../support/app.js'
import { withEnv } from '../support/env.js'
import { FakeProvider } from '../support/fake-provider.js'
import { CookieJar, failure, identityOf, OAuthDriver, resolved } from '../support/oauth-driver.js'

const PROXY = 'https://stable.example/auth'
const PREVIEW = 'https://preview-7.app.example/auth'
const HOSTS = ['preview-*.app.example', 'preview.example', 'localhost:3000']

describe('a redirect proxy', () => {
  let fake: FakeProvider
  before(async () => {
    fake = await FakeProvider.start()
  })
  after(() => fake.stop())
  beforeEach(() => fake.reset())

  const provider = (id = 'fake', more: object = {}) =>
    resolved(
      { id, name: id, type: 'oidc', issuer: fake.issuer, clientId: 'client', clientSecret: 'secret', ...more },
      {},
      PROXY,
    )
  const begun = async (mountUrl = PREVIEW, secrets?: string[]) => {
    const driver = new OAuthDriver({ mountUrl, ...(secrets ? { secrets } : {}) })
    const jar = new CookieJar()
    const url = await driver.start(provider(), jar)
    return { driver, jar, url, answer: fake.authorize(url.href) }
  }

  it('is the redirect URI that the provider gets, at the token endpoint as well, and adds the state check', async () => {
    const { driver, jar, url, answer } = await begun()
    expect(url.searchParams.get('redirect_uri')).to.equal(`${PROXY}/callback/fake`)
    expect(provider().checks).to.have.all.keys('pkce', 'state')
    identityOf(await driver.finish(provider(), jar, answer))
    expect(fake.callsTo('/token')[0]?.body.get('redirect_uri')).to.equal(`${PROXY}/callback/fake`)
  })

  it('hands an answer on with all its parameters, without cookies and without using it', async () => {
    const { driver, jar, answer } = await begun()
    answer.append('extra', 'a b')
    const proxy = new OAuthDriver({ mountUrl: PROXY, redirectProxyHosts: HOSTS })
    const outcome = await proxy.finish(provider(), new CookieJar(), answer)
    if (outcome.kind !== 'forward') throw new Error('not forwarded')
    const target = new URL(outcome.url)
    expect(`${target.origin}${target.pathname}`).to.equal(`${PREVIEW}/callback/fake`)
    expect([...target.searchParams]).to.deep.equal([...answer])
    expect(fake.callsTo('/token')).to.deep.equal([])
    identityOf(await driver.finish(provider(), jar, target.searchParams))
  })

  it('hands errors on as well', async () => {
    const { answer } = await begun()
    const error = new URLSearchParams({ error: 'access_denied', state: answer.get('state') ?? '' })
    const outcome = await new OAuthDriver({ mountUrl: PROXY, redirectProxyHosts: HOSTS }).finish(
      provider(),
      new CookieJar(),
      error,
    )
    expect(outcome.kind).to.equal('forward')
  })

  it('signs in its own visitors', async () => {
    const { driver, jar, answer } = await begun(PROXY)
    identityOf(await driver.finish(provider(), jar, answer))
  })

  it('refuses a state that it cannot open, or that there is none of', async () => {
    const { answer } = await begun(PREVIEW, ['the-secret-of-somebody-else-entirely'])
    const proxy = new OAuthDriver({ mountUrl: PROXY, redirectProxyHosts: HOSTS })
    await failure(proxy.finish(provider(), new CookieJar(), answer), 'InvalidCheck', /another secret/)
    answer.delete('state')
    await failure(proxy.finish(provider(), new CookieJar(), answer), 'InvalidCheck')
  })

  it('refuses a state that was made for another provider', async () => {
    const { answer } = await begun()
    await failure(
      new OAuthDriver({ mountUrl: PROXY, redirectProxyHosts: HOSTS }).finish(
        provider('other'),
        new CookieJar(),
        answer,
      ),
      'InvalidCheck',
    )
  })

  it('refuses a state after 15 minutes', async () => {
    const { answer } = await begun()
    const later = new OAuthDriver({ mountUrl: PROXY, redirectProxyHosts: HOSTS, now: () => Date.now() + 16 * 60_000 })
    await failure(later.finish(provider(), new CookieJar(), answer), 'SignInExpired')
  })

  it('does not pass on an encrypted value of another purpose', async () => {
    const { jar, answer } = await begun()
    const proxy = new OAuthDriver({ mountUrl: PROXY, redirectProxyHosts: HOSTS })
    for (const value of jar.cookies.values()) {
      answer.set('state', value)
      await failure(proxy.finish(provider(), new CookieJar(), answer), 'InvalidCheck')
    }
  })

  describe('hands an answer on', () => {
    const PATH = '/auth/callback/fake'
    /** What happens to an answer for a sign-in that a preview began under this host. Any visitor can choose the host. */
    const answerFor = async (origin: string, hosts: readonly string[] | undefined) => {
      const preview = new OAuthDriver({ mountUrl: `${origin}/auth` })
      const answer = fake.authorize((await preview.start(provider(), new CookieJar())).href)
      const proxy = new OAuthDriver({ mountUrl: PROXY, ...(hosts && { redirectProxyHosts: hosts }) })
      return proxy.finish(provider(), new CookieJar(), answer)
    }

    for (const origin of [
      'https://preview-7.app.example',
      'https://preview-7.app.example:8443',
      'http://localhost:3000',
    ]) {
      it(`to ${origin}, which is on the list`, async () => {
        const outcome = await answerFor(origin, HOSTS)
        expect(outcome).to.have.property('kind', 'forward')
        expect(outcome)
          .to.have.property('url')
          .that.matches(new RegExp(`^${origin}${PATH}\\?code=`))
      })
    }

    for (const origin of [
      'https://evil.example',
      'https://app.example',
      'https://preview-7.app.example.evil.example',
      'https://evil.example.preview.app.example',
      'https://preview-7.evil.app.example',
      'https://xpreview-7.app.example',
      'http://preview-7.app.example',
      'http://preview-7.app.example:443',
      'http://localhost:3001',
      'http://localhost',
      'http://127.0.0.1:3000',
    ]) {
      it(`not to ${origin}`, async () => {
        await failure(answerFor(origin, HOSTS), 'InvalidCheck', /not on the list/)
        expect(fake.callsTo('/token')).to.deep.equal([])
      })
    }

    it('to nobody when it has no list, and says so to the developer', async () => {
      await failure(answerFor('https://preview-7.app.example', undefined), 'InvalidConfiguration', /redirectProxyHosts/)
      await failure(answerFor('https://preview-7.app.example', []), 'InvalidCheck', /redirectProxyHosts/)
    })
  })

  describe('without a list of hosts', () => {
    const github = GitHub({ clientId: 'client', clientSecret: 'secret' })
    const warningsOf = (config: Partial<AuthConfig>, env: Record<string, string> = {}) => {
      const log = createLog()
      resolveConfig(testConfig({ providers: [github], logger: log.logger, ...config }), {
        env: readEnv({ AUTH_SECRET: 'x', ...env }),
        now: Date.now,
      })
      return log.warnings.filter((code) => code === 'redirect-proxy-without-hosts')
    }
    const redirectProxyUrl = PROXY

    it('is warned of at the start, where it is the proxy or may be it', () => {
      expect(warningsOf({ redirectProxyUrl })).to.have.length(1)
      expect(warningsOf({ redirectProxyUrl, url: 'https://stable.example' })).to.have.length(1)
      expect(warningsOf({}, { AUTH_REDIRECT_PROXY_URL: PROXY })).to.have.length(1)
      expect(warningsOf({ providers: [{ ...github, redirectProxyUrl }] })).to.have.length(1)
    })

    it('is not warned of on previews that know their origin, with a list, and without a proxy', () => {
      expect(warningsOf({ redirectProxyUrl, url: 'https://preview-7.app.example' })).to.deep.equal([])
      expect(warningsOf({ redirectProxyUrl, redirectProxyHosts: [] })).to.deep.equal([])
      expect(warningsOf({ redirectProxyUrl, redirectProxyHosts: HOSTS })).to.deep.equal([])
      expect(warningsOf({})).to.deep.equal([])
    })

    it('does not start with a list that is none, or that would admit anybody', () => {
      for (const hosts of ['app.example', ['*'], ['https://app.example'], [7]]) {
        expect(() => warningsOf({ redirectProxyUrl, redirectProxyHosts: hosts as string[] })).to.throw(
          InvalidConfiguration,
          /redirectProxyHosts/,
        )
      }
    })
  })

  for (const origin of [
    'https://preview.example/elsewhere',
    'https://preview.example/auth/callback/other',
    'https://preview.example/auth/callback/fake?next=x',
    'https://user@preview.example/auth/callback/fake',
    'javascript:alert(1)/callback/fake',
    '/auth/callback/fake',
    7,
  ]) {
    it(`passes nothing on to ${origin}, even if its own secret encrypted the value`, async () => {
      const encryption = createValueEncryption(['a-secret-of-at-least-thirty-two-bytes'], 'proxy-state', Date.now)
      const state = await encryption.encrypt({ random: 'r', origin, provider: 'fake' }, 60)
      const answer = new URLSearchParams({ code: 'c', state })
      await failure(
        new OAuthDriver({ mountUrl: PROXY, redirectProxyHosts: HOSTS }).finish(provider(), new CookieJar(), answer),
        'InvalidCheck',
      )
    })
  }

  it('is left aside with form_post, which it could not hand on', () => {
    const formPost = provider('fake', { authorization: { params: { response_mode: 'form_post' } } })
    expect(formPost.redirectProxyUrl).to.equal(undefined)
    expect(formPost.checks).to.have.all.keys('pkce')
  })

  for (const where of ['of the configuration', 'of one provider', 'of the environment']) {
    it(`${where} signs in the visitors of a deployment that the provider does not know, over HTTP`, async () => {
      const apps: Running[] = []
      const open = async (configOf: (origin: string) => AuthConfig) => {
        const app = await listen(
          express().use(
            '/auth',
            expressAuth(() => configs[index] ?? testConfig()),
          ),
        )
        const index = apps.push(app) - 1
        configs[index] = configOf(app.origin)
        return app
      }
      const configs: AuthConfig[] = []
      const stable = { proxy: '' }
      const configOf = (origin: string) => {
        stable.proxy ||= `${origin}/auth`
        const redirectProxyUrl = stable.proxy
        const entry = { ...provider().source, redirectProxyUrl: undefined, options: undefined }
        return testConfig({
          providers: [where === 'of one provider' ? { ...entry, redirectProxyUrl } : entry],
          ...(where === 'of the configuration' && { redirectProxyUrl }),
          redirectProxyHosts: ['127.0.0.1'],
        })
      }
      try {
        const proxy = await open(configOf)
        const preview = await open(configOf)
        await withEnv(where === 'of the environment' ? { AUTH_REDIRECT_PROXY_URL: stable.proxy } : {}, async () => {
          const ada = preview.visitor()
          const csrfToken = await ada.csrfToken()
          const sent = await ada.post('/auth/signin/fake', { csrfToken, callbackUrl: '/in' })
          const answer = fake.authorize(sent.location?.href ?? '')
          const forwarded = await proxy.visitor().get(`/auth/callback/fake?${answer}`)
          expect([forwarded.status, forwarded.location?.origin, forwarded.setCookie]).to.deep.equal([
            302,
            preview.origin,
            [],
          ])
          const back = await ada.get(`${forwarded.location?.pathname}${forwarded.location?.search}`)
          expect(back.location?.href).to.equal(`${preview.origin}/in`)
          expect((await ada.session()).user.name).to.equal('Ada')
        })
      } finally {
        await Promise.all(apps.map((app) => app.close()))
      }
    })
  }
})
