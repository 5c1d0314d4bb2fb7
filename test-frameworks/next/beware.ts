import { join } from 'node:path'
import { encode } from '@auth/core/jwt'
import { expect } from 'chai'
import { sendRaw } from '../../test/support/raw-http.js'
import { Visitor } from '../../test/support/visitor.js'
import { filesBelow } from '../support/built-example.js'
import { CLIENT_SECRET, type NextApplication, SECRET, SESSION, submit } from './application.js'
import { LITERAL_OF_BROWSERS, LITERAL_SECRET } from './files.js'

const PASSWORD = { username: 'ada', password: 'lovelace' }

/** What Next.js does that an integration has to beware of. */
export function describeBeware(app: () => NextApplication): void {
  describe('what to beware of', () => {
    it('server components cannot set cookies: they read without renewing', async () => {
      const visitor = await app().signedIn()
      const page = await visitor.get('/unguarded')
      expect([page.status, page.setCookie]).to.deep.equal([200, []])
      expect(page.text).to.match(/Seen: (<!-- -->)?Ada/)
      expect(app().served.output()).not.to.include('Cookies can only be modified')
    })

    for (const [path, text] of Object.entries({
      '/about': 'About this application',
      '/about/timed': 'Made in advance for an hour',
      '/news': 'News made in advance',
    })) {
      it(`${path}, which is made in advance, carries no cookie that a shared cache may keep`, async () => {
        const anonymous = await new Visitor(app().origin).get(path)
        expect(anonymous.headers.get('cache-control')).to.include('s-maxage')
        expect(anonymous.setCookie).to.deep.equal([])
        const visitor = await app().signedIn()
        for (const headers of [{}, { rsc: '1' }, { 'x-nextjs-data': '1' }] as Record<string, string>[]) {
          const page = await visitor.get(path, headers)
          expect(page.cookies.has(SESSION), 'the proxy renews the session').to.equal(true)
          expect(page.headers.get('cache-control')).to.match(/private|no-store/)
          expect(page.headers.get('cache-control')).not.to.match(/s-maxage|public/)
        }
        expect((await visitor.get(path)).text).to.include(text)
      })
    }

    for (const path of ['/papers/rules', '/letters/kept']) {
      it(`${path}, which is made in advance and only members may see, is for no shared cache`, async () => {
        const refused = await new Visitor(app().origin).get(path)
        expect([refused.status, /Rules for|Letters of/.test(refused.text)]).to.deep.equal([401, false])
        const page = await (await app().signedIn()).get(path)
        expect(page.text).to.match(/Rules for members|Letters of members/)
        expect(page.headers.get('cache-control')).to.include('no-store').and.not.include('s-maxage')
      })
    }

    it('the configuration is evaluated per bundle, with the react-server condition or not: one session', async () => {
      const visitor = await app().signedIn('Augusta')
      expect((await visitor.get('/api/me')).json()).to.include({ name: 'Augusta' })
      expect((await visitor.get('/api/letters')).json()).to.include({ name: 'Augusta' })
      expect((await visitor.get('/api/auth/session')).json().user).to.include({ name: 'Augusta' })
      for (const path of ['/papers', '/letters', '/unguarded'])
        expect((await visitor.get(path)).text).to.include('Augusta')
    })

    it('a session ends though the proxy would renew it', async () => {
      const visitor = await app().signedIn()
      expect((await visitor.get('/about')).cookies.has(SESSION), 'the proxy renews the session').to.equal(true)
      const answer = await submit(visitor, 'leave')
      expect(answer.status).to.equal(303)
      const changes = answer.setCookie.filter((text) => text.startsWith(SESSION))
      expect(changes).to.have.length(1)
      expect(changes[0]).to.match(/max-age=0/i)
      expect(visitor.jar.has(SESSION)).to.equal(false)
      expect((await visitor.get('/api/me')).json()).to.equal(null)
      const after = await visitor.get('/papers')
      expect([after.status, after.cookies.has(SESSION)]).to.deep.equal([401, false])
    })

    for (const [sender, headers] of Object.entries({
      'of another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      'of another host of the same site': { origin: 'http://blog.localhost', 'sec-fetch-site': 'same-site' },
      'of nobody knows where, which Next.js lets pass': {},
    })) {
      it(`an action on request ${sender} is refused`, async () => {
        const visitor = await app().signedIn()
        const answer = await submit(visitor, 'leave', { headers: headers as Record<string, string> })
        expect(answer.status).to.equal(500)
        expect(answer.cookies.has(SESSION)).to.equal(false)
        expect((await visitor.get('/api/me')).json()).to.include({ name: 'Ada' })
        const stranger = new Visitor(app().origin)
        await submit(stranger, 'quietly', { headers: headers as Record<string, string> })
        expect(stranger.jar.has(SESSION)).to.equal(false)
      })
    }

    it('a form that repeats a field is refused, as by the forms of the mount', async () => {
      for (const [name, value] of [['password', 'lovelace'] as const, ['redirectTo', '/about'] as const]) {
        const visitor = new Visitor(app().origin)
        const answer = await submit(visitor, 'password', { fields: PASSWORD, repeated: [[name, value]] })
        expect([answer.status, visitor.jar.has(SESSION)], name).to.deep.equal([500, false])
      }
    })

    it('redirectTo leads to no other site', async () => {
      for (const redirectTo of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
        const visitor = new Visitor(app().origin)
        const answer = await submit(visitor, 'password', { fields: { ...PASSWORD, redirectTo } })
        expect(answer.status).to.equal(303)
        expect(answer.location?.origin, redirectTo).to.equal(app().origin)
      }
    })

    it('a route handler begins no sign-in at a provider for a link, also of the own pages', async () => {
      const { origin, provider } = app()
      const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
      const begin = (site: string) =>
        new Visitor(origin).get('/unguarded/open?to=/papers', { ...navigation, 'sec-fetch-site': site })
      for (const site of ['same-origin', 'cross-site', 'same-site', 'none']) {
        expect((await begin(site)).location?.origin, site).not.to.equal(provider.issuer)
      }
    })

    it('forged forwarded headers change nothing', async () => {
      const { origin } = app()
      const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-port': '1' }
      const providers = (await new Visitor(origin).get('/api/auth/providers', headers)).json()
      expect(new URL(providers.harbour.callbackUrl).origin).to.equal(origin)
      const refused = await sendRaw(origin, '/papers', { headers: { ...headers, 'sec-fetch-mode': 'navigate' } })
      expect(new URL(refused.headers.get('location') ?? '', origin).origin).to.equal(origin)
      expect((await (await app().signedIn()).get('/unguarded', headers)).text).to.include('Ada')
    })

    it('a streamed page shows each visitor their own session', async () => {
      const visitors = await Promise.all(['One', 'Two', 'Three'].map((name) => app().signedIn(name)))
      const names = ['One', 'Two', 'Three', 'nobody']
      const all = [...visitors, new Visitor(app().origin)]
      await Promise.all(
        Array.from({ length: 40 }, async (_, number) => {
          const at = number % all.length
          const page = await all[at]?.get('/unguarded/stream')
          const seen = /Seen: (?:<!-- -->)?(\w+)/.exec(page?.text ?? '')?.[1]
          expect(seen).to.equal(names[at])
        }),
      )
    })

    it('a visitor of next-auth stays signed in', async () => {
      const token = { sub: '1815', name: 'Ada of before', email: 'ada@example.com' }
      const visitor = new Visitor(app().origin)
      visitor.jar.set(SESSION, await encode({ token, secret: SECRET, salt: SESSION }))
      for (const path of ['/api/me', '/api/letters'])
        expect((await visitor.get(path)).json()).to.include({ name: 'Ada of before' })
      expect((await visitor.get('/papers')).text).to.include('Ada of before')
    })

    it('browsers get no secret of the environment or of the program, and nothing of the configuration', () => {
      const files = [...filesBelow(join(app().example.folder, '.next'))].map(
        ([path, text]) => [path.slice(app().example.folder.length).replaceAll('\\', '/'), text] as const,
      )
      // Scripts and styles; and the pages that were made in advance, with what their scripts load of them.
      const sent = files.filter(([path]) => /^\/\.next\/(static\/|server\/.*\.(html|rsc|meta|body|json)$)/.test(path))
      const manifests = /\/server\/(.*manifest|functions-config|.*nft|next-font)[^/]*\.json$/
      const forBrowsers = sent.filter(([path]) => !manifests.test(path))
      const holders = (text: string, among: typeof files) =>
        among.filter((file) => file[1].includes(text)).map(([path]) => path)
      // The search finds what is there.
      expect(holders(LITERAL_OF_BROWSERS, forBrowsers)).not.to.deep.equal([])
      expect(holders('Made in advance for an hour', forBrowsers).join()).to.include('timed.html')
      const inProgram = [LITERAL_SECRET, 'lovelace', 'boats@example.com', 'AUTH_HARBOUR', SESSION]
      for (const text of inProgram) expect(holders(text, files), text).not.to.deep.equal([])
      for (const text of [SECRET, CLIENT_SECRET, ...inProgram])
        expect(holders(text, forBrowsers), text).to.deep.equal([])
    })

    it('a configuration that cannot work answers 500, and the log names the cure', async () => {
      const broken = await app().serve({ AUTH_SECRET: undefined })
      try {
        for (const path of ['/papers', '/api/me', '/api/auth/session', '/about'])
          expect((await new Visitor(broken.origin).get(path)).status, path).to.equal(500)
        expect(broken.output()).to.include('AUTH_SECRET')
      } finally {
        await broken.stop()
      }
    })
  })
}
