import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { type AuthConfig, type EventError, getSession } from '../../lib/index.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import { ADA, createLog, passwords, SECRET, startApp, testConfig } from '../support/app.js'

const surroundings = { env: readEnv({}), now: Date.now }

/** Freezes an object and all plain objects and lists in it. */
function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) deepFreeze(member)
  return Object.freeze(value)
}

describe('a configuration, resolved', () => {
  it('is frozen', () => {
    const config = resolveConfig(testConfig({ pages: { signIn: '/login' } }), surroundings)
    for (const part of [
      config,
      config.origin,
      config.callbacks,
      config.pages,
      config.schemeFor('https://app.example'),
    ]) {
      expect(Object.isFrozen(part)).to.equal(true)
    }
  })

  it('leaves the object of the caller as it was: a frozen one signs in, updates and signs out', async () => {
    const config = deepFreeze<AuthConfig>({
      providers: [passwords, GitHub({ clientId: 'client', clientSecret: 'secret' })],
      secret: [SECRET, 'another secret, which is long enough'],
      session: { maxAge: 1000 },
      cookies: { sessionToken: { options: { sameSite: 'strict' } } },
      callbacks: { jwt: ({ token }) => token },
      events: {},
      pages: { signOut: '/bye' },
      theme: { brandColor: '#123456' },
      logger: createLog().logger,
      jwt: {},
    })
    const before = JSON.stringify(config)
    const app = await startApp(config, (server) => {
      server.get('/', async (req, res) => void res.json(await getSession(req, config)))
    })
    const ada = app.visitor()
    await ada.get('/auth/signin')
    await ada.signIn(ADA)
    expect((await ada.get('/')).json().user.name).to.equal('Ada')
    await ada.postJson('/auth/session', { csrfToken: await ada.csrfToken(), data: {} })
    const started = await ada.post('/auth/signin/github', { csrfToken: await ada.csrfToken() })
    expect(started.location?.host).to.equal('github.com')
    await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
    expect(await ada.session()).to.equal(null)
    expect(JSON.stringify(config)).to.equal(before)
    await app.close()
  })

  it('is made once: what the caller changes afterwards has no effect', async () => {
    const config = testConfig()
    const app = await startApp(config)
    config.secret = 'changed afterwards, and long enough too'
    config.pages = { signIn: '/elsewhere' }
    const ada = app.visitor()
    expect((await ada.get('/auth/signin')).status).to.equal(200)
    await ada.signIn(ADA)
    expect((await ada.session()).user.name).to.equal('Ada')
    await app.close()
  })

  it('warns of debug output, weak secrets and what is turned off', () => {
    const log = createLog()
    resolveConfig(testConfig({ logger: log.logger, debug: true, experimental: { enableWebAuthn: true } }), surroundings)
    expect(log.warnings).to.deep.equal(['experimental-webauthn'])
  })
})

describe('events', () => {
  it('that throw are logged and change nothing', async () => {
    const log = createLog()
    const failing = () => Promise.reject(new Error('the mail server is down'))
    const app = await startApp(
      testConfig({ logger: log.logger, events: { signIn: failing, session: failing, signOut: failing } }),
    )
    const ada = app.visitor()
    expect((await ada.signIn(ADA)).location?.href).to.equal(`${app.origin}/`)
    expect((await ada.session()).user.name).to.equal('Ada')
    await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
    expect([...ada.jar.keys()]).to.deep.equal(['authjs.known-browser'])
    expect(log.errors.map(({ name, message }) => [name, message])).to.deep.equal(
      ['signIn', 'session', 'signOut'].map((event) => ['EventError', `The ${event} event handler threw.`]),
    )
    expect((log.errors[0] as EventError).cause?.err?.message).to.equal('the mail server is down')
    await app.close()
  })

  it('are waited for, and keep their this', async () => {
    class Events {
      readonly heard: string[] = []
      async signIn(message: { user: { name?: string | null } }) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        this.heard.push(`${message.user.name} signed in`)
      }
    }
    const events = new Events()
    const app = await startApp(testConfig({ events }))
    await app.visitor().signIn(ADA)
    expect(events.heard).to.deep.equal(['Ada signed in'])
    await app.close()
  })
})
