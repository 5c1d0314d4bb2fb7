import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page, Response } from 'playwright-core'
import { readText } from '../test/docs/documents.js'
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
  writeFiles,
} from './support/built-example.js'

const run = promisify(execFile)
const SECRET = 'a secret of this test, which is long enough'
const CLIENT_SECRET = 'the secret of the client at the provider'
const PASSWORD = 'lovelace'
const OUTPUT = 'server/entry.node-server.js'
/** Secrets that the application has in its source and in its environment while it is built. */
const LITERAL = 'canary-in-the-source-of-the-configuration'
const IN_PLUGIN = 'canary-in-the-source-of-the-plugin'
const OF_ENVIRONMENT = 'canary-in-the-environment-of-the-build'

const FILES = {
  // Every request renews the session.
  'src/auth.ts': readText('examples/qwik/src/auth.ts').replace(
    "session: { strategy: 'jwt' },",
    `session: { strategy: 'jwt', updateAge: 0 },\n  custom: { literal: '${LITERAL}', ofEnvironment: process.env.CANARY },`,
  ),
  'src/routes/plugin@auth.ts': readText('examples/qwik/src/routes/plugin@auth.ts').replace(
    'QwikAuth(config)',
    `QwikAuth({ ...config, custom: { literal: '${IN_PLUGIN}' } })`,
  ),
  '.env': `CANARY=${OF_ENVIRONMENT}\n`,
}

const SIGN_IN = '?qaction=id_latchkey-sign-in'
const SIGN_OUT = '?qaction=id_latchkey-sign-out'
const ADA = { providerId: 'credentials', 'options.username': 'ada', 'options.password': PASSWORD }

describe('latchkey/qwik in Qwik City 1', function () {
  this.timeout(120_000)
  let example: BuiltExample
  let provider: RealOidcProvider
  let mails: MailServer
  let served: ServedExample
  let origin: string

  before(async function () {
    this.timeout(600_000)
    requireChromium.call(this)
    example = await buildExample('qwik', OUTPUT, { files: FILES })
    const { install, build } = example.seconds
    console.info(`    installed in ${install.toFixed(0)} s, built in ${build.toFixed(0)} s`)
    const port = await freePort()
    const client = { client_id: 'notes', client_secret: CLIENT_SECRET }
    const redirect = `http://localhost:${port}/auth/callback/company`
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
    served = await serveExample(example, [join(example.folder, OUTPUT)], { port, env })
    origin = served.origin
  })

  after(async () => {
    await served?.stop()
    await mails?.close()
    await provider?.stop()
    example?.remove()
  })

  /** What the browser of a visitor says of a form of the application. */
  const ownPage = () => ({ origin, referer: `${origin}/`, 'sec-fetch-site': 'same-origin' })
  const NAVIGATION = { 'sec-fetch-mode': 'navigate', accept: 'text/html' }

  const post = (visitor: Visitor, path: string, fields: Record<string, string>, headers: Record<string, string>) =>
    visitor.visit(path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })

  async function signedIn(): Promise<Visitor> {
    const visitor = new Visitor(origin)
    await post(visitor, `/login/${SIGN_IN}`, ADA, ownPage())
    expect([...visitor.jar.keys()]).to.include('authjs.session-token')
    return visitor
  }

  const nameOf = async (visitor: Visitor) => (await visitor.visit('/auth/session')).json()?.user?.name

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

      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      const open = (path: string) => page.goto(origin + path)
      const says = (text: string) => page.getByText(text, { exact: true }).waitFor()

      async function logIn(password: string) {
        await open('/login/')
        await page.fill('[name="options.username"]', 'ada')
        await page.fill('[name="options.password"]', password)
        await press('Log in')
      }

      async function logInByPage(password: string) {
        await page.fill('[name=username]', 'ada')
        await page.fill('[name=password]', password)
        await page.locator('form:has([name=password]) button').click()
      }

      it('signs in by useSignIn, and shows what is wrong with a password', async () => {
        await logIn('a-wrong-password')
        await page.getByRole('alert').waitFor()
        expect(await page.getByRole('alert').textContent()).to.match(/do not match an account/)
        expect(new URL(page.url()).pathname).to.equal('/login/')
        await logIn(PASSWORD)
        await page.waitForURL(`${origin}/private/`)
        await says('The analytical engine, by Ada Lovelace')
      })

      it('keeps the password out of every cookie and page, whether the sign-in works or not', async () => {
        const responses: Response[] = []
        page.on('response', (response) => responses.push(response))
        const [wrong, right] = ['a-wrong-password', PASSWORD]
        await logIn(wrong)
        await page.getByRole('alert').waitFor()
        if (!javaScriptEnabled) expect(await page.content()).not.to.include(wrong)
        await logIn(right)
        await page.waitForURL(`${origin}/private/`)
        const headers = (await Promise.all(responses.map((response) => response.headersArray()))).flat()
        const set = headers.map(({ value }) => decodeURIComponent(value)).join()
        expect(set).to.include('authjs.session-token=').and.not.include(wrong).and.not.include(right)
      })

      for (const [where, link, path] of [
        ['a page with a guard', 'Private', '/private/'],
        ['a page behind the plugin', 'Members', '/members/'],
      ] as const) {
        it(`sends to the sign-in page from ${where}, and back: by its address, and by a link`, async () => {
          await open(path)
          await page.waitForURL(/\/auth\/signin\?callbackUrl=/)
          await open('/')
          await page.getByRole('link', { name: link }).click()
          await page.waitForURL(/\/auth\/signin\?callbackUrl=/)
          await logInByPage('wrong')
          await page.waitForURL(/error=CredentialsSignin/)
          await logInByPage(PASSWORD)
          await page.waitForURL(origin + path)
        })
      }

      it('signs in at an OpenID provider, updates the session, and signs out', async () => {
        await open('/')
        await press('Company')
        await page.fill('[name=login]', 'grace')
        await page.fill('[name=password]', 'any')
        await page.locator('button[type=submit]').click()
        await page.locator('button[type=submit]').click()
        await page.waitForURL(`${origin}/private/`)
        await says('The analytical engine, by Person grace')
        await open('/')
        await press('Rename')
        await says('Signed in as Augusta.')
        await open('/')
        await says('Signed in as Augusta.')
        await press('Log out')
        await says('Nobody is signed in.')
        expect((await context.cookies()).map(({ name }) => name)).not.to.include('authjs.session-token')
      })

      it('signs in by a mailed link', async () => {
        await open('/auth/signin')
        const address = `hedy-${javaScriptEnabled}@example.com`
        await page.fill('[type=email]', address)
        await page.locator('form:has([type=email]) button').click()
        await page.waitForURL(/verify-request/)
        const { mail } = mails.delivered.find(({ to }) => to.includes(address)) ?? {}
        const link = /https?:\/\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
        expect(link).to.include(`${origin}/auth/callback/`)
        await page.goto(link)
        if (!(await page.locator('#who').isVisible())) await page.locator('button').click()
        await page.waitForURL(`${origin}/`)
        await says(`Signed in as ${address}.`)
      })

      it('signs in and out without a redirect, and the page shows it', async () => {
        await open('/')
        await press('Right password')
        await says('signed in')
        await says('Signed in as Ada Lovelace.')
        await press('Log out here')
        await says('signed out')
        await says('Nobody is signed in.')
      })

      it('sends somebody to sign in whose session ended before an action of a guarded page', async () => {
        await logIn(PASSWORD)
        await page.waitForURL(`${origin}/private/`)
        await press('Publish')
        await says('The notes are public now.')
        // An answer that is still on its way would bring the session back.
        await page.waitForLoadState('networkidle')
        await context.clearCookies()
        await press('Publish')
        await page.waitForURL(/\/auth\/signin/)
      })

      if (javaScriptEnabled) {
        it('gives the session to functions of server$', async () => {
          await open('/')
          await press('Read notes')
          await says('Sign in first.')
          await logIn(PASSWORD)
          await page.waitForURL(`${origin}/private/`)
          await open('/')
          await press('Read notes')
          await says('The difference engine, by Ada Lovelace')
        })
      }
    })
  }

  describe('a request from elsewhere', () => {
    const others = (): Record<string, Record<string, string>> => ({
      'a form of another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      'a sandboxed frame': { origin: 'null' },
      'nobody knows where': {},
    })
    /** The check of Qwik City itself looks at forms only. */
    const json = { 'content-type': 'application/json' }

    it('signs nobody in, as a form and as JSON, by an action or at the mount', async () => {
      for (const [sender, headers] of Object.entries(others())) {
        for (const path of [`/login/${SIGN_IN}`, `/login/q-data.json${SIGN_IN}`, '/auth/callback/credentials']) {
          const visitor = new Visitor(origin)
          await post(visitor, path, { ...ADA, username: 'ada', password: PASSWORD }, headers)
          const body = JSON.stringify({
            providerId: 'credentials',
            options: { username: 'ada', password: PASSWORD },
            username: 'ada',
            password: PASSWORD,
          })
          const answer = await visitor.visit(path, { method: 'POST', headers: { ...headers, ...json }, body })
          expect([...visitor.jar.keys()].join(), `${sender}, ${path}`).not.to.include('session-token')
          expect(answer.status, `${sender}, ${path}`).not.to.equal(200)
        }
      }
    })

    it('signs nobody out, and changes no session', async () => {
      const ada = await signedIn()
      for (const headers of Object.values(others())) {
        for (const path of [`/${SIGN_OUT}`, `/q-data.json${SIGN_OUT}`]) {
          await post(ada, path, {}, headers)
          await ada.visit(path, { method: 'POST', headers: { ...headers, ...json }, body: '{}' })
          await ada.visit(path, { headers })
        }
      }
      expect(await nameOf(ada)).to.equal('Ada Lovelace')
    })

    it('reaches the mount where a provider posts its answer: Qwik City checks only routes of its own', async () => {
      const answer = await post(
        new Visitor(origin),
        '/auth/callback/company',
        {},
        others()['a form of another site'] ?? {},
      )
      expect(answer.text).not.to.include('CSRF check failed')
    })
  })

  describe('redirects', () => {
    it('are never permanent, and lead to the provider as they are: from a form, and as data for the script', async () => {
      const fields = { providerId: 'company', 'authorizationParams.prompt': 'login', redirectTo: '/private/' }
      const form = await post(new Visitor(origin), `/login/${SIGN_IN}`, fields, ownPage())
      expect(form.status).to.equal(302)
      expect(form.location?.origin).to.equal(new URL(provider.issuer).origin)
      expect(form.location?.searchParams.get('prompt')).to.equal('login')
      const data = await post(new Visitor(origin), `/login/q-data.json${SIGN_IN}`, fields, ownPage())
      expect([data.status, data.location]).to.deep.equal([200, null])
      expect(data.text).to.include(`"${provider.issuer}`)
      expect(data.setCookie.join()).to.include('authjs.pkce.code_verifier')
      const leave = await post(await signedIn(), `/${SIGN_OUT}`, {}, ownPage())
      expect([leave.status, leave.location?.href]).to.deep.equal([302, `${origin}/`])
    })

    it('lead to no other site', async () => {
      for (const redirectTo of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
        for (const fields of [
          { ...ADA, redirectTo },
          { ...ADA, 'options.redirectTo': redirectTo },
        ]) {
          const answer = await post(new Visitor(origin), `/login/${SIGN_IN}`, fields, ownPage())
          expect([answer.status, answer.location?.origin], redirectTo).to.deep.equal([302, origin])
        }
        const data = await post(await signedIn(), `/q-data.json${SIGN_OUT}`, { redirectTo }, ownPage())
        expect(data.text).not.to.include('evil.example')
      }
    })

    it('lead to the sign-in page without a provider', async () => {
      const answer = await post(new Visitor(origin), `/login/${SIGN_IN}`, { redirectTo: '/private/' }, ownPage())
      expect([answer.status, answer.location?.pathname]).to.deep.equal([302, '/auth/signin'])
    })
  })

  it('gives failed, fieldErrors and formErrors for what is not valid, is refused, or does not exist', async () => {
    const path = `/login/q-data.json${SIGN_IN}`
    const invalid = await post(new Visitor(origin), path, { 'providerId.x': 'y' }, ownPage())
    expect(invalid.status).to.equal(400)
    expect(invalid.text)
      .to.match(/"failed".*"fieldErrors"|"fieldErrors".*"failed"/)
      .and.include('"providerId"')
    expect((await post(new Visitor(origin), `/login/${SIGN_IN}`, { 'redirectTo.x': 'y' }, ownPage())).status).to.equal(
      400,
    )
    const wrong = await post(new Visitor(origin), path, { ...ADA, 'options.password': 'x' }, ownPage())
    expect(wrong.status).to.equal(401)
    expect(wrong.text).to.include('formErrors').and.include('CredentialsSignin')
    const unknown = await post(new Visitor(origin), path, { providerId: 'nobody' }, ownPage())
    expect(unknown.status).to.equal(404)
    expect(unknown.text).to.include('formErrors')
  })

  describe('the guard', () => {
    it('guards every spelling, HEAD, and the data of a page', async () => {
      const paths = [
        '/members/',
        '/members',
        '/%6dembers/',
        '/Members/',
        '//members/',
        '/x/../members/',
        '/members/index.html',
      ]
      for (const path of [...paths, '/private/', '//private', '/x/..//private/']) {
        for (const spelling of [path, `${path.replace(/\/$/, '')}/q-data.json`])
          expect((await sendRaw(origin, spelling)).body, spelling).not.to.match(/behind the plugin|analytical engine/)
      }
      const head = await new Visitor(origin).visit('/members/', { method: 'HEAD' })
      expect(head.status).to.equal(401)
      const ada = await signedIn()
      expect((await ada.visit('/private/q-data.json')).text).to.include('The analytical engine, by Ada Lovelace')
    })

    it('tells the script nothing that it would follow, so that fetching a page in advance leads nowhere', async () => {
      const data = await new Visitor(origin).visit('/private/q-data.json')
      expect([data.status, data.headers.get('content-type'), data.location]).to.deep.equal([
        401,
        'text/plain; charset=utf-8',
        null,
      ])
    })

    it('lets nobody run an action of a guarded page, there or from another page', async () => {
      const ada = await signedIn()
      const [, action = ''] = /action="(\?qaction=[^"]+)"/.exec((await ada.visit('/private/')).text) ?? []
      for (const path of ['/private/', '/private/q-data.json', '/login/', '/login/q-data.json']) {
        const { text } = await post(new Visitor(origin), path + action, {}, ownPage())
        expect(text, path).not.to.include('public now')
      }
      expect((await post(ada, `/private/${action}`, {}, ownPage())).text).to.include('public now')
    })

    it('sends a person to sign in and back to the page', async () => {
      const { status, headers } = await sendRaw(origin, '/private/?page=2', { headers: NAVIGATION })
      expect(status).to.equal(302)
      expect(headers.get('location')).to.include(`callbackUrl=${encodeURIComponent(`${origin}/private/?page=2`)}`)
    })
  })

  it("believes no X-Forwarded-Proto or X-Forwarded-Host of a client, also where Qwik City's URL has it", async () => {
    const visitor = new Visitor(origin)
    const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' }
    const page = await visitor.visit('/auth/signin', { headers: { ...forged, accept: 'text/html' } })
    expect(page.text).to.include(`${origin}/auth/callback/credentials`).and.not.include('evil.example')
    expect(page.setCookie.join()).not.to.match(/__Secure-|__Host-|; Secure/)
    const guarded = await sendRaw(origin, '/members/', { headers: { ...forged, ...NAVIGATION, host: 'evil.example' } })
    expect(guarded.headers.get('location')).to.match(
      /^http:\/\/localhost:\d+\/auth\/signin\?callbackUrl=http%3A%2F%2Flocalhost/,
    )
    expect((await (await signedIn()).visit('/', { headers: forged })).text).to.include('Ada Lovelace')
  })

  it('renews a session that a page reads, and keeps its pages and data out of every cache', async () => {
    const ada = await signedIn()
    for (const path of ['/', '/q-data.json', '/private/', '/private/q-data.json']) {
      const { setCookie, headers } = await ada.visit(path)
      expect(setCookie.join(), path).to.include('authjs.session-token=')
      expect([headers.get('cache-control'), headers.get('vary')], path).to.deep.equal([
        'private, no-cache, no-store',
        'Cookie',
      ])
    }
    const nobody = await new Visitor(origin).visit('/')
    expect(nobody.headers.get('cache-control')).to.include('max-age=5')
    expect(nobody.headers.get('vary')).to.equal('Cookie')
  })

  it('shows the session of one request to no other, however many come at once', async () => {
    const ada = await signedIn()
    const nobody = new Visitor(origin)
    const pages = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const { text } = await (at % 2 ? ada : nobody).visit(at % 4 < 2 ? '/' : '/private/')
        return [at % 2, text.includes('Ada Lovelace')]
      }),
    )
    for (const [isAda, isShown] of pages) expect(isShown).to.equal(isAda === 1)
  })

  it('has types that go together with those of Qwik City', async () => {
    const { stdout } = await run('npm', ['run', 'types'], { cwd: example.folder }).catch((error) => error)
    expect(stdout).not.to.include('error')
  })

  describe('in what browsers get', () => {
    const canaries = [LITERAL, IN_PLUGIN, OF_ENVIRONMENT, SECRET, CLIENT_SECRET]

    it('is no secret of the configuration, and nothing of the server', () => {
      const files = filesBelow(join(example.folder, 'dist'))
      expect(files.size).to.be.greaterThan(5)
      for (const [path, text] of files) {
        expect(text, path).not.to.match(
          /OIDC_SECRET|AUTH_SECRET|SMTP_URL|openid-client|analytical engine|memoryAdapter/,
        )
        for (const canary of canaries) expect(text.includes(canary), `${path}: ${canary}`).to.equal(false)
      }
      const server = [...filesBelow(join(example.folder, 'server')).values()].join()
      expect(server, 'the server has them').to.include(LITERAL).and.include(IN_PLUGIN)
    })

    for (const [what, change] of [
      ['the hooks of the plugin', (page: string) => page.replace('latchkey/qwik/client', '../plugin@auth')],
      [
        'the configuration itself',
        (page: string) => `import { config } from '../../auth'\n${page.replace('Log in', '{config.providers.length}')}`,
      ],
    ] as const) {
      it(`would be the configuration if a component imported ${what}; such an application cannot be built`, async function () {
        this.timeout(300_000)
        const [leak, dist] = [join(example.folder, 'src/routes/leak'), join(example.folder, 'dist-of-leak')]
        const page = readFileSync(join(example.folder, 'src/routes/login/index.tsx'), 'utf8')
        writeFiles(leak, { 'index.tsx': change(page) })
        try {
          const built = await run('npx', ['vite', 'build', '--outDir', dist], { cwd: example.folder }).catch(
            (error) => error,
          )
          expect(built).to.be.an('error')
          expect(built.stdout + built.stderr).to.match(/import-latchkey-(qwik-)?client-instead/)
          expect(existsSync(dist)).to.equal(false)
        } finally {
          rmSync(leak, { recursive: true })
          rmSync(dist, { recursive: true, force: true })
        }
      })
    }
  })

  it('logs no password and no secret', () => {
    expect(served.output()).not.to.match(/lovelace|a-wrong-password|canary/)
    expect(served.output()).not.to.include(SECRET)
  })

  it('lets nobody in where the configuration cannot work: every page answers 500', async () => {
    const port = await freePort()
    const env = { AUTH_URL: 'no url', AUTH_SECRET: '' }
    const broken = await serveExample(example, [join(example.folder, OUTPUT)], { port, env })
    try {
      for (const path of ['/', '/members/', '/private/', '/auth/signin', '/auth/session', '/private/q-data.json'])
        expect((await new Visitor(broken.origin).visit(path)).status, path).to.equal(500)
      expect(broken.output()).to.match(/There is no secret. Set AUTH_SECRET/)
    } finally {
      await broken.stop()
    }
  })
})
