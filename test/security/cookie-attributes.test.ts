import { expect } from 'chai'
import express from 'express'
import { type AuthConfig, expressAuth } from '../../lib/index.js'
import { ADA, listen, type Running, startApp, testConfig } from '../support/app.js'
import type { Answer } from '../support/visitor.js'

const HTTPS = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'app.example' }
const LAX = 'Path=/; HttpOnly; SameSite=Lax'
const SECURE = 'Path=/; HttpOnly; Secure; SameSite=Lax'

/** Cookies of an answer as name and attributes; the time of `Expires` becomes its distance in days. */
const attributesOf = ({ setCookie }: Answer) =>
  Object.fromEntries(
    setCookie.map((text): [string, string] => {
      const [pair = '', ...attributes] = text.split('; ')
      const shown = attributes.map((attribute) =>
        attribute.startsWith('Expires=')
          ? `Expires=+${Math.round((Date.parse(attribute.slice(8)) - Date.now()) / 86_400_000)}d`
          : attribute,
      )
      return [pair.split('=', 1)[0] ?? '', shown.join('; ')]
    }),
  )

describe('cookies on the wire', () => {
  let app: Running
  afterEach(() => app.close())

  const behindProxy = async (config: AuthConfig = testConfig()) => {
    const server = express().set('trust proxy', true)
    server.use('/auth', expressAuth(config))
    app = await listen(server)
    return app.visitor()
  }

  for (const [scheme, headers, common, prefixes] of [
    ['http', {}, LAX, ['', '']],
    ['https', HTTPS, SECURE, ['__Secure-', '__Host-']],
  ] as const) {
    it(`COOKIE-01…04: have exactly their attributes over ${scheme}, set and deleted`, async () => {
      const ada = await behindProxy()
      const [secure, host] = prefixes
      const page = await ada.get('/auth/signin?callbackUrl=/x', headers)
      const own = Object.keys(attributesOf(page)).find((name) => /csrf-token\.[0-9a-f]{8}$/.test(name)) ?? ''
      expect(attributesOf(page)).to.deep.equal({
        [`${host}authjs.csrf-token`]: common,
        [own]: `Max-Age=3600; ${common}`,
        [`${secure}authjs.callback-url`]: common,
      })
      const { csrfToken } = (await ada.get('/auth/csrf', headers)).json()
      const signedIn = await ada.post('/auth/callback/credentials', { csrfToken, ...ADA }, headers)
      expect(attributesOf(signedIn)).to.deep.equal({
        [own]: `Max-Age=0; ${common}`,
        [`${host}authjs.csrf-token`]: common,
        [`${secure}authjs.session-token`]: common.replace('Path=/', 'Path=/; Expires=+30d'),
      })
      const token = (await ada.get('/auth/csrf', headers)).json().csrfToken
      const signedOut = await ada.post('/auth/signout', { csrfToken: token }, headers)
      expect(attributesOf(signedOut)).to.deep.equal({
        [`${host}authjs.csrf-token`]: `Max-Age=0; ${common}`,
        [`${secure}authjs.callback-url`]: `Max-Age=0; ${common}`,
        [`${secure}authjs.session-token`]: `Max-Age=0; ${common}`,
      })
      expect(ada.jar.size).to.equal(0)
    })
  }

  it('COOKIE-08: a plain look-alike never stands in for a prefixed cookie over https', async () => {
    const ada = await behindProxy()
    await ada.signIn(ADA)
    expect(ada.jar.has('authjs.session-token')).to.equal(true)
    expect((await ada.get('/auth/session', HTTPS)).json()).to.equal(null)
  })

  it('COOKIE-08: of two cookies of one name the first is taken, deterministically', async () => {
    const config = testConfig()
    app = await startApp(config)
    const ada = app.visitor()
    await ada.signIn(ADA)
    const good = `authjs.session-token=${ada.jar.get('authjs.session-token')}`
    const bad = 'authjs.session-token=rubbish'
    const anonymous = app.visitor()
    expect((await anonymous.get('/auth/session', { cookie: `${good}; ${bad}` })).json().user.name).to.equal('Ada')
    expect((await anonymous.get('/auth/session', { cookie: `${bad}; ${good}` })).json()).to.equal(null)
  })

  it('COOKIE-09: only {name} and {name}.N are the session', async () => {
    app = await startApp()
    const ada = app.visitor()
    await ada.signIn(ADA)
    for (const stray of [
      'authjs.session-token-other',
      'authjs.session-token.old',
      'authjs.session-token.',
      'authjs.session-tokens',
      'authjs.session-token.0.1',
    ]) {
      const other = ada.copy()
      other.jar.set(stray, 'stray')
      const answer = await other.get('/auth/session')
      expect(answer.json()?.user.name, stray).to.equal('Ada')
      expect(answer.cookies.has(stray), stray).to.equal(false)
    }
  })

  it('COOKIE-10: are deleted under the domain and path they were set with', async () => {
    const cookies = { sessionToken: { name: 'sid', options: { domain: 'app.example', path: '/auth' } } }
    const ada = await behindProxy(testConfig({ cookies }))
    const { csrfToken } = (await ada.get('/auth/csrf', HTTPS)).json()
    await ada.post('/auth/callback/credentials', { csrfToken, ...ADA }, HTTPS)
    const token = (await ada.get('/auth/csrf', HTTPS)).json().csrfToken
    const signedOut = await ada.post('/auth/signout', { csrfToken: token }, HTTPS)
    expect(attributesOf(signedOut)['sid']).to.equal(
      'Max-Age=0; Domain=app.example; Path=/auth; HttpOnly; Secure; SameSite=Lax',
    )
  })

  it('follow every override, name by name and option by option', async () => {
    const ada = await behindProxy(
      testConfig({
        useSecureCookies: false,
        cookies: {
          sessionToken: { name: 'sid', options: { sameSite: 'strict', maxAge: 60 } },
          csrfToken: { name: 'form' },
          callbackUrl: { options: { priority: 'low' } },
        },
      }),
    )
    const page = attributesOf(await ada.get('/auth/signin?callbackUrl=/x', HTTPS))
    expect([page['form'], page['authjs.callback-url']]).to.deep.equal([LAX, LAX.replace('Same', 'Priority=Low; Same')])
    const { csrfToken } = (await ada.get('/auth/csrf', HTTPS)).json()
    const signedIn = attributesOf(await ada.post('/auth/callback/credentials', { csrfToken, ...ADA }, HTTPS))
    expect(signedIn['sid']).to.equal('Max-Age=60; Path=/; Expires=+30d; HttpOnly; SameSite=Strict')
  })
})
