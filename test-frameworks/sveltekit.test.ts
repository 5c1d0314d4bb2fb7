import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium, requireChromium } from '../test/support/chromium.js'
import { type RealOidcProvider, startOidcProvider } from '../test/support/oidc-provider.js'
import { type MailServer, startMailServer } from '../test/support/smtp.js'
import { Visitor } from '../test/support/visitor.js'
import { type Application, installApplication, type Server, type Versions } from './sveltekit/application.js'

const SECRET = 'a secret of the running server, and of nobody else'
const CLIENT_SECRET = 'the secret that the OpenID provider knows'
const PASSWORD = 'analytical engine'
const SESSION = 'authjs.session-token'

/** SvelteKit 3 is what the example has. */
const LINES: Record<string, Versions> = {
  'SvelteKit 3': {},
  'SvelteKit 2': { '@sveltejs/kit': '2.70.4', '@sveltejs/adapter-node': '5.5.7' },
}

for (const [line, versions] of Object.entries(LINES))
  describe(`latchkey/sveltekit in ${line}, built for production`, function () {
    this.timeout(120_000)
    let application: Application
    let origin: string
    let provider: RealOidcProvider
    let mails: MailServer
    let server: Server

    before(async function () {
      this.timeout(300_000)
      application = await timed(`${line}: installed`, () => installApplication(versions))
      origin = application.origin
      await timed(`${line}: built`, () => application.build())
      mails = await startMailServer()
      provider = await startOidcProvider({
        clients: [{ client_id: 'kit', client_secret: CLIENT_SECRET, redirect_uris: [`${origin}/auth/callback/oidc`] }],
      })
      server = await application.start({
        AUTH_SECRET: SECRET,
        AUTH_OIDC_ISSUER: provider.issuer,
        AUTH_OIDC_ID: 'kit',
        AUTH_OIDC_SECRET: CLIENT_SECRET,
        SMTP_URL: mails.url,
      })
    })
    after(async () => {
      await server?.stop()
      await provider?.stop()
      await mails?.close()
      application?.remove()
    })

    const visitor = () => new Visitor(origin)
    const own = () => ({ origin, referer: `${origin}/login`, accept: 'text/html' })
    const ada = { providerId: 'credentials', username: 'ada', password: PASSWORD }
    const signedIn = async () => {
      const browser = visitor()
      await browser.post('/login?/password', ada, own())
      expect(browser.jar.has(SESSION)).to.equal(true)
      return browser
    }
    /** What the script of SvelteKit sends for a form. */
    const enhanced = () => ({
      origin,
      referer: `${origin}/login`,
      accept: 'application/json',
      'x-sveltekit-action': 'true',
    })

    describe('an action', () => {
      it('redirects by the own module instance of SvelteKit, also to a provider on another site', async () => {
        const form = { providerId: 'oidc', redirectTo: '/account' }
        const plain = await visitor().post('/login?/provider', form, own())
        expect([plain.status, plain.location?.origin]).to.deep.equal([302, provider.issuer])
        const script = await visitor().post('/login?/provider', form, enhanced())
        expect(script.json()).to.include({ type: 'redirect', status: 302 })
        expect(new URL(script.json().location).origin).to.equal(provider.issuer)
      })

      it('signs in with credentials; the session is there for the next page', async () => {
        const browser = visitor()
        const answer = await browser.post('/login?/password', { ...ada, redirectTo: '/account' }, own())
        expect([answer.status, answer.location?.href]).to.deep.equal([302, `${origin}/account`])
        const cookie = answer.setCookie.find((text) => text.startsWith(`${SESSION}=`))
        expect(cookie).to.include('HttpOnly').and.include('SameSite=Lax').and.include('Path=/')
        expect(answer.headers.get('cache-control')).to.include('no-store')
        expect((await browser.get('/account')).text).to.include('Signed in as Ada Lovelace')
      })

      it('with redirect=false gives the URL to the page, which has the session already', async () => {
        const { status, text } = await visitor().post('/login?/password', { ...ada, redirect: 'false' }, own())
        expect(status).to.equal(200)
        expect(text).to.include(`Go on to ${origin}/login`).and.include('Signed in as Ada Lovelace')
      })

      it('throws CredentialsSignin for a wrong password, and other errors as SvelteKit expects them', async () => {
        const wrong = await visitor().post('/login?/password', { ...ada, password: 'x' }, own())
        expect([wrong.status, wrong.setCookie]).to.deep.equal([401, []])
        expect(wrong.text).to.include('These details match no account.')
        const unhandled = await visitor().post('/login?/provider', { ...ada, password: 'x' }, own())
        expect(unhandled.status).to.equal(500)
        expect(unhandled.text).not.to.include('CredentialsSignin')
      })

      it('leads to no other site (open redirect)', async () => {
        for (const redirectTo of [
          'https://evil.example/',
          '//evil.example',
          '/\\evil.example',
          'javascript:alert(1)',
        ]) {
          const { location } = await visitor().post('/login?/password', { ...ada, redirectTo }, own())
          expect(location?.origin, redirectTo).to.equal(origin)
        }
      })

      it('is refused when another site posts it (CSRF)', async () => {
        const browser = await signedIn()
        for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}] as Record<
          string,
          string
        >[]) {
          const signIn = await visitor().post('/login?/password', ada, headers)
          expect([signIn.status, signIn.setCookie]).to.deep.equal([403, []])
          expect((await browser.post('/logout', {}, headers)).status).to.equal(403)
        }
        expect((await browser.get('/')).text).to.include('Signed in as Ada')
      })

      it('signs out', async () => {
        const browser = await signedIn()
        const stays = await browser.copy().post('/logout', { redirect: 'false' }, own())
        expect(stays.text).to.include('Go on to').and.include('Nobody is signed in')
        const answer = await browser.post('/logout', { redirectTo: '/' }, own())
        expect([answer.status, answer.location?.href]).to.deep.equal([302, `${origin}/`])
        expect(browser.jar.has(SESSION)).to.equal(false)
      })

      it('changes the session', async () => {
        const browser = await signedIn()
        expect((await browser.post('/account', { name: 'Augusta' }, own())).text).to.include('Signed in as Augusta')
        expect((await browser.get('/')).text).to.include('Signed in as Augusta')
      })
    })

    describe('a session', () => {
      it('is renewed for a page, and read without renewing in a streamed promise', async () => {
        const browser = await signedIn()
        const answer = await browser.get('/streamed')
        expect(answer.setCookie.filter((text) => text.startsWith(`${SESSION}=`))).to.have.length(1)
        expect(answer.text).to.include('Ada Lovelace').and.include('AuthError')
        expect((await browser.get('/')).text, 'the sign-out of the stream is refused').to.include('Signed in as Ada')
        expect(server.output()).not.to.include('after the response')
      })

      it('stays out of shared caches', async () => {
        const nobody = await visitor().get('/cached')
        expect([nobody.json(), nobody.headers.get('cache-control')]).to.deep.equal([
          { name: null },
          'public, s-maxage=60',
        ])
        const page = await visitor().get('/')
        expect([page.setCookie, page.headers.get('vary')]).to.deep.equal([[], 'Cookie'])
        expect(page.headers.get('cache-control')).to.equal('private, no-cache, no-store')
        const again = await visitor().get('/', { 'if-none-match': page.headers.get('etag') ?? '' })
        expect([again.status, again.headers.get('cache-control')]).to.deep.equal([
          304,
          page.headers.get('cache-control'),
        ])
        const { json, headers } = await (await signedIn()).get('/cached')
        expect(json()).to.deep.equal({ name: 'Ada Lovelace' })
        expect(headers.get('cache-control')).to.include('no-store')
      })

      it('is on no prerendered page', async () => {
        const { status, text, setCookie } = await (await signedIn()).get('/about')
        expect([status, setCookie]).to.deep.equal([200, []])
        expect(text).to.include('Nobody is signed in')
      })

      it('of one visitor is not shown to another, also when they ask at the same time', async () => {
        const browser = await signedIn()
        const asks = Array.from({ length: 20 }, (_, index) => (index % 2 ? visitor() : browser.copy()).get('/'))
        const names = (await Promise.all(asks)).map(({ text }) => text.includes('Ada Lovelace'))
        expect(names).to.deep.equal(Array.from({ length: 20 }, (_, index) => index % 2 === 0))
      })
    })

    describe('the guard', () => {
      it('guards __data.json like pages, and HEAD like GET', async () => {
        const browser = visitor()
        expect((await browser.get('/private')).status).to.equal(401)
        const data = await browser.get('/private/__data.json')
        expect(data.text).not.to.include(PASSWORD)
        expect(data.json()).to.include({ type: 'redirect' })
        expect(data.json().location).to.equal(
          `${origin}/auth/signin?callbackUrl=${encodeURIComponent(`${origin}/private`)}`,
        )
        expect((await browser.visit('/private', { method: 'HEAD' })).status).to.equal(401)
        for (const spelling of ['/%70rivate', '/private/', '/%70rivate/__data.json', '/private?/x'])
          expect((await browser.get(spelling)).text, spelling).not.to.include(PASSWORD)
        const ada = await signedIn()
        expect((await ada.get('/private')).text).to.include(PASSWORD)
        expect((await ada.get('/private/__data.json')).text).to.include(PASSWORD)
      })
    })

    describe('a request without headers', () => {
      it('passes no guard as if SvelteKit built the application (HTTP/1.0, the path of the fallback)', async () => {
        for (const method of ['GET', 'POST'])
          for (const path of ['/private/[fallback]', '/private/x', '/private/%5Bfallback%5D'])
            expect(await sendWithoutHeaders(origin, method, path), `${method} ${path}`)
              .to.match(/^HTTP\/1\.1 4\d\d /)
              .and.not.include('behind the guard')
        expect(server.output()).not.to.include('the guarded route has run')
        expect((await (await signedIn()).get('/private/[fallback]')).text).to.equal('behind the guard')
      })
    })

    describe('the mount', () => {
      it('believes no forwarded header, since AUTH_URL is set', async () => {
        const { text } = await visitor().get('/auth/providers', {
          'x-forwarded-host': 'evil.example',
          'x-forwarded-proto': 'https',
        })
        expect(text).to.include(`${origin}/auth/signin/oidc`).and.not.include('evil.example')
      })

      it('gives its answers to no data request of SvelteKit', async () => {
        const { status, text } = await (await signedIn()).get('/auth/session/__data.json')
        expect(status).to.be.greaterThanOrEqual(300)
        expect(text).not.to.include('Ada')
      })
    })

    it('signs in and guards under the development server', async function () {
      this.timeout(120_000)
      const development = await application.develop({ AUTH_SECRET: SECRET })
      try {
        const browser = new Visitor(development.origin)
        expect((await browser.get('/private')).status).to.equal(401)
        const form = { ...ada, redirectTo: '/private' }
        const headers = { origin: development.origin, referer: `${development.origin}/login`, accept: 'text/html' }
        const answer = await browser.post('/login?/password', form, headers)
        expect([answer.status, answer.location?.href]).to.deep.equal([302, `${development.origin}/private`])
        expect((await browser.get('/private')).text).to.include(PASSWORD)
      } finally {
        await development.stop()
      }
    })

    it('is typed as the hooks, actions and locals of SvelteKit', async function () {
      this.timeout(180_000)
      await application.check()
    })

    it('is not in the files for browsers, and neither are secrets and code of the server', () => {
      const client = join(application.folder, 'build/client')
      const files = readdirSync(client, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /\.(?:js|json|css)$/.test(name),
      )
      expect(files.length).to.be.greaterThan(10)
      const text = files.map((name) => readFileSync(join(client, name), 'utf8')).join('\n')
      for (const secret of [
        SECRET,
        CLIENT_SECRET,
        PASSWORD,
        'AUTH_SECRET',
        'AUTH_OIDC',
        'authorize',
        'authjs.',
        'openid',
      ])
        expect(text.includes(secret), secret).to.equal(false)
    })

    for (const javaScriptEnabled of [true, false])
      describe(`in Chromium ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
        let browser: Browser
        let context: BrowserContext
        let page: Page

        before(async function () {
          requireChromium.call(this)
          browser = await launchChromium()
        })
        after(() => browser?.close())
        beforeEach(async () => {
          context = await browser.newContext({ javaScriptEnabled, baseURL: origin })
          page = await context.newPage()
          page.setDefaultTimeout(10_000)
        })
        afterEach(() => context.close())

        /** Opens a page, and waits until the script of SvelteKit handles its forms. */
        async function open(path: string) {
          await page.goto(path, { waitUntil: javaScriptEnabled ? 'networkidle' : 'load' })
        }
        const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
        const who = () => page.locator('#who')
        const expectWho = (name: string) => who().filter({ hasText: name }).waitFor()
        async function fillPassword(password: string) {
          await page.getByRole('textbox', { name: 'User name' }).fill('ada')
          await page.getByRole('textbox', { name: 'Password' }).fill(password)
        }

        it('signs in with a password after a wrong one, changes the session, and signs out', async () => {
          await open('/login')
          await fillPassword('wrong')
          await press('Sign in')
          await page.getByRole('alert').filter({ hasText: 'match no account' }).waitFor()
          await fillPassword(PASSWORD)
          await press('Sign in')
          await page.waitForURL('**/account')
          await expectWho('Ada Lovelace')
          await page.getByLabel('Name').fill('Augusta')
          await press('Change my name')
          await expectWho('Augusta')
          await press('Sign out')
          await page.waitForURL(`${origin}/`)
          await expectWho('Nobody')
        })

        it('signs in and out without a redirect', async () => {
          await open('/login')
          await fillPassword(PASSWORD)
          await press('Sign in and stay here')
          await page
            .locator('#url')
            .filter({ hasText: `Go on to ${origin}` })
            .waitFor()
          await open('/logout')
          await expectWho('Ada Lovelace')
          await press('Sign out and stay here')
          await page.locator('#url').waitFor()
          await open('/')
          await expectWho('Nobody')
        })

        it('signs in at the OpenID provider', async () => {
          await open('/login')
          await press('Sign in with OpenID')
          await page.locator('input[name=login]').fill('grace')
          await page.locator('input[name=password]').fill('any')
          await page.locator('button[type=submit]').click()
          await page.locator('button[type=submit]').filter({ hasText: 'Continue' }).click()
          await page.waitForURL('**/account')
          await expectWho('Person grace')
        })

        it('signs in with a mailed link', async () => {
          const address = `joan-${javaScriptEnabled}@example.com`
          await open('/login')
          await page.getByLabel('Address').fill(address)
          await press('Mail me a link')
          await page.waitForURL('**/auth/verify-request*')
          const mail = mails.delivered.findLast(({ to }) => to.includes(address))
          const link = /http:\S+/.exec(mail?.mail.text ?? '')?.[0]
          await page.goto(link ?? 'no link')
          const button = page.getByRole('button', { name: 'Sign in' })
          if (await button.isVisible()) await button.click()
          await page.waitForURL('**/account')
          await expectWho(address)
        })

        it('comes from the guarded page to the sign-in page of Latchkey, and back', async () => {
          await open('/')
          await page.getByRole('link', { name: 'Private page' }).click()
          await page.waitForURL('**/auth/signin?**')
          await fillPassword(PASSWORD)
          await page.getByRole('button', { name: /a password/ }).click()
          await page.waitForURL('**/private')
          await page.getByText(PASSWORD).waitFor()
        })
      })
  })

/** What the server answers to a request that is nothing but its first line. */
function sendWithoutHeaders(origin: string, method: string, path: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(`${method} ${path} HTTP/1.0\r\n\r\n`))
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now()
  const result = await work()
  console.info(`    ${what} in ${Math.round((performance.now() - start) / 100) / 10} s`)
  return result
}
