import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page, Response } from 'playwright-core'
import { ROOT } from '../test/docs/documents.js'
import { launchChromium, requireChromium } from '../test/support/chromium.js'
import { freePort } from '../test/support/free-port.js'
import { type RealOidcProvider, startOidcProvider } from '../test/support/oidc-provider.js'
import { sendRaw } from '../test/support/raw-http.js'
import { type MailServer, startMailServer } from '../test/support/smtp.js'
import { Visitor } from '../test/support/visitor.js'
import {
  type BuiltExample,
  buildExample,
  filesBelow,
  type ServedExample,
  serveExample,
} from './support/built-example.js'

const SECRET = 'a secret of this test, which is long enough'
const CLIENT_SECRET = 'the secret of the client at the provider'
const PASSWORD = 'lovelace'
const OUTPUT = '.output/server/index.mjs'

const EXAMPLE = readFileSync(join(ROOT, 'examples/solid-start/src/auth.ts'), 'utf8')

/** Files of this test in the example: a rule for server functions, and routes that say something to caches or nothing. */
const FILES = {
  'src/auth.ts': EXAMPLE.replace(
    /authorized: .*/,
    `authorized: ({ auth, request }) => {
      const { pathname } = new URL(request.url)
      const isForMembers = pathname === '/_server' ? request.headers.has('x-for-members') : pathname.startsWith('/members')
      return auth !== null || !isForMembers
    },`,
  ),
  'src/routes/api/note.ts': `export const GET = () => new Response('a note')`,
  'src/routes/api/news.ts': `export const GET = () => new Response('news', { headers: { 'cache-control': 'public, max-age=60' } })`,
}

const VERSIONS: Record<string, string | undefined> = { 2: undefined, 1: 'solid-start-1' }

for (const [version, variant] of Object.entries(VERSIONS)) {
  describe(`latchkey/solid-start in SolidStart ${version}`, describeVersion(variant))
}

/** @param variant folder with the files of the version, where it is not that of the example */
function describeVersion(variant: string | undefined) {
  return function (this: Mocha.Suite): void {
    this.timeout(120_000)
    let example: BuiltExample
    /** Where the built server lies without the packages of the example, as it is deployed. */
    let alone: string
    let provider: RealOidcProvider
    let mails: MailServer
    let served: ServedExample
    let origin: string

    before(async function () {
      this.timeout(600_000)
      requireChromium.call(this)
      example = await buildExample('solid-start', OUTPUT, { files: FILES, variant })
      const { install, build } = example.seconds
      console.info(`    installed in ${install.toFixed(0)} s, built in ${build.toFixed(0)} s`)
      alone = mkdtempSync(join(tmpdir(), 'latchkey-'))
      cpSync(join(example.folder, '.output'), join(alone, '.output'), { recursive: true })
      const port = await freePort()
      const client = { client_id: 'notes', client_secret: CLIENT_SECRET }
      const redirect = `http://localhost:${port}/api/auth/callback/company`
      provider = await startOidcProvider({ clients: [{ ...client, redirect_uris: [redirect] }] })
      mails = await startMailServer()
      const env = {
        AUTH_SECRET: SECRET,
        AUTH_URL: `http://localhost:${port}`,
        OIDC_ISSUER: provider.issuer,
        OIDC_ID: client.client_id,
        OIDC_SECRET: CLIENT_SECRET,
        SMTP_URL: mails.url,
      }
      served = await serve({ port, env })
      origin = served.origin
    })

    after(async () => {
      await served?.stop()
      await mails?.close()
      await provider?.stop()
      example?.remove()
      if (alone) rmSync(alone, { recursive: true })
    })

    const serve = (how: Parameters<typeof serveExample>[2]) => serveExample(example, [join(alone, OUTPUT)], how)

    /** A visitor whose browser says that a page of the application sends its requests. */
    const ownPage = (at = origin) => ({ origin: at, referer: `${at}/`, 'sec-fetch-site': 'same-origin' })

    async function signedIn(at = origin): Promise<Visitor> {
      const visitor = new Visitor(at)
      const { csrfToken } = (await visitor.visit('/api/auth/csrf')).json()
      const body = new URLSearchParams({ csrfToken, username: 'ada', password: PASSWORD }).toString()
      const headers = { ...ownPage(at), 'content-type': 'application/x-www-form-urlencoded' }
      await visitor.visit('/api/auth/callback/credentials', { method: 'POST', headers, body })
      expect([...visitor.jar.keys()]).to.include('authjs.session-token')
      return visitor
    }

    /** The address of the server function that a form of a page is sent to. */
    async function formOf(path: string, button: string, visitor = new Visitor(origin)): Promise<string> {
      const { text } = await visitor.visit(path, { headers: { accept: 'text/html' } })
      const form = [...text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>.*?<\/form>/gs)].find(([html]) =>
        html.includes(`>${button}</button>`),
      )
      if (!form?.[1]) throw new Error(`${path} has no form with ${button}`)
      return form[1].replaceAll('&amp;', '&')
    }

    const post = (visitor: Visitor, path: string, fields: Record<string, string>, headers: Record<string, string>) =>
      visitor.visit(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      })

    for (const javaScriptEnabled of [true, false]) {
      describe(`in Chromium ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
        let browser: Browser
        let context: BrowserContext
        let page: Page
        let complaints: string[]
        before(async () => {
          browser = await launchChromium()
        })
        after(() => browser?.close())
        beforeEach(async () => {
          context = await browser.newContext({ javaScriptEnabled })
          page = await context.newPage()
          complaints = []
          page.on('pageerror', (error) => complaints.push(error.message))
        })
        afterEach(async () => {
          await context.close()
          expect(complaints).to.deep.equal([])
        })

        const who = () => page.locator('#who').textContent()
        const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
        const open = async (path: string) => {
          await page.goto(origin + path)
          // Until then, a click would be that of a page without JavaScript.
          if (javaScriptEnabled) await page.waitForLoadState('networkidle')
        }

        async function logIn(password: string) {
          await open('/login')
          await page.fill('[name=username]', 'ada')
          await page.fill('[name=password]', password)
          await press('Log in')
        }

        async function logInByPage(password: string) {
          await page.fill('[name=username]', 'ada')
          await page.fill('[name=password]', password)
          await page.locator('form:has([name=password]) button').click()
        }

        it('signs in by the application’s own form, and refuses a wrong password', async () => {
          await logIn('wrong')
          await page.getByRole('alert').waitFor()
          expect(page.url()).to.equal(`${origin}/login?error=credentials`)
          await logIn(PASSWORD)
          await page.waitForURL(`${origin}/private`)
          expect(await page.locator('#notes').textContent()).to.equal('The analytical engine, by Ada Lovelace')
        })

        it('keeps the password out of every cookie, whether the sign-in works or not', async () => {
          const responses: Response[] = []
          page.on('response', (response) => responses.push(response))
          const [wrong, right] = ['a-wrong-password', PASSWORD]
          await logIn(wrong)
          await page.waitForURL(/error=/)
          await logIn(right)
          await page.waitForURL(`${origin}/private`)
          const headers = (await Promise.all(responses.map((response) => response.headersArray()))).flat()
          const set = headers
            .filter(({ name }) => /^set-cookie$/i.test(name))
            .map(({ value }) => decodeURIComponent(value))
          expect(set.join()).to.include('authjs.session-token=').and.not.include(wrong).and.not.include(right)
        })

        it('sends to the sign-in page from what is guarded, and back: by a server function', async () => {
          await open('/private')
          await page.waitForURL(`${origin}/api/auth/signin`)
          await logInByPage('wrong')
          await page.waitForURL(/error=CredentialsSignin/)
          await logInByPage(PASSWORD)
          await page.waitForURL(`${origin}/private`)
          expect(await page.locator('#notes').textContent()).to.include('Ada Lovelace')
        })

        it('sends to the sign-in page from what is guarded, and back: by the middleware', async () => {
          await open('/members').catch(() => {})
          await page.waitForURL(/\/api\/auth\/signin\?callbackUrl=/)
          await logInByPage(PASSWORD)
          await page.waitForURL(`${origin}/members`)
          await page.getByText('behind the middleware').waitFor()
        })

        it('signs in at an OpenID provider, updates the session, and signs out', async () => {
          await open('/')
          await press('Company')
          await page.fill('[name=login]', 'grace')
          await page.fill('[name=password]', 'any')
          await page.locator('button[type=submit]').click()
          await page.locator('button[type=submit]').click()
          await page.waitForURL(`${origin}/private`)
          expect(await page.locator('#notes').textContent()).to.include('Person grace')
          await open('/')
          await press('Rename')
          await page.getByText('Signed in as Augusta.').waitFor()
          await open('/')
          expect(await who()).to.equal('Signed in as Augusta.')
          await press('Log out')
          await page.getByText('Nobody is signed in.').waitFor()
          expect((await context.cookies()).map(({ name }) => name)).not.to.include('authjs.session-token')
        })

        it('signs in by a mailed link', async () => {
          await open('/api/auth/signin').catch(() => {})
          const address = `hedy-${javaScriptEnabled}@example.com`
          await page.fill('[type=email]', address)
          await page.locator('form:has([type=email]) button').click()
          await page.waitForURL(/verify-request/)
          const { mail } = mails.delivered.find(({ to }) => to.includes(address)) ?? {}
          const link = /https?:\/\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
          expect(link).to.include(`${origin}/api/auth/callback/`)
          await page.goto(link)
          if (!(await page.locator('#who').isVisible())) await page.locator('button').click()
          await page.waitForURL(`${origin}/`)
          expect(await who()).to.equal(`Signed in as ${address}.`)
        })

        if (javaScriptEnabled) {
          it('signs in and out without a redirect, and the page shows it', async () => {
            await open('/')
            await press('Wrong password')
            await page.getByText('wrong password', { exact: true }).waitFor()
            await press('Right password')
            await page.getByText('Signed in as Ada Lovelace.').waitFor()
            await press('Log out here')
            await page.getByText('Nobody is signed in.').waitFor()
          })

          it('signs out by the client, at the mount of SolidStart', async () => {
            await logIn(PASSWORD)
            await page.waitForURL(`${origin}/private`)
            await open('/')
            await press('Log out in the browser')
            await page.waitForURL(`${origin}/login`)
            expect((await context.cookies()).map(({ name }) => name)).not.to.include('authjs.session-token')
          })

          it('guards the data of a page that the router opens without a request for the page', async () => {
            await open('/')
            await page.getByRole('link', { name: 'Private' }).click()
            await page.waitForURL(`${origin}/api/auth/signin`)
            await logInByPage(PASSWORD)
            await page.waitForURL(`${origin}/private`)
            expect(await page.locator('#notes').textContent()).to.include('Ada Lovelace')
          })
        }
      })
    }

    describe('SolidStart has no CSRF check of its own', () => {
      const others = (): Record<string, Record<string, string>> => ({
        'a form of another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        'a sandboxed frame': { origin: 'null' },
        'nobody knows where': {},
      })

      it('so a form of another site signs nobody in, in a server function or at the mount', async () => {
        const action = await formOf('/login', 'Log in')
        for (const [sender, headers] of Object.entries(others())) {
          for (const path of [action, '/api/auth/callback/credentials']) {
            const visitor = new Visitor(origin)
            await post(visitor, path, { username: 'ada', password: PASSWORD }, headers)
            expect([...visitor.jar.keys()].join(), `${sender}, ${path}`).not.to.include('session-token')
          }
        }
      })

      it('so neither a form nor a link of another site signs anybody out, or changes a session', async () => {
        const visitor = await signedIn()
        const [leave, rename] = [await formOf('/', 'Log out', visitor), await formOf('/', 'Rename', visitor)]
        const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
        const fields = encodeURIComponent(JSON.stringify([{ name: 'Eve' }]))
        for (const path of [leave, rename]) {
          for (const headers of Object.values(others())) await post(visitor, path, { name: 'Eve' }, headers)
          await visitor.visit(path, { headers: link })
          await visitor.visit(`${path}&args=${fields}`, { headers: link })
        }
        expect((await visitor.visit('/api/auth/session')).json().user.name).to.equal('Ada Lovelace')
      })

      it('and the own form works, as URLSearchParams, where the browser has no JavaScript', async () => {
        const visitor = new Visitor(origin)
        const fields = { username: 'ada', password: PASSWORD, redirectTo: '/private' }
        const answer = await post(visitor, await formOf('/login', 'Log in'), fields, ownPage())
        expect([answer.status, answer.location?.href]).to.deep.equal([302, `${origin}/private`])
        expect((await visitor.visit('/private')).text).to.include('Ada Lovelace')
      })

      it('and no form leads to another site', async () => {
        for (const redirectTo of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
          const fields = { username: 'ada', password: PASSWORD, redirectTo }
          const answer = await post(new Visitor(origin), await formOf('/login', 'Log in'), fields, ownPage())
          expect(answer.location?.origin, redirectTo).to.equal(origin)
        }
      })
    })

    it("believes no X-Forwarded-Proto or X-Forwarded-Host of a client, also where SolidStart's URL has it", async () => {
      const visitor = new Visitor(origin)
      const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' }
      const page = await visitor.visit('/api/auth/signin', { headers: { ...forged, accept: 'text/html' } })
      expect(page.text).to.include(`${origin}/api/auth/callback/credentials`).and.not.include('evil.example')
      expect(page.setCookie.join()).not.to.match(/__Secure-|__Host-|; Secure/)
      const ada = await signedIn()
      expect((await ada.visit('/', { headers: forged })).text).to.include('Ada Lovelace')
      const guarded = await sendRaw(origin, '/members', { headers: { ...forged, 'sec-fetch-mode': 'navigate' } })
      expect(guarded.headers.get('location')).to.match(
        /^http:\/\/localhost:\d+\/api\/auth\/signin\?callbackUrl=http%3A%2F%2Flocalhost/,
      )
    })

    /** The public names of the server functions of `src/session.ts`, and perhaps of others. */
    function serverFunctions(): readonly string[] {
      const scripts = [...filesBelow(join(example.folder, '.output/public'))].filter(([path]) => path.endsWith('.js'))
      // Some versions name them after their file; in others nothing says whose they are. Which script has them depends on the build.
      const named = scripts.flatMap(([, script]) => script.match(/src_session_ts--\w+/g) ?? [])
      // The hash of a path, without the zeros that it begins with.
      const all = scripts.flatMap(([, script]) => script.match(/(?<=["'`])[0-9a-f]{1,8}-\d+(?=["'`])/g) ?? [])
      return [...new Set(named.length > 0 ? named : all)]
    }

    it('judges every path by which SolidStart runs a server function', async () => {
      let id = ''
      const ask = async (path: string, headers: Record<string, string> = {}) => {
        const own = { ...ownPage(), 'x-server-id': id, 'x-server-instance': 'server-fn:0' }
        const { status, body } = await sendRaw(origin, path, { headers: { ...own, ...headers } })
        return { status, hasRun: /;0x[0-9a-f]+;/.test(body), body }
      }
      // Not each one runs without arguments, and their order depends on the build.
      for (const each of serverFunctions()) {
        id = each
        if ((await ask('/_server')).hasRun) break
      }
      for (const path of ['/_server', '/_serverless', '/_server/x', '/_server;x', '/_server%2fx']) {
        expect(await ask(path), `SolidStart runs ${path}`).to.include({ status: 200, hasRun: true })
        expect(await ask(path, { 'x-for-members': '1' }), path).to.include({ status: 401, hasRun: false })
      }
      for (const path of [
        '/_server/../members',
        '/_server/%2e%2e/members',
        '/members/../_server',
        '/_server\\..\\members',
      ])
        expect(await ask(path), path).to.include({ status: 400, hasRun: false })
      // SolidStart 1 decodes the path before it looks for the route.
      for (const path of ['/%5fserver', '/%5Fserver/x', '/_%73erver;x', '//_server', '/_SERVER'])
        expect((await ask(path, { 'x-for-members': '1' })).hasRun, path).to.equal(false)
    })

    it('lets no cache keep what is behind the middleware, unless the application says otherwise (COOKIE-12)', async () => {
      const ada = await signedIn()
      for (const path of ['/members', '/api/note']) {
        const { status, headers } = await ada.visit(path, { headers: { accept: 'text/html' } })
        expect([path, status, headers.get('cache-control')]).to.deep.equal([path, 200, 'private, no-cache, no-store'])
        expect(headers.get('vary'), path).to.match(/cookie/i)
      }
      expect((await ada.visit('/api/news')).headers.get('cache-control')).to.equal('public, max-age=60')
    })

    it('guards every spelling, HEAD and scripts, and lets nobody read guarded data by the server function itself', async () => {
      for (const path of ['/members', '/%6dembers', '/Members', '//members', '/x/../members'])
        expect((await sendRaw(origin, path)).body, path).not.to.include('behind the middleware')
      const head = await new Visitor(origin).visit('/members', { method: 'HEAD' })
      expect(head.status).to.equal(401)
      const ada = await signedIn()
      expect((await ada.visit('/members', { method: 'HEAD' })).status).to.equal(200)
      const ids = serverFunctions()
      expect(ids.length).to.be.greaterThan(5)
      const read = async (visitor: Visitor, id: string, method: string) => {
        const headers = { ...ownPage(), 'x-server-id': id, 'x-server-instance': 'server-fn:0' }
        return (await visitor.visit('/_server', { method, headers })).text.includes('analytical engine')
      }
      const readers = async (visitor: () => Promise<Visitor>) => {
        const found: string[] = []
        for (const id of ids)
          for (const method of ['GET', 'POST']) if (await read(await visitor(), id, method)) found.push(id)
        return found
      }
      expect(await readers(async () => new Visitor(origin))).to.deep.equal([])
      // Some of these functions end the session, so each is called in one of its own.
      expect(await readers(() => signedIn())).not.to.deep.equal([])
    })

    it('shows the session of one request to no other, however many come at once', async () => {
      const ada = await signedIn()
      const nobody = new Visitor(origin)
      const pages = await Promise.all(
        Array.from({ length: 40 }, async (_, at) => {
          const { text, headers } = await (at % 2 ? ada : nobody).visit(at % 4 < 2 ? '/' : '/private')
          expect(headers.get('cache-control')).to.match(/no-store|private/)
          return [at % 2, text.includes('Ada Lovelace')]
        }),
      )
      for (const [isAda, isShown] of pages) expect(isShown).to.equal(isAda === 1)
    })

    it('signs in and guards under the development server', async function () {
      this.timeout(120_000)
      const port = await freePort()
      const program = variant === undefined ? 'node_modules/vite/bin/vite.js' : 'node_modules/vinxi/bin/cli.mjs'
      const env = { AUTH_SECRET: SECRET, NODE_ENV: 'development' }
      const development = await serveExample(example, [program, 'dev', '--port', String(port)], { port, env })
      try {
        const nobody = await new Visitor(development.origin).get('/members')
        expect([nobody.status, nobody.text.includes('behind the middleware')]).to.deep.equal([401, false])
        const ada = await signedIn(development.origin)
        expect((await ada.get('/members', { accept: 'text/html' })).text).to.include('behind the middleware')
      } finally {
        await development.stop()
      }
    })

    if (variant === undefined) {
      it('has types that go together with those of SolidStart', async () => {
        const { stdout } = await promisify(execFile)('npm', ['run', 'types'], { cwd: example.folder }).catch(
          (error) => error,
        )
        expect(stdout).not.to.include('error')
      })
    }

    it('has no secret, and nothing of the server, in what browsers get', () => {
      const files = filesBelow(join(example.folder, '.output/public'))
      expect(files.size).to.be.greaterThan(5)
      for (const [path, text] of files) {
        // Names that only the configuration and the server have.
        expect(text, path).not.to.match(/OIDC_SECRET|AUTH_SECRET|SMTP_URL|openid-client|analytical engine/)
        expect(text.includes(SECRET) || text.includes(CLIENT_SECRET), path).to.equal(false)
      }
    })

    it('logs no password and no secret', () => {
      expect(served.output()).not.to.match(/lovelace|a-wrong-password/)
      expect(served.output()).not.to.include(SECRET)
    })

    it('lets nobody in where the configuration cannot work: it does not start, or answers 500', async () => {
      const port = await freePort()
      const broken = await serve({ port, env: { AUTH_URL: 'no url', AUTH_SECRET: '' } }).catch((error: Error) => error)
      // SolidStart 1 loads its middleware at the start, and SolidStart 2 at the first request.
      if (broken instanceof Error) {
        expect(broken.message).to.match(/There is no secret. Set AUTH_SECRET/)
        return
      }
      try {
        for (const path of ['/', '/members', '/private', '/api/auth/signin', '/api/auth/session'])
          expect((await new Visitor(broken.origin).visit(path)).status, path).to.equal(500)
        expect(broken.output()).to.match(/There is no secret. Set AUTH_SECRET/)
      } finally {
        await broken.stop()
      }
    })
  }
}
