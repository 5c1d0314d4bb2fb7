import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import Credentials from '../../lib/providers/credentials.js'
import { type Running, startApp, testConfig } from '../support/app.js'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { serveReactApp } from './react-app.js'
import type { PageOptions } from './react-page.js'

const PEOPLE: Readonly<Record<string, string>> = { ada: 'Ada', grace: 'Grace' }

/** A session as the server renders it into a page. */
const ADA = { user: { name: 'Ada' }, expires: '2999-01-01T00:00:00.000Z' }

/** Signs everybody in who says "lovelace". */
const passwords = Credentials({
  credentials: { username: {}, password: {} },
  authorize: ({ username, password }) =>
    password === 'lovelace' ? { id: String(username), name: PEOPLE[String(username)] ?? null } : null,
})

describe('latchkey/react', function () {
  this.timeout(120_000)
  let browser: Browser
  let app: Running
  let context: BrowserContext
  let page: Page
  let asked: string[]

  before(async function () {
    requireChromium.call(this)
    browser = await launchChromium()
    const config = testConfig({
      providers: [passwords],
      session: { strategy: 'jwt', revocation: { store: memoryAdapter(), checkEvery: 0 } },
      callbacks: {
        jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, name: session.name } : token),
      },
    })
    app = await startApp(config, serveReactApp(config))
  })
  after(async () => {
    await browser?.close()
    await app?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext()
    asked = []
    page = await open('/react')
  })
  afterEach(() => context.close())

  async function open(path: string): Promise<Page> {
    const opened = await context.newPage()
    opened.on('request', (request) => {
      if (opened === page) asked.push(new URL(request.url()).pathname)
    })
    await opened.goto(app.origin + path)
    await opened.waitForFunction('window.render')
    return opened
  }

  /** Another tab of the browser, which shows who is signed in. */
  async function openTab(): Promise<Page> {
    const tab = await open('/react/tab')
    await render({}, tab)
    return tab
  }

  const render = (options: PageOptions = {}, where = page) => where.evaluate(`render(${JSON.stringify(options)})`)
  const shows = (line: string, where = page) =>
    where.waitForFunction((line) => document.querySelector('#visitor')?.textContent === line, line)
  const shown = (where = page) => where.evaluate('watched.shown') as Promise<string[]>
  /** What the page has shown, without what was rendered twice. */
  const changes = async () => (await shown()).filter((line, index, lines) => line !== lines[index - 1])
  /** What a function of the module gives; of an error its code. */
  const call = (code: string, where = page): Promise<unknown> =>
    where.evaluate(`Promise.resolve(auth.${code}).catch((error) => ({ code: error.code }))`)
  const signIn = (username = 'ada', where = page) =>
    call(`signIn('credentials', { username: '${username}', password: 'lovelace', redirect: false })`, where)
  const lookUps = () => asked.filter((path) => path === '/auth/session').length
  const fail = (status: number, where = page) =>
    where.route('**/auth/session', (route) => (status === 0 ? route.abort() : route.fulfill({ status, body: '{}' })))
  const recover = (where = page) => where.unroute('**/auth/session')
  const comeBack = (where = page) => where.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)

  describe('a page that loads', () => {
    it('asks once, in strict mode too, and shows what the server said', async () => {
      await render()
      await shows('unauthenticated')
      expect(new Set(await shown())).to.deep.equal(new Set(['loading', 'unauthenticated']))
      expect(lookUps()).to.equal(1)
    })

    it('asks nothing when the server gave the session, or said that there is none', async () => {
      for (const [session, line] of [
        [ADA, 'authenticated Ada'],
        [null, 'unauthenticated'],
      ] as const) {
        const tab = await open('/react')
        page = tab
        asked = []
        await render({ provider: { session } })
        await shows(line)
        expect(new Set(await shown())).to.deep.equal(new Set([line]))
        await tab.evaluate('document.fonts.ready')
        expect(lookUps()).to.equal(0)
      }
    })

    it('takes over what the server rendered, without a difference', async () => {
      await signIn()
      page = await open('/rendered')
      await shows('authenticated Ada')
      await page.evaluate('hydrate({ isStrict: false, provider: { session } })')
      await page.waitForFunction('watched.update')
      expect(await page.evaluate('faults')).to.deep.equal([])
      expect(new Set(await shown())).to.deep.equal(new Set(['authenticated Ada']))
    })

    it('shows the session of a page that the server renders again, and asks whether it is right', async () => {
      const grace = { user: { name: 'Grace' }, expires: '2999-01-01T00:00:00.000Z' }
      await signIn()
      await render({ provider: { session: null } })
      await shows('unauthenticated')
      await render({ provider: { session: grace } })
      await shows('authenticated Ada')
      expect(await shown()).to.include('authenticated Grace')
    })

    it('shows nothing older than the session that the server renders, not even once', async () => {
      await signIn()
      await render({ provider: { session: null } })
      await shows('unauthenticated')
      const before = (await shown()).length
      await render({ provider: { session: ADA } })
      await shows('authenticated Ada')
      expect(new Set((await shown()).slice(before))).to.deep.equal(new Set(['authenticated Ada']))
      // A framework that renders the page again without a session has not said that nobody is signed in.
      await render()
      await call('getSession()')
      expect((await shown()).at(-1)).to.equal('authenticated Ada')
    })

    it('asks nothing when the server renders the same session again', async () => {
      await signIn()
      await render({ provider: { session: ADA } })
      await shows('authenticated Ada')
      const asked = lookUps()
      await render({ provider: { session: { ...ADA } } })
      await call('getProviders()')
      expect(lookUps()).to.equal(asked)
      expect(new Set(await shown())).to.deep.equal(new Set(['authenticated Ada']))
    })

    it('asks at the mount of its provider, from an effect of a component too', async () => {
      await page.route('**/api/auth/**', (route) =>
        route.fulfill({ json: route.request().url().endsWith('csrf') ? { csrfToken: 'x' } : null }),
      )
      await render({ provider: { basePath: '/api/auth' }, asksInEffect: true })
      await shows('unauthenticated')
      await call('getProviders()')
      expect(new Set(asked.filter((path) => path.includes('auth')))).to.deep.equal(
        new Set(['/api/auth/session', '/api/auth/csrf', '/api/auth/providers']),
      )
    })

    it('tells the developer of a base path at which there is no mount', async () => {
      const said = page.waitForEvent('console', (message) => message.text().startsWith('latchkey/react: '))
      await render({ provider: { basePath: '/wrong' } })
      expect((await said).text()).to.include(
        '/wrong/session answered 404. Is the basePath the path of the mount? The basePath of SessionProvider is /wrong.',
      )
      await shows('loading refused')
    })

    it('names the base path, too, when a sign-in or a sign-out finds no mount there', async () => {
      await render({ provider: { basePath: '/wrong', session: null } })
      await shows('unauthenticated')
      for (const [code, path] of [
        [`signIn('github')`, '/wrong/providers'],
        ['signOut()', '/wrong/signout'],
      ]) {
        const message = await page.evaluate(`auth.${code}.catch((error) => error.message)`)
        expect(message).to.equal(`${path} answered 404. Is the basePath the path of the mount?`)
      }
    })
  })

  describe('signing in and out', () => {
    it('shows the visitor without a reload, and without "loading" in between', async () => {
      await render()
      await shows('unauthenticated')
      expect(await signIn()).to.have.property('ok', true)
      await shows('authenticated Ada')
      await call('signOut({ redirect: false })')
      await shows('unauthenticated')
      expect(await changes()).to.deep.equal(['loading', 'unauthenticated', 'authenticated Ada', 'unauthenticated'])
    })

    it('leaves everything as it is when the password is wrong', async () => {
      await render()
      await shows('unauthenticated')
      const result = await call(`signIn('credentials', { username: 'ada', password: 'x', redirect: false })`)
      expect(result).to.deep.include({ ok: false, error: 'CredentialsSignin' })
      expect((await shown()).at(-1)).to.equal('unauthenticated')
      expect(lookUps()).to.equal(1)
    })

    it('shows that the visitor has ended the session of this browser in the list', async () => {
      await signIn()
      await render()
      await shows('authenticated Ada')
      // The sessions of other tests are in the list, too.
      await call('revokeOtherSessions()')
      const [{ id }] = (await call('getSessions()')) as [{ id: string }]
      expect(await call(`revokeSession('${id}')`)).to.equal(true)
      await shows('unauthenticated')
    })

    it('reaches the other tabs', async () => {
      await render()
      const tab = await openTab()
      await shows('unauthenticated', tab)
      await signIn()
      await shows('authenticated Ada', tab)
      await call('signOut({ redirect: false })')
      await shows('unauthenticated', tab)
    })

    it('reaches the other tabs when the page is left', async () => {
      await signIn()
      await render()
      const tab = await openTab()
      await shows('authenticated Ada', tab)
      await shows('authenticated Ada')
      await Promise.all([
        page.waitForURL('**/react/out'),
        call(`signOut({ redirectTo: '/react/out' })`).catch(() => {}),
      ])
      await shows('unauthenticated', tab)
    })

    it('reaches a tab when another one loads a page with another user, or with nobody', async () => {
      await render()
      await shows('unauthenticated')
      const form = await open('/react/form')
      for (const [username, line] of [
        ['ada', 'authenticated Ada'],
        ['grace', 'authenticated Grace'],
      ] as const) {
        // Without a provider in the page, nothing is told: this is how a form or a provider signs in.
        await signIn(username, form)
        const tab = await openTab()
        await shows(line, tab)
        await tab.close()
        await shows(line)
      }
      await call('signOut({ redirect: false })', form)
      await openTab()
      await shows('unauthenticated')
    })

    it('does not make a tab ask when another one shows the same user', async () => {
      await signIn()
      await render()
      await shows('authenticated Ada')
      const before = lookUps()
      const tab = await openTab()
      await shows('authenticated Ada', tab)
      // A message of this tab comes after those of the other one.
      await tab.evaluate(`new BroadcastChannel('latchkey /auth').postMessage({ type: 'signed-out' })`)
      await shows('unauthenticated')
      expect(lookUps()).to.equal(before)
    })

    it('does not make a tab ask when the server rendered the same user in another one, with the id', async () => {
      await signIn()
      await render()
      await shows('authenticated Ada')
      const before = lookUps()
      const tab = await open('/rendered')
      await tab.evaluate('hydrate({ isStrict: false, provider: { session } })')
      await tab.waitForFunction('watched.update')
      expect(await tab.evaluate('session.user.id')).to.equal('ada')
      // A message of this tab comes after those of the other one.
      await tab.evaluate(`new BroadcastChannel('latchkey /auth').postMessage({ type: 'signed-out' })`)
      await shows('unauthenticated')
      expect(lookUps()).to.equal(before)
    })

    it('is not undone by an answer that was on its way', async () => {
      await signIn()
      await render()
      await shows('authenticated Ada')
      let answer = () => {}
      const answered = new Promise<void>((resolve) => {
        answer = resolve
      })
      const session = await (await context.request.get(`${app.origin}/auth/session`)).json()
      await page.route(
        '**/auth/session',
        async (route) => {
          await answered
          await route.fulfill({ json: session }).catch(() => {})
        },
        { times: 1 },
      )
      const late = page.waitForRequest('**/auth/session')
      await comeBack()
      await late
      await call('signOut({ redirect: false })')
      answer()
      await shows('unauthenticated')
      await call('getSession()')
      expect((await shown()).at(-1)).to.equal('unauthenticated')
    })

    it('shows a sign-out in this browser alone, and throws', async () => {
      await signIn()
      await render()
      await shows('authenticated Ada')
      const body = JSON.stringify({ error: 'SignOut', url: `${app.origin}/react/oops` })
      await page.route('**/auth/signout', (route) => route.fulfill({ status: 503, body }))
      await fail(503)
      expect(await call('signOut({ redirect: false })')).to.deep.equal({ code: 'not-ended' })
      await page.waitForFunction(() => document.querySelector('#visitor')?.textContent?.startsWith('unauthenticated'))
    })

    it('keeps the session when the server refuses or misses the sign-out', async () => {
      await signIn()
      await render()
      await shows('authenticated Ada')
      await page.route('**/auth/signout', (route) => route.abort())
      expect(await call('signOut({ redirect: false })')).to.deep.equal({ code: 'offline' })
      await page.unroute('**/auth/signout')
      await page.route('**/auth/csrf', (route) => route.fulfill({ json: { csrfToken: 'wrong' } }))
      expect(await call('signOut({ redirect: false })')).to.deep.equal({ code: 'refused' })
      expect((await shown()).at(-1)).to.equal('authenticated Ada')
    })

    it('ignores what is no message, and the messages of another mount', async () => {
      await signIn()
      await render()
      await shows('authenticated Ada')
      const before = lookUps()
      await page.evaluate(`for (const data of [null, 'signed-out', {}, { type: 'seen', user: 1 }, { type: 'session' }])
        new BroadcastChannel('latchkey /auth').postMessage(data)
        new BroadcastChannel('latchkey /other').postMessage({ type: 'signed-out' })`)
      const tab = await openTab()
      // Otherwise its own look-up could end after the update, and would make this page ask a second time.
      await shows('authenticated Ada', tab)
      await call(`updateSession({ name: 'Lady Ada' })`, tab)
      await shows('authenticated Lady Ada')
      expect(lookUps()).to.equal(before + 1)
      expect(await shown()).to.not.include('unauthenticated')
    })
  })

  describe('update()', () => {
    it('hands data to the callbacks, and shows the result here and in other tabs', async () => {
      await signIn()
      await render()
      const tab = await openTab()
      await shows('authenticated Ada', tab)
      await shows('authenticated Ada')
      expect(await page.evaluate(`watched.update({ name: 'Lady Ada' })`)).to.have.nested.property(
        'user.name',
        'Lady Ada',
      )
      await shows('authenticated Lady Ada')
      await shows('authenticated Lady Ada', tab)
      expect(await changes()).to.deep.equal(['loading', 'authenticated Ada', 'authenticated Lady Ada'])
    })

    it('asks the server again, for a visitor who was signed out too', async () => {
      await render()
      await shows('unauthenticated')
      const form = await open('/react/form')
      await signIn('ada', form)
      expect(await page.evaluate('watched.update()')).to.have.nested.property('user.name', 'Ada')
      await shows('authenticated Ada')
    })

    it('throws when the server cannot be asked', async () => {
      await render()
      await shows('unauthenticated')
      await fail(503)
      expect(await page.evaluate('watched.update().catch((error) => error.code)')).to.equal('server-error')
      await shows('unauthenticated server-error')
    })
  })

  describe('a look-up that fails', () => {
    for (const [status, code] of [
      [503, 'server-error'],
      [0, 'offline'],
      // A server that lies: an empty object is no session.
      [200, 'server-error'],
    ] as const) {
      it(`keeps the session and gives the reason, and signs nobody out or in (${status || 'no answer'})`, async () => {
        await fail(status)
        await render()
        await shows(`loading ${code}`)
        await recover()
        await shows('unauthenticated')
        await signIn()
        await shows('authenticated Ada')
        await fail(status)
        await comeBack()
        await shows(`authenticated Ada ${code}`)
        await recover()
        await page.evaluate(`window.dispatchEvent(new Event('online'))`)
        await shows('authenticated Ada')
      })
    }

    it('forgets a session that has expired meanwhile', async () => {
      const session = { user: { name: 'Ada' }, expires: '2001-01-01T00:00:00.000Z' }
      await fail(503)
      await render({ provider: { session } })
      await shows('authenticated Ada')
      await comeBack()
      await shows('loading server-error')
    })
  })

  describe('asking again', () => {
    it('happens when the visitor comes back, and renders nothing if nothing has changed', async () => {
      await signIn()
      await render()
      await shows('authenticated Ada')
      const before = (await shown()).length
      const answered = page.waitForResponse('**/auth/session')
      await comeBack()
      await (await answered).finished()
      await call('getSession()')
      expect((await shown()).length).to.equal(before)
    })

    it('does not happen then with refetchOnWindowFocus={false}', async () => {
      await render({ provider: { refetchOnWindowFocus: false } })
      await shows('unauthenticated')
      await comeBack()
      await call('getProviders()')
      expect(lookUps()).to.equal(1)
    })

    it('happens when the browser shows the page as the visitor left it', async () => {
      await signIn()
      await render({ provider: { refetchOnWindowFocus: false } })
      await shows('authenticated Ada')
      await call('signOut({ redirect: false })', await open('/react/form'))
      await page.evaluate(`window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
      await shows('unauthenticated')
    })

    it('happens at each interval while somebody is signed in, and not while nobody is', async () => {
      await page.clock.install()
      await render({ provider: { refetchInterval: 60 } })
      await shows('unauthenticated')
      await page.clock.runFor(300_000)
      await call('getProviders()')
      expect(lookUps()).to.equal(1)
      await signIn()
      await shows('authenticated Ada')
      for (const _ of [1, 2]) {
        const next = page.waitForResponse('**/auth/session')
        await page.clock.runFor(60_000)
        await next
      }
    })

    it('waits for the network with refetchWhenOffline={false}', async () => {
      await signIn()
      await page.clock.install()
      await render({ provider: { refetchInterval: 60, refetchWhenOffline: false } })
      await shows('authenticated Ada')
      const before = lookUps()
      await context.setOffline(true)
      await page.clock.runFor(300_000)
      expect(lookUps()).to.equal(before)
      await context.setOffline(false)
      const next = page.waitForResponse('**/auth/session')
      await page.clock.runFor(60_000)
      await next
    })
  })

  describe('a component for signed-in visitors', () => {
    it('sends others to the sign-in page, with the way back', async () => {
      await Promise.all([page.waitForURL('**/auth/signin?**'), render({ required: true }).catch(() => {})])
      expect(new URL(page.url()).searchParams.get('callbackUrl')).to.equal(`${app.origin}/react`)
    })

    const RENDER_REQUIRED = `window.calls = 0
      render({ required: true, onUnauthenticated: () => { window.calls += 1 } })`

    it('calls onUnauthenticated once, in strict mode too, and shows "loading"', async () => {
      await page.evaluate(RENDER_REQUIRED.replace('{', '{ provider: { session: null },'))
      await page.waitForFunction('window.calls > 0')
      await call('getSession()')
      expect(await page.evaluate('window.calls')).to.equal(1)
      expect(new Set(await shown())).to.deep.equal(new Set(['loading']))
      await signIn()
      await shows('authenticated Ada')
      await call('signOut({ redirect: false })')
      await page.waitForFunction('window.calls === 2')
    })

    it('does not send a visitor away whom the server names as the component is shown', async () => {
      await signIn()
      // Between the pages, the provider stays. This is how Next.js shows the page to which a server action leads.
      for (const isStrict of [true, false]) {
        page = await open('/react')
        await render({ isStrict, provider: { session: null } })
        await shows('unauthenticated')
        await page.evaluate(`window.calls = 0
          render({
            isStrict: ${isStrict},
            provider: { session: ${JSON.stringify(ADA)} },
            guarded: { required: true, onUnauthenticated: () => { window.calls += 1 } },
          })`)
        await page.waitForFunction(() => document.querySelector('#guarded')?.textContent === 'authenticated Ada')
        await call('getSession()')
        expect(await page.evaluate('window.calls')).to.equal(0)
      }
    })

    it('sends a visitor away whom the server no longer names', async () => {
      await render({ provider: { session: ADA } })
      await shows('authenticated Ada')
      await page.evaluate(`window.calls = 0
        render({
          provider: { session: null },
          guarded: { required: true, onUnauthenticated: () => { window.calls += 1 } },
        })`)
      await page.waitForFunction('window.calls === 1')
      expect(await page.evaluate(`document.querySelector('#guarded').textContent`)).to.equal('loading')
    })

    it('stays while a failure keeps the visitor unknown', async () => {
      await fail(503)
      await page.evaluate(RENDER_REQUIRED)
      await shows('loading server-error')
      expect(await page.evaluate('window.calls')).to.equal(0)
    })

    it('does not compete with the way to the page after a sign-out', async () => {
      await signIn()
      await page.evaluate(RENDER_REQUIRED)
      await shows('authenticated Ada')
      await page.route('**/react/out', (route) => route.fulfill({ status: 204 }))
      await call(`signOut({ redirectTo: '/react/out' })`)
      await shows('loading')
      expect(await page.evaluate('window.calls')).to.equal(0)
      await page.evaluate(`window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
      await page.waitForFunction('window.calls === 1')
    })
  })
})
