import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { OPERATIONS } from '../../../lib/compose.js'
import { guard } from '../../../lib/frameworks/web/guard.js'
import type { ActAsOptions, AuthConfig, SecurityEvent } from '../../../lib/index.js'
import { RequestRefused } from '../../../lib/kernel/errors.js'
import Passkey from '../../../lib/providers/passkey.js'
import { carryOut, type Operation } from '../../../lib/sign-in/operation.js'
import { FakeProvider } from '../../support/fake-provider.js'
import { NAVIGATION } from '../../support/guard.js'
import { visibleText } from '../../support/html.js'
import { numberedUsers } from '../../support/numbered-users.js'
import { callerWith, requestContext } from '../../support/request-context.js'
import type { TestBrowser } from '../../support/test-app.js'
import { ADA, EVE, NEW, PAGE } from '../address/address-app.js'
import { KINDS, openLogoutApp } from '../provider-logout/logout-app.js'
import { codeOf, INSIDE, openSecondFactorApp, PASSWORD } from '../second-factor/second-factor-app.js'

const GRACE = 'grace@example.com'
const ACTING = 'acting.authjs.session-token'
/** Everybody has added theirs before. */
const DEMANDED = { required: () => false }

/** An app in which Ada, an administrator with a second factor, may act as Grace. */
function openActingApp(
  strategy: 'jwt' | 'database',
  actAs: Partial<ActAsOptions> = {},
  {
    refreshes = false,
    adapter = memoryAdapter(),
    ...more
  }: Omit<Partial<AuthConfig>, 'adapter'> & { refreshes?: boolean; adapter?: ReturnType<typeof memoryAdapter> } = {},
) {
  const stored = strategy === 'jwt' ? { strategy, revocation: { store: adapter, checkEvery: 0 } } : { strategy }
  const session = { ...stored, ...(refreshes && { refreshUser: 0 }) }
  const app = openSecondFactorApp(
    {
      session,
      providers: [Passkey()],
      secondFactor: DEMANDED,
      actAs: { allow: ({ actor, user }) => actor.email === ADA && user.email === GRACE, ...actAs },
      ...more,
    },
    { adapter },
  )
  const actAs_ = async (browser: TestBrowser, userId: string, headers: Record<string, string> = {}) =>
    app.send(browser, 'act-as', { userId, callbackUrl: '/inside' }, headers)
  return {
    ...app,
    actAs: actAs_,
    /** Ada, with a second factor, and Grace, who has signed in elsewhere. */
    async people() {
      const graces = await app.signedIn(GRACE)
      const { browser: adas, userId: ada, secret } = await app.withFactor()
      return { adas, ada, secret, graces, grace: (await app.idOf(GRACE)) ?? '' }
    },
    /** Ada acts as Grace. */
    async acting() {
      const people = await this.people()
      expect((await actAs_(people.adas, people.grace)).location).to.equal(INSIDE)
      return people
    },
    end: (browser: TestBrowser) => app.send(browser, 'act-as/end', { callbackUrl: '/inside' }),
    who: async (browser: TestBrowser) => (await browser.current())?.user?.email ?? null,
  }
}

for (const strategy of ['database', 'jwt'] as const) {
  describe(`acting as a user, with sessions of strategy ${strategy}`, () => {
    it('gives the session of the user, which says who acts; and then that of the administrator again', async () => {
      const app = openActingApp(strategy)
      const { adas, ada, grace } = await app.acting()
      const current = await adas.current()
      expect(current?.user).to.deep.include({ id: grace, email: GRACE })
      expect(current?.act).to.deep.equal({ sub: ada, email: ADA })
      expect((await adas.session())?.act, 'a front end can show it').to.deep.equal({ sub: ada, email: ADA })
      expect(current, 'nothing is proved of Grace').not.to.have.any.keys('amr', 'auth_time')
      expect((await app.end(adas)).location).to.equal(INSIDE)
      expect(await app.who(adas)).to.equal(ADA)
      expect((await adas.current())?.act).to.equal(undefined)
      expect(adas.jar.has(ACTING)).to.equal(false)
    })

    it('ACT-01 needs a second factor that was shown, in a recent sign-in of this browser', async () => {
      const app = openActingApp(strategy)
      const { adas, grace } = await app.people()
      const without = await app.signedIn(ADA.replace('ada', 'root'))
      expect((await app.actAs(without, grace)).status, 'somebody without a second factor').to.equal(403)
      const thief = app.browser()
      for (const [name, cookie] of adas.jar) if (name.includes('session-token')) thief.jar.set(name, cookie)
      expect((await app.actAs(thief, grace)).status, 'a copy of the session').to.equal(403)
      app.clock.advance(16 * 60)
      expect((await app.actAs(adas, grace)).json(), 'an old sign-in').to.deep.equal({ error: 'RecentSignInRequired' })
      expect(await app.who(adas)).to.equal(ADA)
    })

    it('says that it has not begun to whoever had to show who they are first', async () => {
      const app = openActingApp(strategy)
      const { adas, grace, secret } = await app.people()
      const pathOf = (url: string | null | undefined) => (url ?? '').slice(app.origin.length)
      const said = 'Nothing has changed. You are still signed in as yourself.'
      app.clock.advance(16 * 60)
      const away = await app.actAs(adas, grace, PAGE)
      expect(away.location).to.include('error=RecentSignInRequired')
      const callbackUrl = new URL(away.location ?? '').searchParams.get('callbackUrl') ?? ''
      const asks = await app.send(adas, 'callback/password', { email: ADA, password: PASSWORD, callbackUrl }, PAGE)
      const led = await app.enterCode(adas, app.nextCode(secret))
      expect(asks.location).to.include('/auth/second-factor')
      const shown = await adas.get(pathOf(led.location), PAGE)
      expect(visibleText(shown.body)).to.include('Please try again').and.include(said)
      expect(shown.body, 'where the form leads').to.include(`class="primary" href="${INSIDE}"`)
      expect(await app.who(adas)).to.equal(ADA)
      // A stranger is told nothing, and a link elsewhere leads on.
      expect((await app.browser().get(pathOf(led.location), PAGE)).location).to.equal(INSIDE)
      expect((await adas.get('/auth/act-as?callbackUrl=/inside', PAGE)).location).to.equal(INSIDE)
      expect((await app.actAs(adas, grace, PAGE)).location).to.equal(INSIDE)
      expect(await app.who(adas)).to.equal(GRACE)
      expect(visibleText((await adas.get(pathOf(led.location), PAGE)).body)).to.not.include(said)
    })

    it('ACT-02 asks the application, and says nothing of who exists', async () => {
      const rules: readonly [ActAsOptions['allow'], status: number][] = [
        [() => false, 403],
        [() => 'yes' as never, 403],
        [() => Promise.reject(new Error('the directory is down')), 302],
      ]
      for (const [allow, status] of rules) {
        const app = openActingApp(strategy, { allow })
        const { adas, grace } = await app.people()
        expect((await app.actAs(adas, grace, PAGE)).status).to.equal(status)
        expect(await app.who(adas)).to.equal(ADA)
      }
      const app = openActingApp(strategy, { allow: () => true }, { refreshes: true })
      const { adas, ada, grace } = await app.people()
      await app.adapter.updateUser?.({ id: grace, disabled: true } as never)
      expect((await app.actAs(adas, grace)).status, 'a disabled user').to.equal(403)
      const unknown = await app.actAs(adas, 'nobody')
      const own = await app.actAs(adas, ada)
      expect([unknown.status, own.status, unknown.body === own.body]).to.deep.equal([403, 403, true])
    })

    it('ACT-03 begins and ends by a form of this site alone', async () => {
      const app = openActingApp(strategy, {}, { origins: ['https://front.example'], bearer: true })
      const { adas, grace } = await app.people()
      expect((await adas.get(`/auth/act-as?userId=${grace}`)).status).to.equal(302)
      expect((await adas.post('/auth/act-as', { userId: grace })).status).not.to.equal(200)
      const headers = { origin: 'https://front.example' }
      expect((await app.actAs(adas, grace, headers)).status, 'a front end').to.equal(403)
      const bearer = { authorization: `Bearer ${adas.jar.get('authjs.session-token')?.value}` }
      expect((await app.actAs(adas, grace, bearer)).status, 'a program').to.equal(403)
      expect(await app.who(adas)).to.equal(ADA)
      const csrfToken = await adas.csrfToken()
      await app.actAs(adas, grace)
      expect((await app.send(adas, 'act-as/end', {}, headers)).status, 'a front end').to.equal(403)
      await adas.post('/auth/act-as/end', { csrfToken })
      expect(await app.who(adas), 'it goes on after a form that was open before').to.equal(GRACE)
    })

    it('ACT-04 changes nothing of what is the user’s to decide', async () => {
      const app = openActingApp(strategy, {}, { bearer: true, accountPage: { parts: ['profile', 'data', 'deletion'] } })
      const { adas, graces, grace } = await app.acting()
      const [other] = (await (await adas.get('/auth/sessions')).json()).sessions.filter(
        ({ isCurrent }: { isCurrent: boolean }) => !isCurrent,
      )
      const doors: readonly [path: string, fields: Record<string, string>][] = [
        ['account', { name: 'Mallory' }],
        ['address', { email: NEW }],
        ['password/change', { password: 'another long sentence of words' }],
        ['password/remove', {}],
        ['second-factor', { code: '123456' }],
        ['second-factor/add', { code: '123456', secret: 'x' }],
        ['second-factor/codes', {}],
        ['second-factor/remove', {}],
        ['second-factor/forget', {}],
        ['sessions/revoke', { id: other.id }],
        ['sessions/revoke', { others: 'true' }],
        ['accounts/unlink', { id: 'x' }],
        ['passkeys/remove', { credentialID: 'x' }],
        ['passkeys/rename', { credentialID: 'x', name: 'mine' }],
        ['delete', {}],
        ['export', {}],
        ['act-as', { userId: grace }],
        ['session', { data: 'x' }],
        ['signin/email', { email: EVE }],
      ]
      for (const [path, fields] of doors) {
        const answer = await app.send(adas, path, fields)
        expect(answer.status, `${path}: ${answer.body}`).to.equal(403)
      }
      for (const page of ['password/change', 'second-factor', 'second-factor/add', 'delete', 'address']) {
        expect((await adas.get(`/auth/${page}`, PAGE)).status, page).to.equal(403)
      }
      expect((await adas.get('/auth/webauthn-options/passkey?action=register')).status).to.equal(403)
      const context = requestContext(adas.cookieHeader(), app.origin)
      for (const [name, operation] of Object.entries(OPERATIONS)) {
        if (!('changes' in operation)) continue
        const done = carryOut(operation as Operation<unknown[], unknown>, callerWith(app.engine, context), [
          { id: other.id },
        ])
        const error = await done.then(
          () => null,
          (thrown: unknown) => thrown,
        )
        expect(error, name).to.be.instanceOf(RequestRefused).and.to.include({ status: 403, conflict: 'acting' })
      }
      expect(app.mails.filter(({ to }) => to === NEW || to === EVE)).to.deep.equal([])
      expect(await app.who(graces), 'Grace is signed in still').to.equal(GRACE)
      expect(await app.who(adas)).to.equal(GRACE)
      expect(await app.adapter.getUser?.(grace)).to.deep.include({ email: GRACE })
    })

    it('ACT-05 adds no account to the user by a sign-in, of whoever', async () => {
      const app = openActingApp(strategy)
      const { adas, grace } = await app.people()
      await app.send(adas, 'signin/email', { email: EVE })
      await app.actAs(adas, grace)
      const opened = await adas.get(app.last('sign-in-link')?.path ?? '', PAGE)
      expect(opened.status).to.equal(403)
      expect(await app.idOf(EVE), 'nothing was stored').to.equal(null)
      const password = await app.enterPassword(adas)
      expect(password.status).to.equal(403)
      expect(await app.who(adas)).to.equal(GRACE)
    })

    it('ACT-06 ends by itself, and nothing makes it longer', async () => {
      const app = openActingApp(strategy, { maxAge: 600 })
      const { adas } = await app.acting()
      for (let minute = 0; minute < 9; minute += 1) {
        app.clock.advance(60)
        await adas.session()
        expect((await adas.update({ name: 'x' })).status).to.equal(403)
        expect(await app.who(adas)).to.equal(GRACE)
      }
      const kept = adas.copy()
      for (const [name, { value }] of adas.jar) kept.plant(name, value)
      app.clock.advance(120)
      expect(await app.who(kept), 'a browser that keeps the cookie').to.equal(null)
      expect(await app.who(adas), 'nor is a form of the user’s sent as the administrator').to.equal(null)
      await adas.session()
      expect(await app.who(adas)).to.equal(ADA)
    })

    it('ACT-06 ACT-07 says once that it has ended by itself, and leads the administrator home', async () => {
      const ended = 'You no longer act as another user'
      const ends: Readonly<Record<string, (app: ReturnType<typeof openActingApp>, userId: string) => unknown>> = {
        time: (app) => app.clock.advance(11 * 60),
        'the user': (app, userId) => app.engine.config.schemeFor(app.origin).sessions.revokeAllOf(userId),
      }
      const doors: Readonly<Record<string, (app: ReturnType<typeof openActingApp>, adas: TestBrowser) => unknown>> = {
        'a guard': async ({ engine }, adas) => {
          const headers = { ...NAVIGATION, host: 'app.example', cookie: adas.cookieHeader() ?? '' }
          const request = new Request('http://app.example/orders', { headers })
          const { response, cookies } = await guard({ engine, request, facts: {}, foldsCase: false }, {})
          for (const { name, value } of cookies) if (value === '') adas.jar.delete(name)
          return response?.headers.get('location')
        },
        'a page': async (_app, adas) => (await adas.get('/auth/account', PAGE)).location,
        'a form': async (app, adas) => (await app.send(adas, 'account', { name: 'Grace' }, PAGE)).location,
        'the sign-in page': async (_app, adas) => (await adas.get('/auth/signin?callbackUrl=/orders', PAGE)).location,
      }
      for (const [why, end] of Object.entries(ends))
        for (const [door, open] of Object.entries(doors)) {
          const app = openActingApp(strategy, { maxAge: 600 }, { accountPage: {} })
          const { adas, grace } = await app.acting()
          await end(app, grace)
          const location = String(await open(app, adas))
          expect(location, `${door}, after ${why}`).to.match(/\/auth\/signin\?.*code=ActingEnded/)
          const { pathname, search } = new URL(location)
          const page = await adas.get(pathname + search, PAGE)
          expect(visibleText(page.body), door).to.include(ended).and.include(`signed in as ${ADA}`)
          expect(visibleText(page.body), door).not.to.include('Please sign in')
          expect(page.body, 'they need no form')
            .to.match(/class="primary" href/)
            .and.not.match(/<form|<script type/)
          expect(page.body, 'what was wanted was the user’s').not.to.match(/orders|callbackUrl" value="[^"]*account/)
          const next = await adas.get('/auth/signin', PAGE)
          expect(visibleText(next.body), 'once').not.to.include(ended)
        }
    })

    it('ACT-07 says that it has ended to whom nothing of it is left, and asks them to sign in', async () => {
      const app = openActingApp(strategy)
      const { adas, ada } = await app.acting()
      await app.engine.config.schemeFor(app.origin).sessions.revokeAllOf(ada)
      const { location } = await adas.get('/auth/account', PAGE)
      const { pathname, search } = new URL(String(location))
      const text = visibleText((await adas.get(pathname + search, PAGE)).body)
      expect(text).to.include('You no longer act').and.not.include('signed in as')
    })

    it('ACT-07 ends with the session of the administrator, and with those of the user', async () => {
      const ends: readonly ((app: ReturnType<typeof openActingApp>, ada: string, grace: string) => Promise<unknown>)[] =
        [
          async (app, ada) => app.engine.config.schemeFor(app.origin).sessions.revokeAllOf(ada),
          async (app, _ada, grace) => app.engine.config.schemeFor(app.origin).sessions.revokeAllOf(grace),
        ]
      for (const end of ends) {
        const app = openActingApp(strategy)
        const { adas, ada, grace } = await app.acting()
        await end(app, ada, grace)
        expect(await app.who(adas), 'and it is nobody’s, until the cookie is gone').to.equal(null)
        await adas.session()
        expect(adas.jar.has(ACTING)).to.equal(false)
      }
    })

    it('ACT-08 lets nobody use the cookie elsewhere, or again', async () => {
      const app = openActingApp(strategy, {}, { bearer: true })
      const { adas, secret } = await app.acting()
      const value = adas.jar.get(ACTING)?.value ?? ''
      const alone = app.browser()
      alone.plant(ACTING, value)
      expect(await app.who(alone), 'without the session of the administrator').to.equal(null)
      const again = app.browser()
      await app.enterPassword(again)
      await app.enterCode(again, app.nextCode(secret))
      expect(await app.who(again)).to.equal(ADA)
      again.plant(ACTING, value)
      expect(await app.who(again), 'in another session of the administrator').to.equal(null)
      const eves = await app.signedIn(EVE)
      eves.plant(ACTING, value)
      expect(await app.who(eves), 'in the browser of somebody else').to.equal(null)
      const moved = app.browser()
      moved.plant('authjs.session-token', value)
      expect(await app.who(moved), 'as a session of the user').to.equal(null)
      const program = app.browser()
      const bearer = await program.get('/auth/session', { authorization: `Bearer ${value}` })
      expect(bearer.json(), 'as a token').to.equal(null)
      const before = adas.copy()
      await app.end(adas)
      expect(await app.who(before), 'after its end').to.equal(null)
      const planted = await app.signedIn(EVE)
      planted.plant(ACTING, planted.jar.get('authjs.session-token')?.value ?? '')
      expect(await app.who(planted), 'a session of one’s own in its place').to.equal(null)
    })

    it('ACT-08 ACT-11 counts the last one alone, and ends it for good', async () => {
      const told: SecurityEvent[] = []
      const app = openActingApp(strategy, {}, { events: { security: (event) => void told.push(event) } })
      const { adas, grace } = await app.acting()
      const first = adas.copy()
      adas.jar.delete(ACTING)
      await app.actAs(adas, grace)
      expect(await app.who(adas)).to.equal(GRACE)
      expect(await app.who(first), 'in another tab, or of a thief').to.equal(null)
      const last = adas.copy()
      await app.end(adas)
      expect([await app.who(first), await app.who(last)]).to.deep.equal([null, null])
      await app.end(last)
      const seen = told.filter(({ type }) => type.startsWith('acting')).map(({ type }) => type)
      expect(seen).to.deep.equal(['acting-began', 'acting-ended', 'acting-began', 'acting-ended'])
    })

    it('ACT-08 leaves one session of two clicks at the same moment', async () => {
      const app = openActingApp(strategy)
      const { adas, grace } = await app.people()
      const csrfToken = await adas.csrfToken()
      // Neither of the two stores what began before the other one has looked.
      const { getRecord } = app.adapter
      const waiting: (() => void)[] = []
      app.adapter.getRecord = async (kind, key) => {
        const record = await getRecord(kind, key)
        if (kind === 'acting' && waiting.length < 2)
          await new Promise<void>((go) => {
            if (waiting.push(go) === 2) for (const each of waiting) each()
          })
        return record
      }
      const click = (browser: TestBrowser) => browser.post('/auth/act-as', { csrfToken, userId: grace }, PAGE)
      const answers = await Promise.all([adas, adas.copy()].map(click))
      const begun = answers.filter(({ setCookies }) => setCookies.some(({ name }) => name === ACTING))
      expect(begun).to.have.length(1)
      const listed = await app.engine.config.schemeFor(app.origin).sessions.listOf(grace)
      expect(
        listed.map(({ provider }) => provider),
        'beside her own',
      ).to.have.members(['act-as', 'email'])
    })

    // Tokens keep it themselves.
    if (strategy === 'database')
      it('ACT-08 begins nothing where the adapter does not keep who acts', async () => {
        const app = openActingApp(strategy)
        const { adas, grace } = await app.people()
        const { createSession } = app.adapter
        const lose = ({ authentication: _, ...row }: { authentication?: unknown }) => row
        app.adapter.createSession = async (row) => createSession(lose(row as never) as never)
        const answer = await app.actAs(adas, grace)
        expect(answer.location).to.include('error=Configuration')
        expect(answer.setCookies.filter(({ name }) => name.includes('session-token'))).to.deep.equal([])
        const listed = await app.engine.config.schemeFor(app.origin).sessions.listOf(grace)
        expect(listed, 'and leaves nothing').to.have.length(1)
      })

    it('ACT-08 has the attributes of the session cookie', async () => {
      const options = { domain: '.app.example', sameSite: 'none', secure: true } as const
      const app = openActingApp(strategy, {}, { cookies: { sessionToken: { options } } })
      const { adas, grace } = await app.people()
      const { setCookies } = await app.actAs(adas, grace)
      const cookie = setCookies.find(({ name, value }) => name === ACTING && value)
      expect(cookie).to.deep.include({ domain: '.app.example', secure: true })
      expect(String(cookie?.sameSite).toLowerCase()).to.equal('none')
    })

    it('ACT-07 takes the forms away that were open for the user, when it ends by itself', async () => {
      const app = openActingApp(strategy)
      const { adas, grace } = await app.acting()
      const csrfToken = await adas.csrfToken()
      await app.engine.config.schemeFor(app.origin).sessions.revokeAllOf(grace)
      expect(await adas.session()).to.equal(null)
      expect(await app.who(adas)).to.equal(ADA)
      const sent = await adas.post('/auth/account', { csrfToken, name: 'Grace' })
      expect(sent.status).not.to.equal(200)
      expect((await adas.current())?.user?.name).not.to.equal('Grace')
    })

    it('is known to the session callback, by the id of who acts', async () => {
      const acts: unknown[] = []
      const session = ({ session }: { session: { act?: unknown } }) => {
        acts.push(session.act)
        return session
      }
      const app = openActingApp(strategy, {}, { callbacks: { session: session as never } })
      const { adas, ada } = await app.acting()
      acts.length = 0
      await adas.session()
      expect(acts).to.deep.include({ sub: ada })
    })

    it('ACT-09 signs both out with a sign-out', async () => {
      const app = openActingApp(strategy)
      const { adas, graces } = await app.acting()
      const known = await app.engine.listSessions(requestContext(graces.cookieHeader(), app.origin))
      const seen = known?.map(({ provider, userAgent, network }) => [provider, userAgent, network])
      expect(seen, 'Grace sees it').to.deep.include(['act-as', null, null])
      const page = await graces.get('/auth/account', PAGE)
      expect(page.body).to.include('An administrator, acting as you')
      const before = adas.copy()
      await adas.signOut()
      expect(adas.jar.has(ACTING)).to.equal(false)
      expect(await app.who(adas)).to.equal(null)
      expect(await app.who(before), 'copies of the cookies').to.equal(null)
      const left = await app.engine.listSessions(requestContext(graces.cookieHeader(), app.origin))
      expect(left, 'Grace stays signed in, alone').to.have.length(1)
    })

    it('ACT-09 LOGOUT-02 takes both cookies away with a sign-out, whatever of the store fails', async () => {
      const kept =
        strategy === 'database' ? ['deleteSession', 'getSessionAndUser'] : ['deleteTokenSession', 'getTokenSession']
      for (const broken of [['deleteRecord'], kept.slice(1), [...kept, 'deleteRecord', 'getRecord']] as const) {
        const app = openActingApp(strategy)
        const { adas } = await app.acting()
        const csrfToken = await adas.csrfToken()
        const methods = Object.fromEntries(broken.map((name) => [name, app.adapter[name as 'deleteRecord']]))
        const failing = async () => Promise.reject(new Error('connection lost'))
        Object.assign(app.adapter, Object.fromEntries(broken.map((name) => [name, failing])))
        const { location } = await adas.post('/auth/signout', { csrfToken }, PAGE)
        expect(location, broken.join()).to.be.oneOf([app.origin, `${app.origin}/auth/error?error=SignOut`])
        expect([...adas.jar.keys()].filter((name) => name.includes('session-token'))).to.deep.equal([])
        Object.assign(app.adapter, methods)
      }
    })

    it('ACT-10 passes no guard that demands more than a session', async () => {
      const app = openActingApp(strategy)
      const { adas } = await app.acting()
      const at = async (rules: object, kind: Record<string, string> = NAVIGATION) => {
        const headers = { ...kind, host: 'app.example', cookie: adas.cookieHeader() ?? '' }
        const request = new Request(INSIDE, { headers })
        return (await guard({ engine: app.engine, request, facts: {}, foldsCase: false }, rules)).response
      }
      expect(await at({}), 'a session').to.equal(null)
      // No page on the way could give what is missing.
      for (const rules of [{ factors: 2 }, { maxAuthAge: 3600 }, { acr: 'gold' }]) {
        const refused = await at(rules)
        const text = visibleText((await refused?.text()) ?? '')
        expect(refused?.status, Object.keys(rules)[0]).to.equal(403)
        expect(text).to.include(`You act as ${GRACE}`).and.to.include('Not while you act').and.not.to.include('Sign in')
        const told = await at(rules, { accept: 'application/json' })
        expect([told?.status, told?.headers.get('www-authenticate')]).to.deep.equal([403, null])
      }
      const forbidden = await at({ roles: ['admin'] })
      const body = (await forbidden?.text()) ?? ''
      expect([forbidden?.status, visibleText(body).includes(`You act as ${GRACE}`)]).to.deep.equal([403, true])
      expect(visibleText(body))
        .to.include('The user as whom you act may not open this page.')
        .and.not.include('another account')
      expect(body, 'which is where they go on')
        .to.match(/<a class="primary"[^>]* href="http:\/\/app\.example\/auth\/act-as"/)
        .and.not.to.include('/auth/signout?')
    })

    it('ACT-10 passes no `authorized` callback by a sign-in', async () => {
      const app = openActingApp(strategy, {}, { callbacks: { authorized: () => false } })
      const { adas } = await app.acting()
      const headers = { ...NAVIGATION, host: 'app.example', cookie: adas.cookieHeader() ?? '' }
      const request = new Request(INSIDE, { headers })
      const { response } = await guard({ engine: app.engine, request, facts: {}, foldsCase: false }, {})
      expect([response?.status, response?.headers.get('location')]).to.deep.equal([403, null])
    })

    it('leads whoever stops home, or where a form says, and never where they wanted to go as the user', async () => {
      const app = openActingApp(strategy)
      const { adas, grace } = await app.acting()
      const remember = () => adas.get('/auth/signout?callbackUrl=/checkout', PAGE)
      await remember()
      const { body } = await adas.get('/auth/act-as', PAGE)
      expect(body).not.to.include('checkout')
      const again = async (fields: Record<string, string>) => {
        await app.actAs(adas, grace)
        await remember()
        return (await app.send(adas, 'act-as/end', fields)).location
      }
      expect(await again({})).to.equal(app.origin)
      expect((await adas.get('/auth/signin', PAGE)).body, 'nor later').not.to.include('checkout')
      expect(await again({ callbackUrl: '/support' })).to.equal(`${app.origin}/support`)
      for (const callbackUrl of ['https://evil.example/', '//evil.example', 'javascript:alert(1)'])
        expect(await again({ callbackUrl })).to.equal(app.origin)
      await app.actAs(adas, grace)
      await remember()
      const named = await adas.get('/auth/act-as?callbackUrl=/support', PAGE)
      expect(named.body).to.include('name="callbackUrl" value="http://app.example/support"')
      expect(named.body, 'who goes back still acts').not.to.include('href="http://app.example/support"')
      expect((await adas.get('/auth/act-as?callbackUrl=javascript:alert(1)', PAGE)).body).not.to.include('checkout')
    })

    it('ACT-11 tells of the begin and of the end, at a sign-out, too', async () => {
      const told: SecurityEvent[] = []
      const app = openActingApp(strategy, {}, { events: { security: (event) => void told.push(event) } })
      const { adas, ada, grace } = await app.acting()
      const seen = () =>
        told
          .splice(0)
          .filter(({ type }) => type.startsWith('acting'))
          .map(({ type, userId, actorId }) => ({ type, userId, actorId }))
      const about = { userId: grace, actorId: ada }
      expect(seen()).to.deep.equal([{ type: 'acting-began', ...about }])
      await app.end(adas)
      expect(seen()).to.deep.equal([{ type: 'acting-ended', ...about }])
      await app.actAs(adas, grace)
      await adas.signOut()
      expect(seen().at(-1)).to.deep.equal({ type: 'acting-ended', ...about })
    })

    it('ACT-11 tells of the end also where the session of it cannot be deleted', async () => {
      const told: string[] = []
      const app = openActingApp(strategy, {}, { events: { security: ({ type }) => void told.push(type) } })
      const { adas } = await app.acting()
      const failing = () => Promise.reject(new Error('connection lost'))
      Object.assign(app.adapter, { deleteSession: failing, revokeTokenSession: failing })
      expect((await app.end(adas)).location).to.include('/auth/error?')
      expect(await app.who(adas), 'it counts for nobody').to.equal(null)
      expect(told.slice(-2)).to.deep.equal(['acting-began', 'acting-ended'])
    })

    it('ACT-11 tells of an administrator who may not', async () => {
      const told: SecurityEvent[] = []
      const app = openActingApp(
        strategy,
        { allow: () => false },
        { events: { security: (event) => void told.push(event) } },
      )
      const { adas, ada, grace } = await app.people()
      const page = await app.actAs(adas, grace, PAGE)
      expect(page.status).to.equal(403)
      expect(visibleText(page.body), 'who is signed in is not led to sign in').to.match(
        /You may not act as this user .* Go to the home page Error 403$/,
      )
      const seen = told
        .filter(({ type }) => type === 'acting-refused')
        .map(({ userId, reason }) => ({ userId, reason }))
      expect(seen).to.deep.equal([{ userId: ada, reason: 'RequestRefused' }])
    })

    it('takes the number of a user from a script, where the store numbers them', async () => {
      const adapter = numberedUsers()
      const app = openActingApp(strategy, {}, { adapter })
      const { adas, grace } = await app.people()
      const fields = { csrfToken: await adas.csrfToken(), userId: Number(grace) }
      expect((await adas.postJson('/auth/act-as', fields)).status).to.equal(302)
      expect(await app.who(adas)).to.equal(GRACE)
    })

    it('ACT-12 gives no session where the store fails, and never that of the administrator', async () => {
      const app = openActingApp(strategy)
      const { adas } = await app.acting()
      const methods = ['getSessionAndUser', 'getTokenSession'] as const
      for (const broken of [1, 2]) {
        let calls = 0
        const kept = methods.map((name) => [name, app.adapter[name]] as const)
        for (const [name, method] of kept) {
          const failing = (...args: never[]) => {
            calls += 1
            if (calls === broken) throw new Error('connection lost')
            return (method as (...args: never[]) => unknown)(...args)
          }
          Object.assign(app.adapter, { [name]: failing })
        }
        const failed = await app.who(adas).then(String, (error) => error.constructor.name)
        expect(failed, `look-up ${broken}`).to.be.oneOf(['SessionTokenError', 'JWTSessionError', 'AdapterError'])
        expect(calls).to.be.at.least(broken)
        Object.assign(app.adapter, Object.fromEntries(kept))
        expect(await app.who(adas), 'and it goes on').to.equal(GRACE)
      }
    })

    it('says on every page as whom the visitor acts, whatever they are called, and stops there', async () => {
      const app = openActingApp(strategy, {}, { accountPage: { parts: ['profile', 'address', 'data', 'deletion'] } })
      const { adas, grace, graces } = await app.acting()
      const forms = ['signin', 'password', 'password/choose?token=x&email=x', 'password/remove', 'second-factor/remove']
      for (const page of [...forms, 'verify-request', 'callback/email?token=x&email=x']) {
        const { body, status } = await adas.get(`/auth/${page}`, PAGE)
        expect(status, page).to.equal(403)
        expect(visibleText(body), page)
          .to.include('Not while you act')
          .and.match(/Stop acting Go to the home page/)
          .and.not.include('until you stop')
        expect(body, 'a form that would be refused').not.match(/<form(?![^>]*language)/)
      }
      for (const page of ['account', 'signin', 'signout', 'error?error=AccessDenied', 'nothing-here', 'act-as']) {
        const { body } = await adas.get(`/auth/${page}`, PAGE)
        expect(visibleText(body), page).to.include(`You act as ${GRACE}`)
        expect(body, 'where nobody can sign in').not.match(/href="[^"]*\/auth\/signin/)
      }
      expect((await graces.get('/auth/nothing-here', PAGE)).body).to.match(/href="[^"]*\/auth\/signin/)
      expect((await app.browser().get('/auth/signin', PAGE)).body).not.to.include('You act as')
      const ends = 'Your own session, from which you act as somebody else, ends, too.'
      expect(visibleText((await adas.get('/auth/signout', PAGE)).body)).to.include(ends)
      expect(visibleText((await graces.get('/auth/signout', PAGE)).body)).not.to.include(ends)
      const account = (await adas.get('/auth/account', PAGE)).body
      expect(account, 'what would be refused is not offered')
        .to.include(GRACE)
        .and.not.match(/<section.*<form/s)
      expect(visibleText(account), 'and why')
        .to.include('No name yet')
        .and.match(/How this account signs in cannot be changed meanwhile/)
        .and.not.match(/Your data|deleted/)
      expect((await graces.get('/auth/account', PAGE)).body).to.match(/<section.*<form/s)
      const refused = visibleText((await app.send(adas, 'address', { email: NEW }, PAGE)).body)
      expect(refused).to.include('Not while you act').and.not.include('Go to sign-in')
      const page = await adas.get('/auth/act-as', PAGE)
      expect(visibleText(page.body).match(/You act as|Stop acting/g), 'once each').to.deep.equal([
        'You act as',
        'Stop acting',
      ])
      expect(visibleText(page.body), 'it ends by itself').not.to.include('until you stop')
      expect(page.body).to.include('action="http://app.example/auth/act-as/end"')
      await app.adapter.updateUser?.({ id: grace, email: null as never, name: '<script>alert(1)</script>' })
      if (strategy === 'database') {
        const { body } = await adas.get('/auth/signout', PAGE)
        expect(body).to.include('You act as <strong><bdi>&lt;script&gt;').and.not.to.include('<script>alert')
      }
    })
  })
}

describe('ACT-09 acting as a user, and a sign-out at a provider', () => {
  const fakes: FakeProvider[] = []
  after(() => Promise.all(fakes.map((fake) => fake.stop())))

  for (const kind of KINDS) {
    it(`ends both sessions where the administrator has signed in: ${kind}`, async () => {
      const fake = await FakeProvider.start()
      fakes.push(fake)
      fake.faults.metadata = (document) => ({ ...document, end_session_endpoint: `${fake.issuer}/logout` })
      const app = openLogoutApp(fake, kind, {
        provider: { endSession: 'always' } as object,
        secondFactor: { ...DEMANDED, trusts: ['op'] },
        actAs: { allow: () => true },
      })
      const graces = await app.signInAt('session-2', { sub: 'grace', email: GRACE, amr: ['mfa'] })
      const grace = String((await graces.current())?.user?.id)
      const act = async () => {
        const browser = await app.signInAt('session-1', { sub: 'ada', email: ADA, amr: ['mfa'] })
        const fields = { csrfToken: await browser.csrfToken(), userId: grace }
        expect((await browser.post('/auth/act-as', fields)).status).to.equal(302)
        expect((await browser.current())?.user?.id).to.equal(grace)
        return browser
      }
      const inFrame = await act()
      const { issuer } = fake
      await inFrame.get(`/auth/frontchannel-logout/op?${new URLSearchParams({ iss: issuer, sid: 'session-1' })}`)
      expect(await inFrame.current(), 'the provider says so').to.equal(null)
      expect(inFrame.jar.has(ACTING)).to.equal(false)
      const here = await act()
      expect((await here.signOut()).location, 'it leads to the provider').to.include('endSession=op')
      expect(await here.current()).to.equal(null)
      expect((await graces.current())?.user?.id, 'Grace stays signed in').to.equal(grace)
    })
  }
})

describe('acting as a user, where it cannot work', () => {
  it('refuses a configuration without a second factor, or without a rule', () => {
    expect(() => openSecondFactorApp({ actAs: { allow: () => true }, secondFactor: false })).to.throw('secondFactor')
    expect(() => openSecondFactorApp({ actAs: { allow: () => true } })).to.throw('`secondFactor.required`')
    expect(() => openSecondFactorApp({ actAs: {} as never })).to.throw('`actAs.allow`')
  })

  it('serves nothing where it is not configured', async () => {
    const app = openSecondFactorApp()
    const { browser, userId, secret } = await app.withFactor()
    expect(codeOf(secret, app.clock.ms)).to.match(/^\d{6}$/)
    expect((await app.send(browser, 'act-as', { userId })).status).to.equal(404)
    expect((await browser.get('/auth/act-as')).status).to.equal(404)
  })
})
