import { expect } from 'chai'
import { parseCookie } from 'cookie'
import express from 'express'
import { expressAuth, requireAuth } from '../../lib/index.js'
import { ADA, listen, type Running, testConfig } from '../support/app.js'
import { formsOf } from '../support/forms.js'
import { elements } from '../support/html.js'
import { sendRaw } from '../support/raw-http.js'
import { redirectCorpus } from '../support/redirect-corpus.js'
import type { Answer, Visitor } from '../support/visitor.js'

const AS_JSON = { 'x-auth-return-redirect': '1' }

/** Every place that an answer leads to, now or later. */
function leadsOf(answer: Answer, requested: string): URL[] {
  const leads: string[] = []
  const location = answer.headers.get('location')
  if (location !== null) leads.push(location)
  const remembered = answer.cookies.get('authjs.callback-url')
  if (remembered) leads.push(parseCookie(`x=${remembered}`)['x'] ?? '')
  if (answer.headers.get('content-type')?.startsWith('application/json')) leads.push(answer.json()?.url ?? requested)
  for (const { action, fields } of formsOf(answer)) leads.push(action, fields['callbackUrl'] ?? requested)
  for (const link of elements(answer.text, 'a')) leads.push(link.get('href') ?? requested)
  const urls = leads.map((lead) => new URL(lead, requested))
  // A sign-in page has the return target in its query. Only /sent gets its query as it came (wire contract 7.1).
  const returnTargetsOf = (url: URL) => (url.pathname === '/sent' ? [] : url.searchParams.getAll('callbackUrl'))
  return urls.flatMap((url) => [url, ...returnTargetsOf(url).map((inner) => new URL(inner, requested))])
}

type Attack = (visitor: Visitor, target: string) => Promise<Answer>

const query = (target: string) => new URLSearchParams({ callbackUrl: target })

/** A lone surrogate cannot travel; it goes as the replacement character, as from browsers. */
const wellFormed = (text: string) => Buffer.from(text).toString()

/** Puts the target where the browser keeps it, as an attacker on a sibling host could. */
const planted = (visitor: Visitor, target: string) => {
  visitor.jar.set('authjs.callback-url', encodeURIComponent(wellFormed(target)))
}

const post =
  (path: string, where: 'body' | 'query' | 'cookie', headers: Record<string, string> = {}, more = {}): Attack =>
  async (visitor, target) => {
    const csrfToken = await visitor.csrfToken()
    if (where === 'cookie') planted(visitor, target)
    const fields = { csrfToken, ...more, ...(where === 'body' && { callbackUrl: target }) }
    return visitor.post(where === 'query' ? `${path}?${query(target)}` : path, fields, headers)
  }

const get =
  (path: string, where: 'query' | 'cookie', headers: Record<string, string> = {}): Attack =>
  (visitor, target) => {
    if (where === 'cookie') planted(visitor, target)
    return visitor.get(where === 'query' ? `${path}?${query(target)}` : path, headers)
  }

const WAYS: Record<string, Attack> = {
  'POST signin/credentials, body': post('/auth/signin/credentials', 'body'),
  'POST callback/credentials with a wrong password, body': post(
    '/auth/callback/credentials',
    'body',
    {},
    { username: 'x' },
  ),
  'POST callback/credentials for JSON, body': post('/auth/callback/credentials', 'body', AS_JSON, ADA),
  'POST signout for JSON, body': post('/auth/signout', 'body', AS_JSON),
}
for (const where of ['body', 'query', 'cookie'] as const) {
  WAYS[`POST signin, ${where}`] = post('/auth/signin', where)
  WAYS[`POST callback/credentials, ${where}`] = post('/auth/callback/credentials', where, {}, ADA)
  WAYS[`POST signout, ${where}`] = post('/auth/signout', where)
}
const OWN_PAGES: Record<string, Attack> = {
  "GET signin for JSON with a page of the app's own, query": get('/auth/signin', 'query', AS_JSON),
}
for (const where of ['query', 'cookie'] as const) {
  for (const page of ['signin', 'signin/credentials', 'signout'])
    WAYS[`GET ${page}, ${where}`] = get(`/auth/${page}`, where)
  for (const page of ['signin', 'signout', 'error', 'verify-request']) {
    OWN_PAGES[`GET ${page} with a page of the app's own, ${where}`] = get(`/auth/${page}`, where)
  }
}

describe('the redirect corpus (WEB-02, OAUTH-08)', () => {
  const running: Running[] = []
  const start = async (config = testConfig()) => {
    const server = express().use('/auth', expressAuth(config))
    server.use(requireAuth(config), (_req, res) => void res.send('ran'))
    const app = await listen(server)
    running.push(app)
    return app
  }
  after(() => Promise.all(running.map((app) => app.close())))

  it('has 60 forms at least, each once', () => {
    const corpus = redirectCorpus('http://127.0.0.1:3000')
    expect(corpus.length).to.be.at.least(60)
    expect(new Set(corpus).size).to.equal(corpus.length)
  })

  const stayHome = async (app: Running, attack: Attack) => {
    for (const target of redirectCorpus(app.origin)) {
      const shown = JSON.stringify(target.slice(0, 60))
      const visitor = app.visitor()
      const answer = await attack(visitor, target)
      expect(answer.status, shown).to.be.below(500)
      for (const lead of leadsOf(answer, `${app.origin}/auth/x`))
        expect(lead.origin, `${shown} → ${lead}`).to.equal(app.origin)
      expect(answer.headers.has('x-injected') || answer.cookies.has('a'), shown).to.equal(false)
      for (const cookie of answer.setCookie) expect(cookie.split(';', 1)[0]?.length, shown).to.be.at.most(4096)
    }
  }

  for (const [name, attack] of Object.entries(WAYS)) {
    it(`${name}: never leaves the origin`, async () => stayHome(running[0] ?? (await start()), attack))
  }
  for (const [name, attack] of Object.entries(OWN_PAGES)) {
    it(`${name}: never leaves the origin`, async () => {
      const pages = { signIn: '/login?a=1', signOut: '/bye', error: '/oops', verifyRequest: '/sent' }
      await stayHome(await start(testConfig({ pages })), attack)
    })
  }

  it('ends a sign-in signed in wherever it was to lead, and a bad target costs nobody a session', async () => {
    const app = await start()
    for (const target of redirectCorpus(app.origin)) {
      const shown = JSON.stringify(target.slice(0, 60))
      const ada = app.visitor()
      planted(ada, target)
      expect((await ada.signIn(ADA)).status, shown).to.equal(302)
      planted(ada, target)
      await ada.get(`/auth/signin?${query(target)}`)
      await ada.get(`/auth/session?${query(target)}`)
      expect((await ada.session()).user.name, shown).to.equal('Ada')
    }
  })

  it('requireAuth: a path of any form comes back to this origin', async () => {
    const app = await start()
    for (const target of redirectCorpus(app.origin)) {
      const path = `/${target.replace(/^\//, '')}`.replace(/[^\x21-\x7e]/g, (character) =>
        encodeURIComponent(wellFormed(character)),
      )
      const headers = { accept: 'text/html' }
      const { status, headers: given } = await sendRaw(app.origin, path, { headers })
      expect(status, path.slice(0, 60)).to.be.within(302, 499)
      const location = new URL(given.get('location') ?? '/', app.origin)
      expect(location.origin, path.slice(0, 60)).to.equal(app.origin)
      const back = location.searchParams.get('callbackUrl') ?? '/'
      expect(new URL(back, app.origin).origin, path.slice(0, 60)).to.equal(app.origin)
    }
  })

  it('keeps whole what does stay here', async () => {
    const app = await start()
    for (const path of [
      '/',
      '/a?x=1&y=%2F%2Fevil.example#z',
      '/ü/ö?q=ä',
      '/a//b',
      '/?u=https://evil.example',
      '/%2e%2e/x',
      '/%2F%2Fx',
    ]) {
      for (const target of [path, app.origin + path]) {
        const answer = await app.visitor().signIn({ ...ADA, callbackUrl: target })
        expect(answer.headers.get('location'), target).to.equal(new URL(target, app.origin).href)
      }
    }
    const alone = await app.visitor().signIn({ ...ADA, callbackUrl: app.origin })
    expect(alone.headers.get('location')).to.equal(app.origin)
  })

  it('follows the redirect callback elsewhere, but to web addresses only', async () => {
    for (const [chosen, expected] of [
      ['https://other.example/x', 'https://other.example/x'],
      ['/inside', '{origin}/inside'],
      ['javascript:alert(1)', '{origin}'],
      ['data:text/html,x', '{origin}'],
      ['https://user:pass@other.example', '{origin}'],
      ['not a url', '{origin}'],
      ['/x\r\nset-cookie: a=b', '{origin}'],
    ] as const) {
      const app = await start(testConfig({ callbacks: { redirect: () => chosen } }))
      const answer = await app.visitor().signIn({ ...ADA, callbackUrl: '/x' })
      expect(answer.headers.get('location'), chosen).to.equal(expected.replace('{origin}', app.origin))
    }
  })

  it('answers a POST with 302, never with what would send the form on (OAUTH-09)', async () => {
    const app = await start()
    const ada = app.visitor()
    expect((await ada.signIn(ADA)).status).to.equal(302)
    expect((await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })).status).to.equal(302)
    expect((await ada.post('/auth/signin', { csrfToken: await ada.csrfToken() })).status).to.equal(302)
  })
})
