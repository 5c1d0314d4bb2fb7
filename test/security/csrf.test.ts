import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { type AuthConfig, skipCSRFCheck } from '../../lib/index.js'
import GitHub from '../../lib/providers/catalogue/github.js'
import { ADA, createLog, passwords, type Running, SECRET, startApp, testConfig } from '../support/app.js'
import { formsOf, submit } from '../support/forms.js'
import type { Visitor } from '../support/visitor.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const CSRF = 'authjs.csrf-token'
const SESSION = 'authjs.session-token'

/** Every form that changes something, with what it is sent besides the token. */
const FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/auth/callback/credentials': ADA,
  '/auth/signin/github': {},
  '/auth/signin': {},
  '/auth/signout': {},
  '/auth/session': { data: 'x' },
}

describe('CSRF protection', () => {
  let app: Running
  const start = async (more: Partial<AuthConfig> = {}) => {
    const github = GitHub({ clientId: 'client', clientSecret: 'secret' })
    app = await startApp(testConfig({ providers: [passwords, github], ...more }))
    return app.visitor()
  }
  afterEach(() => app?.close())

  /** Whether a form was refused: by 400 null for the session, by the sign-in page for the others. */
  const isRefused = async (
    visitor: Visitor,
    path: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ) => {
    const before = visitor.jar.get(SESSION)
    const { status, location, text } = await visitor.post(path, { ...FORMS[path], ...fields }, headers)
    const refused = path.startsWith('/auth/session')
      ? status === 400
      : location?.searchParams.get('error') === 'MissingCSRF'
    if (refused) expect(visitor.jar.get(SESSION), `${path} ${text}`).to.equal(before)
    return refused
  }

  it('hands out a token in the very format of Auth.js (wire contract 4.3)', async () => {
    const visitor = await start()
    const token = await visitor.csrfToken()
    expect(token).to.match(/^[0-9a-f]{64}$/)
    expect(visitor.jar.get(CSRF)).to.equal(`${token}%7C${sha256(token + SECRET)}`)
  })

  it('takes a token that Auth.js made, with a bare | too', async () => {
    for (const separator of ['%7C', '|']) {
      const visitor = await start()
      const token = 'ab'.repeat(32)
      visitor.jar.set(CSRF, `${token}${separator}${sha256(token + SECRET)}`)
      expect(await visitor.csrfToken()).to.equal(token)
      expect(await isRefused(visitor, '/auth/callback/credentials', { csrfToken: token })).to.equal(false)
      await app.close()
    }
  })

  for (const path of Object.keys(FORMS)) {
    it(`CSRF-01: ${path} needs the token of the browser's own cookie`, async () => {
      const visitor = await start()
      await visitor.signIn(ADA)
      const other = app.visitor()
      const foreign = await other.csrfToken()
      const own = await visitor.csrfToken()
      const wrong = [
        '',
        'x',
        foreign,
        own.toUpperCase(),
        own.slice(1),
        `${own} `,
        own.replace(/./, (first) => (first === '0' ? '1' : '0')),
      ]
      for (const csrfToken of wrong) expect(await isRefused(visitor, path, { csrfToken }), csrfToken).to.equal(true)
      expect(await isRefused(visitor, path, {})).to.equal(true)
      expect(await isRefused(visitor, `${path}?csrfToken=${own}`, FORMS[path] ?? {})).to.equal(true)
      expect(await isRefused(other, path, { csrfToken: own })).to.equal(true)
      expect(await isRefused(visitor, path, { csrfToken: own })).to.equal(false)
    })

    it(`CSRF-04: ${path} refuses another site even with a good token`, async () => {
      const visitor = await start()
      await visitor.signIn(ADA)
      const csrfToken = await visitor.csrfToken()
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'cross-site', origin: app.origin },
        { 'sec-fetch-site': 'same-site', origin: 'https://sibling.example' },
        { 'sec-fetch-site': 'same-site', origin: 'null' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
        { origin: `${app.origin}.evil.example` },
        { origin: app.origin.replace('http', 'https') },
        { origin: `${app.origin}/` },
      ] as Record<string, string>[]) {
        expect(await isRefused(visitor, path, { csrfToken }, headers), JSON.stringify(headers)).to.equal(true)
      }
      for (const headers of [
        { 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
        { origin: app.origin },
        { origin: 'null' },
      ] as Record<string, string>[]) {
        const fresh = await visitor.csrfToken()
        expect(await isRefused(visitor, path, { csrfToken: fresh }, headers), JSON.stringify(headers)).to.equal(false)
        await visitor.signIn(ADA)
      }
    })
  }

  it('refuses tokens that are no text', async () => {
    const visitor = await start()
    const token = await visitor.csrfToken()
    for (const csrfToken of [[token], { token }, true, 1, null, { length: 64 }]) {
      expect((await visitor.postJson('/auth/session', { csrfToken })).status).to.equal(400)
    }
  })

  it('CSRF-02: refuses forged cookies: a token whose hash was made without the secret', async () => {
    const visitor = await start()
    const token = 'cd'.repeat(32)
    for (const hash of [
      '',
      'x',
      sha256(token),
      sha256(`${token}undefined`),
      sha256(token + SECRET).slice(1),
      sha256(token + SECRET).toUpperCase(),
    ]) {
      visitor.jar.set(CSRF, `${token}%7C${hash}`)
      expect(await isRefused(visitor, '/auth/signin', { csrfToken: token }), hash).to.equal(true)
    }
  })

  it('refuses tokens that no page or form could carry, whatever their hash', async () => {
    const visitor = await start()
    for (const token of ['', '\n', 'a\tb', 'a\u200b', 'x'.repeat(513), '\u202ex']) {
      visitor.jar.set(CSRF, encodeURIComponent(`${token}|${sha256(token + SECRET)}`))
      expect(await isRefused(visitor, '/auth/signin', { csrfToken: token }), JSON.stringify(token)).to.equal(true)
    }
  })

  it('takes a token of the application’s own only from the cookie itself, and writes it into pages as text', async () => {
    const visitor = await start()
    const token = '"><script>alert(1)</script>'
    const value = encodeURIComponent(`${token}|${sha256(token + SECRET)}`)
    const suffix = encodeURIComponent(token.slice(0, 8))
    visitor.jar.set(`${CSRF}.${suffix}`, value)
    visitor.jar.set(`${CSRF}.abababab`, value)
    expect(await isRefused(visitor, '/auth/signin', { csrfToken: token })).to.equal(true)
    visitor.jar.set(CSRF, value)
    const showsAsText = async (path: string) => {
      const page = await visitor.get(path)
      expect(page.text).to.not.include('<script>alert')
      expect(formsOf(page)[0]?.fields['csrfToken']).to.equal(token)
    }
    await showsAsText('/auth/signin')
    const { cookies } = await visitor.post('/auth/callback/credentials', { csrfToken: token, ...ADA })
    expect(cookies.get(CSRF)).to.match(/^[0-9a-f]{64}%7C[0-9a-f]{64}$/)
    expect(cookies.get(SESSION)).to.not.equal(undefined)
    visitor.jar.set(CSRF, value)
    await showsAsText('/auth/signout')
  })

  it('replaces an unusable cookie with a good one where a form is handed out', async () => {
    for (const path of ['/auth/csrf', '/auth/signin', '/auth/signout']) {
      const visitor = await start()
      visitor.jar.set(CSRF, 'rubbish')
      expect((await visitor.get(path)).cookies.get(CSRF), path).to.match(/^[0-9a-f]{64}%7C[0-9a-f]{64}$/)
      await app.close()
    }
  })

  it('sets its cookie only where a token is handed out, and not again while it is good', async () => {
    const visitor = await start()
    for (const path of ['session', 'providers', 'error', 'verify-request', 'nonsense']) {
      expect((await visitor.get(`/auth/${path}`)).setCookie, path).to.deep.equal([])
    }
    const page = await visitor.get('/auth/signin')
    expect(page.cookies.has(CSRF)).to.equal(true)
    const again = await visitor.get('/auth/signin')
    expect(again.cookies.has(CSRF)).to.equal(false)
    expect(formsOf(again)[0]?.fields['csrfToken']).to.equal(formsOf(page)[0]?.fields['csrfToken'])
  })

  it('CSRF-03: the token changes at sign-in and at sign-out, and the old one is worth nothing', async () => {
    const ada = await start()
    const first = await ada.csrfToken()
    await ada.post('/auth/callback/credentials', { csrfToken: first, ...ADA })
    const second = await ada.csrfToken()
    expect(second).to.not.equal(first)
    expect(await isRefused(ada, '/auth/signout', { csrfToken: first })).to.equal(true)
    await ada.post('/auth/signout', { csrfToken: second })
    expect([...ada.jar.keys()].filter((name) => name.startsWith(CSRF))).to.deep.equal([])
    expect(await ada.csrfToken()).to.not.equal(second)
    expect(await isRefused(ada, '/auth/signin', { csrfToken: second })).to.equal(true)
  })

  it('CSRF-06: a planted token and cookie are worth nothing once somebody has signed in', async () => {
    const attacker = await start()
    const planted = await attacker.csrfToken()
    const ada = attacker.copy()
    await ada.signIn(ADA)
    expect(await isRefused(ada, '/auth/signout', { csrfToken: planted })).to.equal(true)
    expect((await ada.session()).user.name).to.equal('Ada')
  })

  it('keeps the forms of tabs good that open at once, before any has a cookie', async () => {
    const blank = await start()
    const tabs = [blank.copy(), blank.copy(), blank.copy()]
    const pages = await Promise.all(tabs.map((tab) => tab.get('/auth/signin')))
    const browser = app.visitor()
    for (const tab of tabs) for (const [name, value] of tab.jar) browser.jar.set(name, value)
    for (const page of pages) {
      const tab = browser.copy()
      await submit(tab, page, '/callback/credentials', ADA)
      expect((await tab.session()).user.name).to.equal('Ada')
    }
  })

  it('keeps forms good while secrets rotate, also those that Auth.js signed with the joined list', async () => {
    const old = 'the secret of before, which is long enough'
    const token = 'ef'.repeat(32)
    for (const signedWith of [SECRET, old, `${SECRET},${old}`]) {
      const visitor = await start({ secret: [SECRET, old] })
      visitor.jar.set(CSRF, `${token}%7C${sha256(token + signedWith)}`)
      expect(await isRefused(visitor, '/auth/signin', { csrfToken: token }), signedWith).to.equal(false)
      await app.close()
    }
    const visitor = await start({ secret: [SECRET, old] })
    visitor.jar.set(CSRF, `${token}%7C${sha256(`${token}a third`)}`)
    expect(await isRefused(visitor, '/auth/signin', { csrfToken: token })).to.equal(true)
    expect(visitor.jar.get(CSRF)).to.not.equal(undefined)
    const fresh = await app.visitor().csrfToken()
    expect(fresh).to.match(/^[0-9a-f]{64}$/)
  })

  it('logs which origin a refused form came from, and which check is turned off (CSRF-07)', async () => {
    const log = createLog()
    const visitor = await start({ logger: log.logger })
    await visitor.post('/auth/signout', { csrfToken: await visitor.csrfToken() }, { origin: 'https://evil.example' })
    expect(log.warnings).to.deep.equal(['cross-site-post'])
    expect(log.errors[0]?.message).to.contain(app.origin)
    await app.close()
    const fixes: unknown[] = []
    const behindTls = await start({ logger: { ...log.logger, warn: (_code, data) => fixes.push(data) } })
    const sender = app.origin.replace('http:', 'https:')
    await behindTls.post('/auth/signout', { csrfToken: await behindTls.csrfToken() }, { origin: sender })
    expect((fixes as { fix?: string }[]).at(-1)?.fix)
      .to.include('ends TLS')
      .and.include('AUTH_URL')
    await app.close()
    const off = createLog()
    await start({ logger: off.logger, skipCSRFCheck })
    expect(off.warnings).to.deep.equal(['csrf-disabled'])
  })

  it('accepts a form behind a proxy that hides the origin, if the browser itself says same-origin', async () => {
    const visitor = await start()
    const csrfToken = await visitor.csrfToken()
    const headers = { origin: 'https://public.example', 'sec-fetch-site': 'same-origin' }
    expect(await isRefused(visitor, '/auth/signin', { csrfToken }, headers)).to.equal(false)
  })
})
