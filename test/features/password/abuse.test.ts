import { inspect } from 'node:util'
import { expect } from 'chai'
import type { Adapter, AdapterRecord } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { AuthConfig } from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import Password, { betterAuthHashes } from '../../../lib/providers/password.js'
import { operatorOf } from '../../../lib/visitor/operations.js'
import { SECRET } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { visibleText } from '../../support/html.js'
import { longestNormalized, MANY_ACCENTS } from '../../support/normalized-lengths.js'
import { requestContext } from '../../support/request-context.js'
import { openTestApp, sendForm as send, type TestBrowser, type TestResponse, whoIs } from '../../support/test-app.js'

const ADA = 'ada@example.com'
const EVE = 'eve@example.com'
const GOOD = 'copper lantern under seven bridges'
const OTHER = 'nine quiet windows facing the harbour'

/** An app with passwords, whose mails stay here. */
function open(adapter: Adapter = memoryAdapter(), more: Partial<AuthConfig> = {}) {
  const links: { to: string; path: string }[] = []
  const notices: { to: string; kind: string; text: string }[] = []
  const mail = Email({
    sendVerificationRequest() {},
    sendNotification({ identifier, url, kind, message }) {
      if (kind !== 'password-link') return void notices.push({ to: identifier, kind, text: message.text })
      const { pathname, search } = new URL(url)
      links.push({ to: identifier, path: pathname + search })
    },
  })
  // Limits have tests of their own: here calls and records are counted.
  const options: Partial<AuthConfig> = { session: { strategy: 'database' }, limits: false, ...more }
  const app = openTestApp({ adapter, providers: [Password(), mail], ...options })
  const ask = (browser: TestBrowser, email: string) => send(browser, 'password', { email })
  const tokenIn = (path = '') => {
    const token = new URLSearchParams(path.split('?')[1]).get('token')
    if (!token) throw new Error(`no link was mailed, or it has no token: "${path}"`)
    return token
  }
  return {
    ...app,
    links,
    notices,
    send,
    ask,
    tokenIn,
    async linkFor(email: string) {
      const before = links.length
      await ask(app.browser(), email)
      return tokenIn(links[before]?.path)
    },
    choose: (token: string, password: string, browser = app.browser()) =>
      send(browser, 'password/choose', { token, newPassword: password }),
    signIn: (email: string, password: string, browser = app.browser()) =>
      send(browser, 'callback/password', { email, password }),
  }
}

let inboxUrl = ''
/** An e-mail provider whose last link stays here. */
const inbox = () =>
  Email({
    sendVerificationRequest({ url }) {
      inboxUrl = url
    },
    sendNotification() {},
  })
const linkOfInbox = () => inboxUrl.replace('http://app.example', '')

const isRefused = ({ location }: TestResponse) => location?.includes('error=CredentialsSignin') === true

/** The records of a memory adapter, by kind and key. */
function watched(adapter = memoryAdapter()) {
  const records = new Map<string, AdapterRecord>()
  const calls: string[] = []
  const note = (record: AdapterRecord) => void records.set(`${record.kind} ${record.key}`, { ...record })
  const kept = Object.fromEntries(
    Object.entries(adapter).map(([name, method]) => [
      name,
      (...args: unknown[]) => {
        calls.push(name)
        if (name === 'createRecord' || name === 'updateRecord') note(args[0] as AdapterRecord)
        return (method as (...args: unknown[]) => unknown).apply(adapter, args)
      },
    ]),
  ) as typeof adapter
  return { adapter: kept, records, calls }
}

describe('who would misuse passwords', () => {
  it('PWD-10: an address that somebody has, and one that nobody has, get the same answer after the same calls', async () => {
    const { adapter, calls } = watched()
    const app = open(adapter)
    await app.choose(await app.linkFor(ADA), GOOD)
    const seen = async (work: (email: string) => Promise<TestResponse>) => {
      const all = []
      for (const email of [ADA, 'nobody@example.com']) {
        calls.length = 0
        const { status, location, body, setCookies } = await work(email)
        const names = setCookies.map(({ name, value = '' }) => [name, value.length])
        all.push({ status, location, body, names, calls: [...calls] })
      }
      return all
    }
    const [known, unknown] = await seen((email) => app.ask(app.browser(), email))
    expect(known).to.deep.equal(unknown)
    expect(known?.calls).to.include('createRecord')
    const [wrong, nobodys] = await seen((email) => app.signIn(email, OTHER))
    expect(wrong).to.deep.equal(nobodys)
    expect(wrong?.calls).to.include('getRecord')
    expect(isRefused(await app.signIn(ADA, OTHER))).to.equal(true)
  })

  it('PWD-08: a password that is chosen for an address opens no user who has another one by then', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    const { id } = await adapter.createUser({ id: 'eve', email: ADA, emailVerified: new Date() })
    const token = await app.linkFor(ADA)
    const { createRecord } = adapter
    adapter.createRecord = async (record) => {
      if (record.kind === 'password') await adapter.updateUser({ id, email: EVE })
      return createRecord(record)
    }
    const browser = app.browser()
    expect((await app.choose(token, GOOD, browser)).status).to.equal(400)
    expect(await whoIs(browser)).to.equal(null)
    expect(isRefused(await app.signIn(EVE, GOOD))).to.equal(true)
  })

  it('PWD-08: nor does its link become one of whoever has got the address meanwhile', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    const { id } = await adapter.createUser({ id: 'ada', email: ADA, emailVerified: new Date() })
    const token = await app.linkFor(ADA)
    const { createRecord } = adapter
    adapter.createRecord = async (record) => {
      if (record.kind === 'password' && (await adapter.getUserByEmail(ADA))?.id === id) {
        await adapter.updateUser({ id, email: EVE })
        await adapter.createUser({ id: 'next', email: ADA, emailVerified: new Date() })
      }
      return createRecord(record)
    }
    expect((await app.choose(token, GOOD)).status).to.equal(400)
    const browser = app.browser()
    expect((await app.choose(token, OTHER, browser)).status).to.equal(400)
    expect(await whoIs(browser)).to.equal(null)
    for (const password of [GOOD, OTHER]) expect(isRefused(await app.signIn(ADA, password))).to.equal(true)
  })

  it('PWD-08: a link is dead for whoever has got the address since: it shows no form, and judges no password', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    const { id } = await adapter.createUser({ id: 'ada', email: ADA, emailVerified: new Date() })
    const token = await app.linkFor(ADA)
    await adapter.updateUser({ id, email: EVE })
    await adapter.createUser({ id: 'next', name: 'Noor', email: ADA, emailVerified: new Date() })
    const opened = await app.browser().get(`/auth/password/choose?token=${token}`, { accept: 'text/html' })
    expect([opened.status, opened.body.includes('newPassword')]).to.deep.equal([400, false])
    for (const password of ['short', GOOD])
      expect((await app.choose(token, password)).json(), password).to.deep.equal({ error: 'Password', reason: 'link' })
  })

  it('PWD-08: nor does it take away the password of that user', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    await app.choose(await app.linkFor(ADA), GOOD)
    const { id } = (await adapter.getUserByEmail(ADA)) ?? expect.fail('no user')
    const token = await app.linkFor(ADA)
    const { updateRecord } = adapter
    adapter.updateRecord = async (record) => {
      if (record.kind === 'password') await adapter.updateUser({ id, email: EVE })
      return updateRecord(record)
    }
    const told = app.notices.length
    expect((await app.choose(token, OTHER)).status).to.equal(400)
    expect(isRefused(await app.signIn(EVE, OTHER))).to.equal(true)
    expect(isRefused(await app.signIn(EVE, GOOD))).to.equal(false)
    expect(app.notices.length, 'nothing has changed').to.equal(told)
  })

  it('PWD-08: of two who use one link at once, one chooses', async () => {
    const app = open()
    const token = await app.linkFor(ADA)
    const answers = await Promise.all([app.choose(token, GOOD), app.choose(token, OTHER)])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([302, 400])
    const works = [!isRefused(await app.signIn(ADA, GOOD)), !isRefused(await app.signIn(ADA, OTHER))]
    expect(works).to.deep.equal(answers.map(({ status }) => status === 302))
  })

  it('PWD-08: a link dies with the address, after an hour, and when somebody else has signed up with it', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    await app.choose(await app.linkFor(ADA), GOOD)
    const moved = await app.linkFor(ADA)
    const ada = await adapter.getUserByEmail(ADA)
    await adapter.updateUser({ id: ada?.id ?? '', email: 'ada@new.example' })
    expect((await app.choose(moved, OTHER)).status).to.equal(400)
    const late = await app.linkFor(EVE)
    app.clock.advance(3601)
    expect((await app.choose(late, OTHER)).status).to.equal(400)
    const first = await app.linkFor(EVE)
    const second = await app.linkFor(EVE)
    expect((await app.choose(first, GOOD)).status).to.equal(302)
    expect((await app.choose(second, OTHER)).status).to.equal(400)
  })

  it('PWD-08: a link chooses nothing if its mail has arrived, and is said to have failed', async () => {
    let url = ''
    const mail = Email({
      sendVerificationRequest() {},
      sendNotification(params) {
        url = params.url
        throw new Error(`550 ${url}`)
      },
    })
    const app = open(memoryAdapter(), { providers: [Password(), mail] })
    await app.ask(app.browser(), ADA)
    expect((await app.choose(app.tokenIn(url), GOOD)).status).to.equal(400)
  })

  it('PWD-08: a scanner that opens the link uses nothing up, and a form of another site neither', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    const token = await app.linkFor(ADA)
    const path = app.links.at(-1)?.path ?? ''
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await app.browser().get(path)).status).to.equal(200)
      await app.browser().head(path)
    }
    const stolen = await app.browser().post('/auth/password/choose', { token, newPassword: OTHER })
    expect(stolen.location).to.include('MissingCSRF')
    expect((await app.choose(token, GOOD)).status).to.equal(302)
  })

  it('the page of a link sends its address nowhere, and no cache keeps it', async () => {
    const app = open()
    await app.linkFor(ADA)
    const { status, headers, body } = await app.browser().get(app.links.at(-1)?.path ?? '')
    expect(status).to.equal(200)
    expect(headers.get('cache-control')).to.include('no-store')
    expect(headers.get('referrer-policy')).to.match(/^(?:no-referrer|same-origin)$/)
    expect(body).to.not.match(/(?:src|href)="https?:\/\/(?!app\.example)/)
  })

  it('PWD-06: whoever signs in with the present password while its owner changes it has no session afterwards', async () => {
    for (const how of ['change', 'link'] as const) {
      const app = open()
      const own = app.browser()
      await app.choose(await app.linkFor(ADA), GOOD, own)
      const token = how === 'link' ? await app.linkFor(ADA) : ''
      const thieves = [app.browser(), app.browser(), app.browser()]
      await Promise.all([
        how === 'change'
          ? app.send(own, 'password/change', { password: GOOD, newPassword: OTHER })
          : app.choose(token, OTHER, own),
        ...thieves.map((thief) => app.signIn(ADA, GOOD, thief)),
      ])
      expect(await Promise.all(thieves.map(whoIs)), how).to.deep.equal([null, null, null])
      expect(await whoIs(own), how).to.equal(ADA)
    }
  })

  for (const strategy of ['database', 'jwt'] as const) {
    it(`PWD-06: a copy of the cookie ends with the password that its owner changes, with ${strategy} sessions`, async () => {
      const adapter = memoryAdapter()
      const revocation = { store: adapter, checkEvery: 0 }
      const app = open(adapter, { session: strategy === 'jwt' ? { strategy, revocation } : { strategy } })
      const own = app.browser()
      await app.choose(await app.linkFor(ADA), GOOD, own)
      const thief = own.copy()
      const provedAt = async () =>
        (await app.engine.readSession(requestContext(own.cookieHeader(), own.origin))).authenticatedAt
      const before = Number(await provedAt())
      app.clock.advance(60)
      await app.send(own, 'password/change', { password: GOOD, newPassword: OTHER })
      expect([await whoIs(own), await whoIs(thief)]).to.deep.equal([ADA, null])
      expect(Number(await provedAt()) - before, 'a password is no second factor').to.be.at.most(3000)
    })
  }

  it('PWD-08: a change that is under way does not take the place of the password that the owner chooses', async () => {
    const app = open()
    const thief = app.browser()
    await app.choose(await app.linkFor(ADA), GOOD, thief)
    const token = await app.linkFor(ADA)
    const own = app.browser()
    const evil = 'seven bridges over a copper lantern'
    const [change, choice] = await Promise.all([
      app.send(thief, 'password/change', { password: GOOD, newPassword: evil }),
      app.choose(token, OTHER, own),
    ])
    const stands = choice.status === 302 ? OTHER : evil
    const falls = choice.status === 302 ? evil : OTHER
    expect([choice.status, change.status].filter((status) => status === 302)).to.have.length(1)
    expect(isRefused(await app.signIn(ADA, stands))).to.equal(false)
    expect(isRefused(await app.signIn(ADA, falls))).to.equal(true)
  })

  it('PWD-08 is chosen by nobody whom the signIn callback keeps out, or sends elsewhere', async () => {
    const verdicts: (boolean | string)[] = []
    const app = open(memoryAdapter(), {
      callbacks: { signIn: ({ email }) => email?.verificationRequest === true || (verdicts.shift() ?? true) },
    })
    const ada = app.browser()
    await app.choose(await app.linkFor(ADA), GOOD, ada)
    const told = app.notices.length
    for (const verdict of [false, '/apply']) {
      const token = await app.linkFor(ADA)
      verdicts.push(verdict)
      const answer = await app.choose(token, OTHER)
      expect(answer.location).to.include(verdict || 'AccessDenied')
      expect(isRefused(await app.signIn(ADA, OTHER))).to.equal(true)
      expect(isRefused(await app.signIn(ADA, GOOD))).to.equal(false)
      expect(await whoIs(ada)).to.equal(ADA)
      expect(app.notices).to.have.lengthOf(told)
    }
  })

  it('PWD-08: a link is tried ten times, also at once, before it has chosen a password', async () => {
    let verdict: boolean | string = true
    const app = open(memoryAdapter(), { callbacks: { signIn: () => verdict } })
    await app.choose(await app.linkFor(ADA), GOOD)
    for (const email of [ADA, EVE]) {
      const token = await app.linkFor(email)
      verdict = '/apply'
      expect((await app.choose(token, 'short')).status, 'a refused password').to.equal(422)
      const answers = await Promise.all(Array.from({ length: 8 }, () => app.choose(token, OTHER)))
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(8).fill(302))
      expect((await app.browser().get(app.links.at(-1)?.path ?? '')).status).to.equal(200)
      const onPage = () =>
        app.send(app.browser(), 'password/choose', { token, newPassword: OTHER }, { accept: 'text/html' })
      const last = await Promise.all([onPage(), onPage()])
      expect(last.map(({ status }) => status).sort()).to.deep.equal([302, 400])
      expect(last.map(({ body }) => /Too many tries/.test(body)).sort(), 'and says why').to.deep.equal([false, true])
      verdict = true
      expect((await app.choose(token, OTHER)).status).to.equal(400)
      expect((await app.browser().get(app.links.at(-1)?.path ?? '')).status).to.equal(400)
      expect(isRefused(await app.signIn(email, OTHER))).to.equal(true)
    }
  })

  it('somebody new can use the link again if the signIn callback has sent them elsewhere first', async () => {
    let verdict: boolean | string = true
    const adapter = memoryAdapter()
    const app = open(adapter, { callbacks: { signIn: () => verdict } })
    const token = await app.linkFor(ADA)
    verdict = '/terms'
    expect((await app.choose(token, GOOD)).location).to.include('/terms')
    expect(await adapter.getUserByEmail(ADA)).to.equal(null)
    verdict = true
    expect((await app.choose(token, GOOD)).status).to.equal(302)
    expect((await app.choose(token, OTHER)).status, 'it has chosen one').to.equal(400)
  })

  it('but not once somebody has signed up with the address in another way', async () => {
    let verdict: boolean | string = true
    const adapter = memoryAdapter()
    const app = open(adapter, { callbacks: { signIn: () => verdict } })
    const token = await app.linkFor(ADA)
    verdict = '/terms'
    await app.choose(token, GOOD)
    await adapter.createUser({ id: 'ada', email: ADA, emailVerified: new Date() })
    verdict = true
    expect((await app.choose(token, GOOD)).status).to.equal(400)
  })

  it('a link can be used again if the store fails before the password is stored, also by whom it has made or confirmed', async () => {
    for (const isKnown of [false, true]) {
      const adapter = memoryAdapter()
      const app = open(adapter)
      if (isKnown) {
        await app.choose(await app.linkFor(ADA), OTHER)
        await adapter.updateUser({ id: (await adapter.getUserByEmail(ADA))?.id ?? '', emailVerified: null })
      }
      const token = await app.linkFor(ADA)
      const { createRecord, updateRecord } = adapter
      // The confirmation takes the password of before away, which is a change as well.
      const failing = (version: number, store: typeof createRecord) => async (record: AdapterRecord) => {
        if (record.kind === 'password' && record.version === version) throw new Error('connection lost')
        return store(record)
      }
      Object.assign(adapter, { createRecord: failing(1, createRecord), updateRecord: failing(3, updateRecord) })
      expect((await app.choose(token, GOOD)).location).to.include('code=Unavailable')
      expect((await adapter.getUserByEmail(ADA))?.emailVerified).to.be.a('date')
      Object.assign(adapter, { createRecord, updateRecord })
      const browser = app.browser()
      expect((await app.choose(token, GOOD, browser)).status).to.equal(302)
      expect(await whoIs(browser)).to.equal(ADA)
      expect((await app.choose(token, OTHER)).status, 'it has chosen one').to.equal(400)
    }
  })

  it('whoever has chosen, and got no session from a store that failed, is told on the page of the link to sign in', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    const token = await app.linkFor(ADA)
    const { createSession } = adapter
    adapter.createSession = async () => {
      throw new Error('connection lost')
    }
    const browser = app.browser()
    expect((await app.choose(token, GOOD, browser)).location).to.include('code=Unavailable')
    adapter.createSession = createSession
    const page = visibleText((await browser.get(app.links.at(-1)?.path ?? '', { accept: 'text/html' })).body)
    expect(page).to.include('If you have chosen a password with it, sign in').and.include('Go to sign-in')
    await app.signIn(ADA, GOOD, browser)
    expect(await whoIs(browser)).to.equal(ADA)
  })

  it('whoever has chosen is signed in, also if the store cannot end the link', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    const { deleteRecord } = adapter
    const token = await app.linkFor(ADA)
    adapter.deleteRecord = async (kind, key) => {
      if (kind === 'password-link') throw new Error('connection lost')
      return deleteRecord(kind, key)
    }
    const browser = app.browser()
    await app.choose(token, GOOD, browser)
    expect(await whoIs(browser)).to.equal(ADA)
    expect((await app.choose(token, OTHER)).status, 'it has chosen one').to.equal(400)
  })

  it('the signIn callback reads who chooses, as stored', async () => {
    const read: unknown[] = []
    const adapter = memoryAdapter()
    const app = open(adapter, { callbacks: { signIn: ({ user }) => read.push(user) > 0 } })
    await app.choose(await app.linkFor(ADA), GOOD)
    const token = await app.linkFor(ADA)
    read.length = 0
    await app.choose(token, OTHER)
    expect(read).to.deep.equal([await adapter.getUserByEmail(ADA)])
  })

  it('the application says which addresses it takes, and who may ask for a mail', async () => {
    const links: string[] = []
    const mail = Email({
      sendVerificationRequest() {},
      sendNotification: ({ identifier }) => void links.push(identifier),
      normalizeIdentifier(given) {
        if (!given.endsWith('@acme.example')) throw new Error('not one of us')
        return given.toLowerCase().replace(/\+[^@]*/, '')
      },
    })
    const app = open(memoryAdapter(), {
      providers: [Password(), mail],
      callbacks: { signIn: ({ user }) => user.email !== 'out@acme.example' },
    })
    expect((await app.ask(app.browser(), 'eve@evil.example')).location).to.equal(null)
    expect((await app.ask(app.browser(), 'out@acme.example')).location).to.include('AccessDenied')
    await app.ask(app.browser(), 'Ada+shop@acme.example')
    expect(links).to.deep.equal(['ada@acme.example'])
  })

  it('whoever runs the application learns what is broken in its code that reads an address; whoever enters one does not', async () => {
    let isBroken = false
    const mail = Email({
      sendVerificationRequest() {},
      sendNotification() {},
      normalizeIdentifier(given) {
        if (given === EVE) throw new Error('not one of us')
        return isBroken ? (undefined as unknown as string).trim() : given
      },
    })
    const faults: Error[] = []
    const logger = { error: (fault: Error) => void faults.push(fault) }
    const app = open(memoryAdapter(), { providers: [Password(), mail], logger })
    const [wrong, refused] = [await app.signIn(ADA, GOOD), await app.signIn(EVE, GOOD)]
    const noAddress = await app.ask(app.browser(), EVE)
    expect([refused.location, faults]).to.deep.equal([wrong.location, []])
    isBroken = true
    expect((await app.signIn(ADA, GOOD)).location).to.equal(wrong.location)
    expect((await app.ask(app.browser(), ADA)).status).to.equal(noAddress.status)
    expect(faults.map(({ name }) => name)).to.deep.equal(['EmailSignInError', 'EmailSignInError'])
    expect(inspect(faults, { depth: 9 }))
      .to.include('TypeError')
      .and.not.include(ADA)
  })

  it('whoever has to sign in before they change a password is led there and back, and whoever has none chooses one', async () => {
    const app = open()
    const own = app.browser()
    const page = { accept: 'text/html' }
    const away = await own.get('/auth/password/change', page)
    expect(away.location).to.include('/auth/signin?error=SessionRequired').and.include('password%2Fchange')
    await app.choose(await app.linkFor(ADA), GOOD, own)
    expect((await own.get('/auth/password/change', page)).status).to.equal(200)
    app.clock.advance(901)
    const again = await own.get('/auth/password/change', page)
    expect(again.location).to.include('error=RecentSignInRequired&code=OpenPage').and.include('password%2Fchange')
    expect((await own.get('/auth/password/change')).status, 'a script').to.not.equal(302)
    const why = 'We need to be sure that it is you. Please sign in again'
    const pathOf = ({ location }: TestResponse) => (location ?? '').slice(app.origin.length)
    const led = await own.get('/auth/password/change?callbackUrl=/settings', page)
    let shown = await own.get(pathOf(led), page)
    // Also after two wrong passwords they read what they have to do, and have a way out.
    for (const what of ['asked', 'wrong', 'wrong again']) {
      expect(visibleText(shown.body), what).to.include(why).and.include('Go back').and.not.include('Continue')
      expect(shown.body, what).to.include(`href="${app.origin}/settings"`)
      const callbackUrl = /name="callbackUrl" value="([^"]*)"/.exec(shown.body)?.[1] ?? ''
      const wrong = { email: ADA, password: OTHER, callbackUrl, csrfToken: await own.csrfToken() }
      shown = await own.get(pathOf(await own.post('/auth/callback/password', wrong, page)), page)
      expect(visibleText(shown.body)).to.include('Those details do not match')
    }
    // A stranger, and whoever is asked for nothing, read nothing of it.
    const eve = app.browser()
    await eve.get('/auth/signin?error=RecentSignInRequired&code=OpenPage', page)
    for (const browser of [eve, app.browser()]) {
      const wrong = { email: ADA, password: OTHER, csrfToken: await browser.csrfToken() }
      const failed = await browser.get(pathOf(await browser.post('/auth/callback/password', wrong, page)), page)
      expect(visibleText(failed.body)).to.include('Those details do not match').and.not.include(why)
    }

    const bare = openTestApp({
      adapter: memoryAdapter(),
      providers: [Password(), inbox()],
      session: { strategy: 'jwt' },
    })
    const reader = bare.browser()
    await reader.post('/auth/signin/email', { csrfToken: await reader.csrfToken(), email: ADA })
    await reader.get(linkOfInbox())
    expect(await whoIs(reader)).to.equal(ADA)
    const { location } = await reader.get('/auth/password/change?callbackUrl=/settings', page)
    expect(location).to.equal('http://app.example/auth/password?callbackUrl=http%3A%2F%2Fapp.example%2Fsettings')
  })

  it('PWD-11: the owner is told by mail of every password that takes the place of another, and nobody of the first', async () => {
    const app = open()
    const own = app.browser()
    await app.choose(await app.linkFor(ADA), GOOD, own)
    expect(app.notices).to.deep.equal([])
    await app.send(own, 'password/change', { password: 'wrong', newPassword: OTHER })
    expect(app.notices).to.deep.equal([])
    await app.send(own, 'password/change', { password: GOOD, newPassword: OTHER })
    await app.choose(await app.linkFor(ADA), GOOD)
    expect(app.notices.map(({ to, kind }) => [to, kind])).to.deep.equal([
      [ADA, 'password-changed'],
      [ADA, 'password-changed'],
    ])
    expect(app.notices[0]?.text.replace(/\s+/g, ' '))
      .to.include('A new password was chosen for your account')
      .and.include('All other sessions have ended.')
      .and.not.include(OTHER)
  })

  it('says nothing of sessions that cannot be ended', async () => {
    const app = open(memoryAdapter(), { session: { strategy: 'jwt' } })
    const own = app.browser()
    await app.choose(await app.linkFor(ADA), GOOD, own)
    await app.send(own, 'password/change', { password: GOOD, newPassword: OTHER })
    expect(app.notices[0]?.text.replace(/\s+/g, ' '))
      .to.include('A new password was chosen')
      .and.not.include('sessions have ended')
  })

  it('a new password ends the sessions of before', async () => {
    const app = open()
    const ada = app.browser()
    await app.choose(await app.linkFor(ADA), GOOD, ada)
    expect(await whoIs(ada)).to.equal(ADA)
    const phone = app.browser()
    await app.choose(await app.linkFor(ADA), OTHER, phone)
    expect(await whoIs(ada)).to.equal(null)
    expect(await whoIs(phone)).to.equal(ADA)
  })

  it('an address that nobody has confirmed lets nobody in', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    await app.choose(await app.linkFor(ADA), GOOD)
    const ada = await adapter.getUserByEmail(ADA)
    await adapter.updateUser({ id: ada?.id ?? '', emailVerified: null })
    expect(isRefused(await app.signIn(ADA, GOOD))).to.equal(true)
  })

  it('a record in the place of that of another user opens nothing', async () => {
    const { adapter, records } = watched()
    const app = open(adapter)
    await app.choose(await app.linkFor(ADA), GOOD)
    await app.choose(await app.linkFor(EVE), OTHER)
    const [adas, eves] = [...records.values()].filter(({ kind }) => kind === 'password')
    if (!adas || !eves) throw new Error('a password is missing')
    await adapter.updateRecord?.({ ...adas, value: eves.value, version: adas.version + 1 })
    expect(isRefused(await app.signIn(ADA, OTHER))).to.equal(true)
    expect(isRefused(await app.signIn(ADA, GOOD))).to.equal(true)
    expect(isRefused(await app.signIn(EVE, OTHER))).to.equal(false)
  })

  it('a link in the place of that of another user chooses nothing', async () => {
    const { adapter, records } = watched()
    const app = open(adapter)
    const [adas, eves] = [await app.linkFor(ADA), await app.linkFor(EVE)]
    const [ofAda, ofEve] = [...records.values()]
    if (!ofAda || !ofEve) throw new Error('a link is missing')
    await adapter.updateRecord?.({ ...ofEve, value: ofAda.value, version: 2 })
    expect((await app.choose(eves, OTHER)).status).to.equal(400)
    expect((await app.choose(adas, GOOD)).status).to.equal(302)
  })

  it('PWD-07: the store has neither a password nor a hash nor a token', async () => {
    const { adapter, records } = watched()
    const app = open(adapter)
    const token = await app.linkFor(ADA)
    await app.choose(token, GOOD)
    const all = JSON.stringify([...records.values()])
    expect(records.size).to.equal(2)
    for (const secret of [GOOD, token, '$scrypt$']) expect(all).to.not.include(secret)
  })

  it('a password is that of the new secret after a sign-in while both count', async () => {
    const adapter = memoryAdapter()
    const before = open(adapter)
    await before.choose(await before.linkFor(ADA), GOOD)
    const next = 'another secret of more than thirty-two characters'
    const both = open(adapter, { secret: [next, SECRET] })
    expect(isRefused(await both.signIn(ADA, GOOD))).to.equal(false)
    expect(isRefused(await open(adapter, { secret: next }).signIn(ADA, GOOD))).to.equal(false)
  })

  it('PWD-02: thousands of accents are a wrong password and no new one, and hold nobody up', async () => {
    const app = open()
    const importer = betterAuthHashes()
    const own = app.browser()
    const longest = await longestNormalized(async () => {
      expect((await app.signIn(ADA, MANY_ACCENTS)).location).to.include('CredentialsSignin')
      await app.choose(await app.linkFor(ADA), GOOD, own)
      const refused = await app.choose(await app.linkFor(ADA), MANY_ACCENTS)
      expect(refused.json()).to.deep.equal({ error: 'Password', reason: 'too-long' })
      const change = { password: MANY_ACCENTS, newPassword: OTHER }
      expect((await app.send(own, 'password/change', change)).json()).to.include({ reason: 'wrong' })
      expect(await importer.verify(MANY_ACCENTS, importer.sample)).to.equal(false)
    })
    expect(longest).to.be.below(2049)
  })

  it('PWD-02: 18 kB of the worst text, NUL and marks without letters are wrong passwords, and no faults', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    await app.choose(await app.linkFor(ADA), GOOD)
    for (const worst of ['\u0301'.repeat(9000), '\0', GOOD.toUpperCase(), `${GOOD} `]) {
      const answer = await app.signIn(ADA, worst)
      // No field may have a NUL.
      expect(isRefused(answer) || (worst === '\0' && answer.status === 400), worst.slice(0, 10)).to.equal(true)
    }
    expect(isRefused(await app.signIn(' ADA@Example.COM ', GOOD))).to.equal(false)
  })

  it('halves of surrogate pairs, which all have the same bytes, are no passwords', async () => {
    const app = open()
    const token = await app.linkFor(ADA)
    const browser = app.browser()
    const newPassword = '\ud800'.repeat(20)
    const fields = { csrfToken: await browser.csrfToken(), token, newPassword }
    expect((await browser.postJson('/auth/password/choose', fields)).status).to.equal(400)
    await app.choose(token, GOOD)
    const { setPassword } = operatorOf(() => app.engine.config)
    const failure = await failureOf(setPassword({ userId: '1', password: newPassword }))
    expect(failure.name).to.equal('InvalidConfiguration')
  })
})
