import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { encode } from '@auth/core/jwt'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium, requireChromium } from '../test/support/chromium.js'
import { type RealOidcProvider, startOidcProvider } from '../test/support/oidc-provider.js'
import { sendRaw } from '../test/support/raw-http.js'
import { type MailServer, startMailServer } from '../test/support/smtp.js'
import { Visitor } from '../test/support/visitor.js'
import { FILES, SUSPENDED, VARIANTS } from './next/files.js'
import {
  type BuiltExample,
  buildExample,
  filesBelow,
  freePort,
  type ServedExample,
  serveExample,
  writeFiles,
} from './support/built-example.js'

const SECRET = 'a secret of this test, which is long enough'
const CLIENT_SECRET = 'the secret of the client at the provider'
const NEXT = 'node_modules/next/dist/bin/next'
const SESSION = 'authjs.session-token'

describe('latchkey/next in Next.js', function () {
  this.timeout(60_000)
  let example: BuiltExample
  let provider: RealOidcProvider
  let mails: MailServer
  let served: ServedExample
  let origin: string
  let env: Record<string, string>

  before(async function () {
    this.timeout(600_000)
    requireChromium.call(this)
    example = await buildExample('next', '.next/BUILD_ID', { files: FILES })
    const { install, build } = example.seconds
    console.info(`    installed in ${install.toFixed(0)} s, built in ${build.toFixed(0)} s`)
    const port = await freePort()
    const client = { client_id: 'boats', client_secret: CLIENT_SECRET }
    const redirect = `http://localhost:${port}/api/auth/callback/harbour`
    provider = await startOidcProvider({ clients: [{ ...client, redirect_uris: [redirect] }] })
    mails = await startMailServer()
    env = {
      AUTH_SECRET: SECRET,
      AUTH_URL: `http://localhost:${port}`,
      AUTH_HARBOUR_ISSUER: provider.issuer,
      AUTH_HARBOUR_ID: client.client_id,
      AUTH_HARBOUR_SECRET: CLIENT_SECRET,
      MAIL_SERVER: mails.url,
      UPDATE_AGE: '0',
      NEXT_TELEMETRY_DISABLED: '1',
    }
    served = await serveExample(example, [NEXT, 'start', '-p', String(port)], { port, env })
    origin = served.origin
  })

  after(async () => {
    await served?.stop()
    await mails?.close()
    await provider?.stop()
    example?.remove()
  })

  const own = () => ({ origin, 'sec-fetch-site': 'same-origin', referer: `${origin}/` })

  /** Sends a form of a page as a browser without JavaScript does. */
  async function submit(
    visitor: Visitor,
    id: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = own(),
  ) {
    const page = await visitor.get('/')
    const form = new RegExp(`<form id="${id}"[^>]*>(.*?)</form>`, 's').exec(page.text)?.[1]
    if (form === undefined) throw new Error(`no form ${id} in ${page.text}`)
    const body = new FormData()
    for (const [input] of form.matchAll(/<input[^>]*>/g)) {
      const name = /name="([^"]*)"/.exec(input)?.[1] ?? ''
      const value = /value="([^"]*)"/.exec(input)?.[1] ?? ''
      body.append(name, fields[name] ?? value.replaceAll('&quot;', '"'))
    }
    const request = new Request(origin, { method: 'POST', body })
    return visitor.visit('/', {
      method: 'POST',
      body: Buffer.from(await request.arrayBuffer()).toString('latin1'),
      headers: { 'content-type': request.headers.get('content-type') ?? '', ...headers },
    })
  }

  async function signedIn(name?: string): Promise<Visitor> {
    const visitor = new Visitor(origin)
    expect((await submit(visitor, 'quietly')).status).to.equal(303)
    expect(visitor.jar.has(SESSION)).to.equal(true)
    if (name !== undefined) await submit(visitor, 'rename', { name })
    return visitor
  }

  for (const javaScriptEnabled of [true, false]) {
    describe(`in Chromium, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
      let browser: Browser
      let context: BrowserContext
      let page: Page

      before(async () => {
        browser = await launchChromium()
      })
      after(() => browser?.close())
      beforeEach(async () => {
        context = await browser.newContext({ javaScriptEnabled })
        page = await context.newPage()
        await page.goto(origin)
      })
      afterEach(() => context.close())

      const heading = () => page.locator('h1')
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      const shows = async (text: string) => {
        await page.locator('h1', { hasText: text }).waitFor()
        expect(await heading().innerText()).to.equal(text)
      }
      async function enter(password: string) {
        await page.fill('#password [name=username]', 'ada')
        await page.fill('#password [name=password]', password)
        await press('Sign in with a password')
      }

      it('says that a password is wrong, and signs in with the right one', async () => {
        await enter('wrong')
        await page.getByText('Name or password is wrong.').waitFor()
        await enter('lovelace')
        await shows('Papers of Ada')
        expect(page.url()).to.equal(`${origin}/papers`)
      })

      it('signs in and out without a redirect of Latchkey', async () => {
        await press('Sign in without a redirect')
        await shows('Papers of Ada')
        expect(page.url()).to.equal(`${origin}/papers?quietly`)
        await page.goto(origin)
        await press('Sign out without a redirect')
        await shows('About this application')
        expect(page.url()).to.equal(`${origin}/about?quietly`)
      })

      it('signs in at a provider', async () => {
        await press('Sign in with Harbour ID')
        await page.fill('[name=login]', 'grace')
        await page.fill('[name=password]', 'any')
        await page.click('button[type=submit]')
        await page.click('button[type=submit]')
        await shows('Papers of Person grace')
      })

      it('signs in by a mailed link', async () => {
        const address = `person${mails.delivered.length}@example.com`
        await page.fill('#mail [name=email]', address)
        await press('Send me a link')
        await page.waitForURL('**/api/auth/verify-request**')
        const mail = mails.delivered.find(({ to }) => to.includes(address))
        const link = /http:\/\/localhost:\S+/.exec(mail?.mail.text ?? '')?.[0]
        await page.goto(link ?? '')
        await shows(`Papers of ${address}`)
      })

      it('follows a link to a guarded page: through the sign-in page, and back', async () => {
        await page.getByRole('link', { name: 'Papers' }).click()
        await page.waitForURL('**/api/auth/signin**')
        await page.fill('[name=username]', 'ada')
        await page.fill('[name=password]', 'lovelace')
        await page.locator('form:has([name=password]) button').click()
        await shows('Papers of Ada')
      })

      it('shows the sign-in page where no provider is chosen, changes the session, and ends it', async () => {
        await press('Sign in')
        await page.waitForURL('**/api/auth/signin**')
        await page.fill('[name=username]', 'ada')
        await page.fill('[name=password]', 'lovelace')
        await page.locator('form:has([name=password]) button').click()
        await shows('Hello, Ada')
        await page.fill('[name=name]', 'Augusta')
        await press('Rename')
        await shows('Hello, Augusta')
        await press('Sign out')
        await shows('About this application')
        await page.goto(origin)
        await shows('Nobody is signed in')
      })
    })
  }

  describe('what to beware of', () => {
    it('server components cannot set cookies: they read without extending', async () => {
      const visitor = await signedIn()
      const page = await visitor.get('/unguarded')
      expect([page.status, page.setCookie]).to.deep.equal([200, []])
      expect(page.text).to.match(/Seen: (<!-- -->)?Ada/)
      expect(served.output()).not.to.include('Cookies can only be modified')
    })

    it('a static page behind the proxy carries no Set-Cookie with s-maxage', async () => {
      const anonymous = await new Visitor(origin).get('/about')
      expect(anonymous.headers.get('cache-control')).to.include('s-maxage')
      expect(anonymous.setCookie).to.deep.equal([])
      const page = await (await signedIn()).get('/about')
      expect(page.cookies.has(SESSION)).to.equal(true)
      expect(page.headers.get('cache-control')).to.equal('private, no-cache, no-store')
    })

    it('a static page that only members may see is for no shared cache', async () => {
      const refused = await new Visitor(origin).get('/papers/rules')
      expect([refused.status, refused.text.includes('Rules for members')]).to.deep.equal([401, false])
      const page = await (await signedIn()).get('/papers/rules')
      expect(page.text).to.include('Rules for members')
      expect(page.headers.get('cache-control')).to.include('no-store').and.not.include('s-maxage')
    })

    it('the configuration is evaluated per bundle, with the react-server condition or not: one session', async () => {
      const visitor = await signedIn('Augusta')
      expect((await visitor.get('/api/me')).json()).to.include({ name: 'Augusta' })
      expect((await visitor.get('/api/letters')).json()).to.include({ name: 'Augusta' })
      expect((await visitor.get('/api/auth/session')).json().user).to.include({ name: 'Augusta' })
      for (const path of ['/papers', '/letters', '/unguarded'])
        expect((await visitor.get(path)).text).to.include('Augusta')
    })

    it('a session ends though the proxy would extend it', async () => {
      const visitor = await signedIn()
      const thief = visitor.copy()
      const answer = await submit(visitor, 'leave')
      expect(answer.status).to.equal(303)
      const changes = answer.setCookie.filter((text) => text.startsWith(SESSION))
      expect(changes).to.have.length(1)
      expect(changes[0]).to.match(/max-age=0/i)
      expect((await visitor.get('/api/me')).json()).to.equal(null)
      expect((await thief.get('/api/auth/session')).status).to.equal(200)
    })

    for (const [sender, headers] of Object.entries({
      'of another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      'of another host of the same site': { origin: 'http://blog.localhost', 'sec-fetch-site': 'same-site' },
      'of nobody knows where, which Next.js lets pass': {},
    })) {
      it(`an action on request ${sender} is refused`, async () => {
        const visitor = await signedIn()
        const answer = await submit(visitor, 'leave', {}, headers as Record<string, string>)
        expect(answer.status).to.equal(500)
        expect(answer.cookies.has(SESSION)).to.equal(false)
        expect((await visitor.get('/api/me')).json()).to.include({ name: 'Ada' })
        const stranger = new Visitor(origin)
        await submit(stranger, 'quietly', {}, headers as Record<string, string>)
        expect(stranger.jar.has(SESSION)).to.equal(false)
      })
    }

    it('the guard is not by-passed by data routes, prefetches, HEAD, spellings or headers of Next.js', async () => {
      const visitor = new Visitor(origin)
      const buildId = filesBelow(join(example.folder, '.next')).get(join(example.folder, '.next/BUILD_ID'))
      const tries: [path: string, method?: string, headers?: Record<string, string>][] = [
        ['/papers?_rsc=1', 'GET', { rsc: '1' }],
        ['/papers', 'GET', { rsc: '1', 'next-router-prefetch': '1', 'next-router-segment-prefetch': '/_tree' }],
        ['/papers.rsc', 'GET', { rsc: '1' }],
        ['/papers.segments/_tree.segment.rsc', 'GET', { rsc: '1' }],
        ['/papers/rules.rsc', 'GET', { rsc: '1' }],
        ['/papers/rules.segments/_tree.segment.rsc', 'GET', { rsc: '1' }],
        [`/_next/data/${buildId}/letters.json`],
        [`/_next/data/${buildId}/letters.json`, 'GET', { 'x-nextjs-data': '1' }],
        ['/papers', 'HEAD'],
        ['/%70apers'],
        ['/papers/'],
        ['//papers'],
        ['/x/../papers'],
        ['/papers', 'GET', { 'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy' }],
        ['/papers', 'GET', { 'x-middleware-next': '1', 'x-middleware-rewrite': '/papers', 'x-invoke-path': '/about' }],
      ]
      for (const [path, method = 'GET', headers = {}] of tries) {
        const { status, body } = await sendRaw(origin, path, { method, headers })
        expect(status, `${method} ${path}`).to.be.oneOf([308, 400, 401, 404])
        expect(body, path).not.to.match(/Papers of|Rules for|Letters of/)
      }
      expect((await visitor.get('/letters')).status).to.equal(401)
    })

    it('sends a person to sign in', async () => {
      const { status, headers } = await sendRaw(origin, '/papers?a=b', { headers: { 'sec-fetch-mode': 'navigate' } })
      // Next.js cuts the origin off where it is that of the request.
      const target = `/api/auth/signin?callbackUrl=${encodeURIComponent(`${origin}/papers?a=b`)}`
      expect([status, headers.get('location')?.replace(origin, '')]).to.deep.equal([302, target])
    })

    it('redirectTo leads to no other site', async () => {
      for (const redirectTo of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
        const visitor = new Visitor(origin)
        const answer = await submit(visitor, 'password', { username: 'ada', password: 'lovelace', redirectTo })
        expect(answer.status).to.equal(303)
        expect(answer.location?.origin, redirectTo).to.equal(origin)
      }
    })

    it('a route handler begins a sign-in at a provider for the own pages, and for no link from elsewhere', async () => {
      const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
      const begin = (site: string) =>
        new Visitor(origin).get('/unguarded/open?to=/papers', { ...navigation, 'sec-fetch-site': site })
      const answer = await begin('same-origin')
      expect(answer.status).to.be.oneOf([302, 303, 307])
      expect(answer.location?.origin).to.equal(provider.issuer)
      for (const site of ['cross-site', 'same-site', 'none']) {
        expect((await begin(site)).location?.origin, site).not.to.equal(provider.issuer)
      }
    })

    it('forged forwarded headers change nothing', async () => {
      const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-port': '1' }
      const providers = (await new Visitor(origin).get('/api/auth/providers', headers)).json()
      expect(new URL(providers.harbour.callbackUrl).origin).to.equal(origin)
      const refused = await sendRaw(origin, '/papers', { headers: { ...headers, 'sec-fetch-mode': 'navigate' } })
      expect(new URL(refused.headers.get('location') ?? '', origin).origin).to.equal(origin)
      expect((await (await signedIn()).get('/unguarded', headers)).text).to.include('Ada')
    })

    it('a streamed page shows each visitor their own session', async () => {
      const visitors = await Promise.all(['One', 'Two', 'Three'].map((name) => signedIn(name)))
      const names = ['One', 'Two', 'Three', 'nobody']
      const all = [...visitors, new Visitor(origin)]
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
      const visitor = new Visitor(origin)
      visitor.jar.set(SESSION, await encode({ token, secret: SECRET, salt: SESSION }))
      for (const path of ['/api/me', '/api/letters'])
        expect((await visitor.get(path)).json()).to.include({ name: 'Ada of before' })
      expect((await visitor.get('/papers')).text).to.include('Ada of before')
    })

    it('browsers get no secret and nothing of the configuration', () => {
      const files = filesBelow(join(example.folder, '.next/static'))
      expect(files.size).to.be.greaterThan(5)
      for (const [path, text] of files) {
        for (const secret of [SECRET, CLIENT_SECRET, 'lovelace', 'AUTH_HARBOUR', SESSION, 'boats@example.com'])
          expect(text.includes(secret), `${secret} in ${path}`).to.equal(false)
      }
    })

    it('a configuration that cannot work answers 500, and the log names the cure', async () => {
      const port = await freePort()
      const { AUTH_SECRET: _, ...without } = env
      const broken = await serveExample(example, [NEXT, 'start', '-p', String(port)], { port, env: without })
      try {
        for (const path of ['/papers', '/api/me', '/api/auth/session', '/about'])
          expect((await new Visitor(broken.origin).get(path)).status, path).to.equal(500)
        expect(broken.output()).to.include('AUTH_SECRET')
      } finally {
        await broken.stop()
      }
    })
  })

  describe('a build', function () {
    this.timeout(300_000)
    const DIST = { DIST: '.next-variant' }
    afterEach(() => {
      for (const path of ['app/variant', '.next-variant'])
        rmSync(join(example.folder, path), { recursive: true, force: true })
    })

    for (const [title, { files, env: more = {}, says }] of Object.entries(VARIANTS)) {
      it(`stops at ${title}`, async () => {
        writeFiles(example.folder, files)
        expect(await build({ ...more, ...DIST })).to.match(says)
      })
    }

    it('with cacheComponents makes no page with a session, which is read in <Suspense>', async () => {
      const layout = join(example.folder, 'app/layout.tsx')
      const before = readFileSync(layout, 'utf8')
      try {
        writeFiles(example.folder, { 'app/layout.tsx': SUSPENDED })
        expect(await build({ CACHE_COMPONENTS: 'yes', ...DIST })).to.include('Finalizing page optimization')
      } finally {
        writeFileSync(layout, before)
      }
      const port = await freePort()
      const variant = await serveExample(example, [NEXT, 'start', '-p', String(port)], {
        port,
        env: { ...env, AUTH_URL: `http://localhost:${port}`, CACHE_COMPONENTS: 'yes', ...DIST },
      })
      try {
        const visitor = new Visitor(variant.origin)
        visitor.jar.set(SESSION, await encode({ token: { name: 'Augusta' }, secret: SECRET, salt: SESSION }))
        for (const path of ['/unguarded', '/papers', '/api/me', '/letters']) {
          expect((await visitor.get(path)).text, path).to.include('Augusta')
          expect((await new Visitor(variant.origin).get(path)).text, path).not.to.include('Augusta')
        }
      } finally {
        await variant.stop()
      }
    })

    /** What `next build` prints. */
    async function build(more: Record<string, string>): Promise<string> {
      const options = { cwd: example.folder, env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...more } }
      const ran = promisify(execFile)(process.execPath, [NEXT, 'build'], options)
      const { stdout, stderr } = await ran.catch((error: { stdout: string; stderr: string }) => error)
      return stdout + stderr
    }
  })
})
