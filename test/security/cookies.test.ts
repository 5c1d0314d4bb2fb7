import { expect } from 'chai'
import express from 'express'
import { type AuthConfig, expressAuth } from '../../lib/index.js'
import { ADA, listen, type Running, startApp, testConfig } from '../support/app.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { claimsOf } from '../support/tokens.js'
import type { Answer } from '../support/visitor.js'

const HOUR = 60 * 60
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

/**
 * Cookies by the ids of docs/requirements.md, as a browser gets and sends them. The pieces of a long session cookie
 * (COOKIE-05, COOKIE-06) are tested in test/kernel/session-cookie.test.ts and test/sessions/session-cookie.test.ts.
 */
describe('cookies on the wire', () => {
  let app: Running | undefined
  afterEach(async () => {
    await app?.close()
    app = undefined
  })

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
        [`${host}authjs.known-browser`]: `Max-Age=31536000; ${common}`,
      })
      const token = (await ada.get('/auth/csrf', headers)).json().csrfToken
      const signedOut = await ada.post('/auth/signout', { csrfToken: token }, headers)
      expect(attributesOf(signedOut)).to.deep.equal({
        [`${host}authjs.csrf-token`]: `Max-Age=0; ${common}`,
        [`${secure}authjs.callback-url`]: `Max-Age=0; ${common}`,
        [`${secure}authjs.session-token`]: `Max-Age=0; ${common}`,
      })
      expect([...ada.jar.keys()]).to.deep.equal([`${host}authjs.known-browser`])
    })
  }

  it('COOKIE-07: no cookie outlives its session', async () => {
    const { clock, browser } = openTestApp({ session: { maxAge: HOUR } })
    const [cookie] = sessionCookies(await browser().signIn())
    expect(cookie?.expires?.getTime()).to.equal((clock.seconds + HOUR) * 1000)
  })

  it('COOKIE-08: a cookie without the prefix never counts instead of a prefixed cookie over https', async () => {
    const ada = await behindProxy()
    await ada.signIn(ADA)
    const token = ada.jar.get(SESSION)
    expect(token).to.be.a('string')
    expect((await ada.get('/auth/session', HTTPS)).json()).to.equal(null)
    const cookie = `__Secure-${SESSION}=${token}`
    ada.jar.clear()
    expect((await ada.get('/auth/session', { ...HTTPS, cookie })).json(), 'renamed').to.equal(null)
  })

  it('COOKIE-08: beside a prefixed cookie, one without the prefix changes nothing', async () => {
    const ada = openTestApp({}, { origin: 'https://app.example' }).browser()
    const plain = await openTestApp().signedIn()
    ada.plant(SESSION, plain.jar.get(SESSION)?.value ?? '')
    await ada.signIn()
    const token = ada.jar.get(`__Secure-${SESSION}`)?.value ?? ''
    expect((await claimsOf(token, { salt: `__Secure-${SESSION}` })).sub).to.equal('1815')
    ada.plant(SESSION, 'planted')
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })

  it('COOKIE-08: of two cookies with one name the first counts', async () => {
    app = await startApp()
    const ada = app.visitor()
    await ada.signIn(ADA)
    const good = `${SESSION}=${ada.jar.get(SESSION)}`
    const bad = `${SESSION}=rubbish`
    const anonymous = app.visitor()
    expect((await anonymous.get('/auth/session', { cookie: `${good}; ${bad}` })).json().user.name).to.equal('Ada')
    expect((await anonymous.get('/auth/session', { cookie: `${bad}; ${good}` })).json()).to.equal(null)
  })

  it('COOKIE-09: only {name} and {name}.N are the session', async () => {
    app = await startApp()
    const ada = app.visitor()
    await ada.signIn(ADA)
    for (const suffix of ['-other', '.old', '.', 's', 'X', '2', '.0x', '.0.1', '.1.2']) {
      const stray = SESSION + suffix
      const other = ada.copy()
      other.jar.set(stray, 'stray')
      const answer = await other.get('/auth/session')
      expect(answer.json()?.user.name, stray).to.equal('Ada')
      expect(answer.setCookie, stray).to.deep.equal([])
    }
  })

  it('COOKIE-10: a cookie is deleted with the attributes with which it was set', async () => {
    const options = { domain: 'app.example', path: '/auth', sameSite: 'strict' } as const
    const ada = await behindProxy(testConfig({ cookies: { sessionToken: { name: 'sid', options } } }))
    const { csrfToken } = (await ada.get('/auth/csrf', HTTPS)).json()
    const signedIn = await ada.post('/auth/callback/credentials', { csrfToken, ...ADA }, HTTPS)
    const token = (await ada.get('/auth/csrf', HTTPS)).json().csrfToken
    const signedOut = await ada.post('/auth/signout', { csrfToken: token }, HTTPS)
    const scope = 'Domain=app.example; Path=/auth'
    const flags = 'HttpOnly; Secure; SameSite=Strict'
    expect(attributesOf(signedIn)['sid']).to.equal(`${scope}; Expires=+30d; ${flags}`)
    expect(attributesOf(signedOut)['sid']).to.equal(`Max-Age=0; ${scope}; ${flags}`)
  })

  it('take every name and every option that the configuration sets', async () => {
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
