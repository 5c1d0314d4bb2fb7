import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sendRaw } from '../../test/support/raw-http.js'
import { Visitor } from '../../test/support/visitor.js'
import type { ServedExample } from '../support/built-example.js'
import { actionOf, type NextApplication, own, SESSION, submit } from './application.js'

/** What only members see. */
const OF_MEMBERS = /Papers of|Rules for|Letters of|Notes of|was written/

/** How both versions of Next.js call the file of a proxy, in the header that says where a request has been. */
const PROXIES = ['proxy', 'src/proxy', 'middleware', 'src/middleware', 'pages/_middleware']

/** What the proxy lets through, and what it refuses. */
export function describeGuard(app: () => NextApplication): void {
  describe('the guard', () => {
    it('is not by-passed by data routes, prefetches, HEAD, spellings or headers of Next.js', async () => {
      const { example, origin } = app()
      const buildId = readFileSync(join(example.folder, '.next/BUILD_ID'), 'latin1').trim()
      const tries: [path: string, method?: string, headers?: Record<string, string>][] = [
        ['/papers?_rsc=1', 'GET', { rsc: '1' }],
        ['/papers', 'GET', { rsc: '1', 'next-router-prefetch': '1', 'next-router-segment-prefetch': '/_tree' }],
        ['/papers.rsc', 'GET', { rsc: '1' }],
        ['/papers.segments/_tree.segment.rsc', 'GET', { rsc: '1' }],
        ['/papers/rules?_rsc=1', 'GET', { rsc: '1', 'next-router-state-tree': '%5B%22%22%5D' }],
        ['/papers/rules.rsc', 'GET', { rsc: '1' }],
        ['/papers/rules.txt', 'GET', { rsc: '1' }],
        ['/papers/rules.segments/_tree.segment.rsc', 'GET', { rsc: '1' }],
        [`/_next/data/${buildId}/letters.json`],
        [`/_next/data/${buildId}/letters.json`, 'GET', { 'x-nextjs-data': '1' }],
        [`/_next/data/${buildId}/letters/kept.json`],
        [`/_next/data/${buildId}/letters/kept.json`, 'GET', { 'x-nextjs-data': '1' }],
        [`/_next/data/${buildId}/letters%2Fkept.json`, 'GET', { 'x-nextjs-data': '1' }],
        [`/_next/data/${buildId}/papers/rules.json`, 'GET', { 'x-nextjs-data': '1' }],
        ['/papers', 'HEAD'],
        ['/papers', 'POST'],
        ['/%70apers'],
        ['/PAPERS/rules'],
        ['/papers/'],
        ['/papers/rules/'],
        ['/papers%2Frules'],
        ['/papers%2frules'],
        ['/papers%252Frules'],
        ['/%2Fpapers/rules'],
        ['/papers/%2E%2E/papers'],
        ['/papers%5Crules'],
        ['/papers\\rules'],
        ['//papers'],
        ['/x/../papers'],
        ['/papers;/rules'],
        ['/api/auth/signin/..%2F..%2F..%2Fpapers'],
        ...PROXIES.map((name): [string, string, Record<string, string>] => [
          '/papers',
          'GET',
          { 'x-middleware-subrequest': Array.from({ length: 6 }, () => name).join(':') },
        ]),
        ['/papers', 'GET', { 'x-middleware-next': '1', 'x-middleware-rewrite': '/papers', 'x-invoke-path': '/about' }],
        ['/papers/rules', 'GET', { 'x-matched-path': '/about', 'x-now-route-matches': '1', 'x-invoke-status': '200' }],
        ['/about', 'GET', { 'x-matched-path': '/papers/rules', 'x-rewrite-url': '/papers/rules' }],
        ['/about', 'GET', { 'x-original-url': '/papers/rules', 'x-middleware-rewrite': '/papers/rules' }],
      ]
      for (const [path, method = 'GET', headers = {}] of tries) {
        const { status, body } = await sendRaw(origin, path, { method, headers })
        const expected = path === '/about' ? [200] : [308, 400, 401, 404]
        expect(status, `${method} ${path} ${JSON.stringify(headers)}`).to.be.oneOf(expected)
        expect(body, path).not.to.match(OF_MEMBERS)
      }
      expect((await new Visitor(origin).get('/letters')).status).to.equal(401)
      const member = await app().signedIn()
      for (const path of ['/papers', '/papers/rules', '/letters', `/_next/data/${buildId}/letters/kept.json`])
        expect((await member.get(path)).text, path).to.match(OF_MEMBERS)
    })

    it('sends a person to sign in', async () => {
      const { origin } = app()
      const { status, headers } = await sendRaw(origin, '/papers?a=b', { headers: { 'sec-fetch-mode': 'navigate' } })
      // Next.js cuts the origin off where it is that of the request.
      const target = `/api/auth/signin?callbackUrl=${encodeURIComponent(`${origin}/papers?a=b`)}`
      expect([status, headers.get('location')?.replace(origin, '')]).to.deep.equal([302, target])
    })

    it('sends a person to sign in from a page that calls signIn()', async () => {
      const { status, location } = await new Visitor(app().origin).get('/unguarded/asks')
      expect([status, location?.pathname]).to.deep.equal([307, '/api/auth/signin'])
      expect((await (await app().signedIn()).get('/unguarded/asks')).text).to.include('Seen')
    })

    it('leads a browser to sign in whose session has ended when it calls an action', async () => {
      const { origin } = app()
      const member = await app().signedIn()
      const action = actionOf((await member.get('/papers/notes')).text, 'write')
      member.jar.clear()
      const headers = {
        ...own(origin),
        'next-action': action,
        'content-type': 'text/plain;charset=UTF-8',
        accept: 'text/x-component',
      }
      const answer = await member.visit('/papers/notes', { method: 'POST', body: '[]', headers })
      expect(answer.headers.get('x-action-redirect')).to.equal(`${origin}/api/auth/signin;push`)
      expect(decodeURIComponent(answer.cookies.get('authjs.callback-url') ?? '')).to.equal(`${origin}/papers/notes`)
      expect(answer.text).not.to.match(OF_MEMBERS)
    })

    it('gives a handler the public origin', async () => {
      const served = await app().serve({ AUTH_URL: 'https://app.example' })
      try {
        const { status, location } = await new Visitor(served.origin).get('/unguarded/hop')
        expect([status, location?.href]).to.deep.equal([302, 'https://app.example/login'])
      } finally {
        await served.stop()
      }
    })

    it('is asked about the address of a rewrite in next.config, and not about its destination', async () => {
      const nobody = new Visitor(app().origin)
      expect((await nobody.get('/papers/shortcut')).status).to.equal(401)
      // The guide warns of it: whoever rewrites to a guarded page has to guard the new address as well.
      expect((await nobody.get('/shortcut')).text).to.include('Rules for members')
    })

    it('wraps a handler for its methods only: others get 405, and one without an answer goes wrong', async () => {
      const { origin, served } = app()
      const member = await app().signedIn()
      const path = '/unguarded/methods'
      const { status, text, setCookie } = await member.get(path)
      expect([status, text, setCookie.length]).to.deep.equal([200, '{"seen":"Ada"}', 1])
      for (const method of ['POST', 'PATCH', 'DELETE']) {
        const answer = await member.visit(path, { method, headers: own(origin) })
        expect([answer.status, answer.text, answer.setCookie], method).to.deep.equal([405, '', []])
      }
      const head = await member.visit(path, { method: 'HEAD' })
      expect([head.status, head.text]).to.deep.equal([200, ''])
      const put = await member.visit(path, { method: 'PUT', headers: own(origin) })
      expect([put.status, put.cookies.has(SESSION)]).to.deep.equal([500, false])
      expect(served.output()).to.include('A text was put.')
    })

    it('leaves methods that the mount does not have to Next.js, which answers 405', async () => {
      for (const method of ['PUT', 'DELETE', 'PATCH'])
        for (const path of ['/api/auth/session', '/api/auth/signout'])
          expect((await sendRaw(app().origin, path, { method })).status, `${method} ${path}`).to.equal(405)
    })
  })

  describe('a server action of a guarded page', () => {
    it('does not run at a call of another page by somebody who is not signed in', async () => {
      const { served, origin } = app()
      const member = await app().signedIn()
      const action = actionOf((await member.get('/papers/notes')).text, 'write')
      await call(member, '/papers/notes', action)
      for (const path of ['/', '/about', '/unguarded', '/about/timed', '/papers/notes', '/api/auth/signin'])
        await call(new Visitor(origin), path, action)
      expect(served.output().match(/A note was written by \w+/g)).to.deep.equal(['A note was written by Ada'])
    })
  })

  describe('the page of pages.signIn behind the guard', () => {
    const PAGE = '/papers/enter'
    const fields = { username: 'ada', password: 'lovelace' }
    let served: ServedExample
    before(async () => {
      served = await app().serve({ MORE_CONFIG: JSON.stringify({ pages: { signIn: PAGE } }) })
    })
    after(() => served?.stop())

    async function member(): Promise<Visitor> {
      const visitor = new Visitor(served.origin)
      await submit(visitor, 'enter', { page: PAGE, fields })
      expect(visitor.jar.has(SESSION)).to.equal(true)
      return visitor
    }

    it('is shown to everybody, and no other page is, however its path is written', async () => {
      const { status, text } = await new Visitor(served.origin).get(`${PAGE}?callbackUrl=%2Fpapers`)
      expect([status, text.includes('Members enter here')]).to.deep.equal([200, true])
      for (const path of [`${PAGE}/rules`, `${PAGE}%2F..%2Frules`, `${PAGE}/../rules`, '/papers/rules'])
        expect((await sendRaw(served.origin, path)).status, path).to.be.oneOf([400, 401, 404])
    })

    it('signs in by its own action', async () => {
      const visitor = new Visitor(served.origin)
      const answer = await submit(visitor, 'enter', { page: PAGE, fields })
      expect([answer.status, answer.location?.pathname]).to.deep.equal([303, '/papers'])
      expect((await visitor.get('/papers')).text).to.include('Papers of')
    })

    it('runs no action of a guarded page for somebody who is not signed in', async () => {
      const action = actionOf((await (await member()).get('/papers/notes')).text, 'write')
      const answer = await call(new Visitor(served.origin), PAGE, action)
      expect(served.output()).not.to.include('A note was written')
      expect(answer.text).not.to.match(OF_MEMBERS)
    })

    // The guide warns of it. The proxy cannot know which actions a page has.
    it('runs every action of a file that it imports, for everybody: an action has to read the session itself', async () => {
      const action = actionOf((await (await member()).get('/papers/notes')).text, 'erase')
      await call(new Visitor(served.origin), PAGE, action)
      expect(served.output().match(/Asked to erase everything: \w+/g)).to.deep.equal([
        'Asked to erase everything: nobody',
      ])
    })
  })
}

/** Calls an action as the script of Next.js does. */
const call = (visitor: Visitor, path: string, action: string) =>
  visitor.visit(path, {
    method: 'POST',
    body: '[]',
    headers: { ...own(visitor.origin), 'next-action': action, 'content-type': 'text/plain;charset=UTF-8' },
  })
