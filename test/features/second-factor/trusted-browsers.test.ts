import { randomBytes, scryptSync } from 'node:crypto'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { setPassword } from '../../../lib/features/password/operations.js'
import { disableUser, enableUser } from '../../../lib/features/people/operations.js'
import type { AuthConfig } from '../../../lib/index.js'
import Password from '../../../lib/providers/password.js'
import { revokeAllSessions } from '../../../lib/sign-in/session-operations.js'
import { failureOf } from '../../support/failure.js'
import { visibleText } from '../../support/html.js'
import { type TestBrowser, whoIs } from '../../support/test-app.js'
import { ADA, EVE, openAddressApp, PAGE } from '../address/address-app.js'
import { ASKED, codeOf, INSIDE, openSecondFactorApp, PASSWORD } from './second-factor-app.js'

const NEXT = `${PASSWORD} again`
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:141.0) Gecko/20100101 Firefox/141.0'
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15'

/** Somebody with a second factor, and browsers that they trust. */
async function openApp(config: Partial<AuthConfig> = {}, adapter = memoryAdapter()) {
  const app = openSecondFactorApp({ accountPage: { parts: ['secondFactor'] }, ...config }, { adapter })
  const { secret, userId } = await app.withFactor()
  /** A browser in which they are signed in, and which they trust. */
  const trusting = async (userAgent = FIREFOX, email = ADA, own = secret): Promise<TestBrowser> => {
    const browser = app.browser()
    await app.enterPassword(browser, email)
    const fields = { code: app.nextCode(own), trust: 'on' }
    await app.send(browser, 'second-factor', fields, { ...PAGE, 'user-agent': userAgent })
    expect(await whoIs(browser)).to.equal(email)
    return browser
  }
  const idsIn = async (browser: TestBrowser) =>
    [...(await browser.get('/auth/account', PAGE)).body.matchAll(/name="id" value="([^"]+)"/g)].map(([, id = '']) => id)
  /** Whether a browser is asked for a second factor, once its person has signed out. */
  const isAsked = async (browser: TestBrowser, email = ADA) => {
    await browser.signOut()
    return (await app.enterPassword(browser, email)).location === ASKED
  }
  const forget = (browser: TestBrowser, id: string, headers = {}) =>
    app.send(browser, 'second-factor/forget', { id }, headers)
  return { ...app, userId, secret, trusting, idsIn, isAsked, forget }
}

describe('the browsers that somebody trusts', () => {
  it('MFA-08 are those of people who ticked the box, or whose script says yes', async () => {
    const app = await openApp()
    for (const [trust, isTrusted] of [
      [true, true],
      ['true', true],
      [false, false],
      ['false', false],
      ['0', false],
      [null, false],
    ]) {
      const browser = app.browser()
      await app.enterPassword(browser)
      const csrfToken = await browser.csrfToken()
      await browser.postJson('/auth/second-factor', { csrfToken, code: app.nextCode(app.secret), trust })
      expect(await whoIs(browser)).to.equal(ADA)
      expect(await app.isAsked(browser), String(trust)).to.equal(!isTrusted)
    }
  })

  it('MFA-08 are shown with browser and system, this one first, and since when and until when', async () => {
    const app = await openApp()
    await app.trusting(SAFARI)
    const browser = await app.trusting()
    const { body } = await browser.get('/auth/account', PAGE)
    const text = visibleText(body).replace(/\s+/g, ' ')
    expect(text).to.match(
      /Firefox 141, Windows This browser No code needed since May \d+, 2031.{0,20} · Until Jun \d+, 2031/,
    )
    expect(text).to.match(/Safari 18, macOS No code needed since/)
    expect(text.indexOf('Firefox')).to.be.below(text.indexOf('Safari'))
    // An id leads to no cookie, and a cookie to no id of somebody else.
    for (const id of await app.idsIn(browser)) expect(browser.cookieHeader()).to.not.include(id)
  })

  it('MFA-08 are listed as JSON, for a page of the application', async () => {
    const app = await openApp()
    const [safari, firefox] = [await app.trusting(SAFARI), await app.trusting()]
    const listIn = (browser: TestBrowser) => browser.get('/auth/second-factor/browsers')
    const browsers: readonly Record<string, unknown>[] = (await listIn(firefox)).json().browsers
    expect(browsers.map(({ id }) => id)).to.deep.equal(await app.idsIn(firefox))
    expect(browsers.map(({ browser, system, isCurrent }) => [browser, system, isCurrent])).to.deep.equal([
      ['Firefox 141', 'Windows', true],
      ['Safari 18', 'macOS', false],
    ])
    for (const browser of browsers) {
      expect(browser).to.have.all.keys('id', 'isCurrent', 'browser', 'system', 'since', 'until')
      expect(Date.parse(String(browser['until'])) - Date.parse(String(browser['since']))).to.equal(30 * 24 * 3_600_000)
    }
    expect((await app.forget(firefox, String(browsers[1]?.['id']))).status).to.equal(200)
    expect(await app.isAsked(safari)).to.equal(true)
    expect((await listIn(firefox)).json().browsers).to.have.length(1)
    expect((await listIn(app.browser())).status, 'signed out').to.equal(401)
    const eves = await app.signedIn(EVE)
    expect((await listIn(eves)).json(), 'without a second factor').to.deep.equal({ browsers: [] })
  })

  it('MFA-08 are ended one by one, and all together', async () => {
    const app = await openApp()
    const [one, two, three] = [await app.trusting(), await app.trusting(), await app.trusting()]
    const [own = '', second = '', first = ''] = await app.idsIn(three)
    const done = await app.forget(three, first, PAGE)
    expect(done.status).to.equal(302)
    expect(await app.isAsked(one)).to.equal(true)
    expect(await app.isAsked(two)).to.equal(false)
    expect((await app.idsIn(three)).sort()).to.deep.equal([own, second].sort())
    expect((await app.forget(three, own)).json()).to.deep.equal({ forgotten: true })
    expect(await whoIs(three), 'they stay signed in').to.equal(ADA)
    expect(await app.isAsked(three)).to.equal(true)
    const four = await app.trusting()
    expect(visibleText((await four.get('/auth/account', PAGE)).body)).to.include(
      'Ask for a code in every browser again',
    )
    expect((await app.send(four, 'second-factor/forget', {})).json()).to.deep.equal({ forgotten: true })
    expect([await app.isAsked(two), await app.isAsked(four)]).to.deep.equal([true, true])
  })

  it('have no cookie of it any more where that is ended, and keep it for another person who trusts the same browser', async () => {
    const app = await openApp()
    const hasCookie = (browser: TestBrowser) => [...browser.jar.keys()].some((name) => name.includes('trusted-browser'))
    for (const headers of [{}, PAGE]) {
      const [one, two] = [await app.trusting(), await app.trusting()]
      const [id = '', other = ''] = await app.idsIn(one)
      await app.forget(one, other, headers)
      expect(hasCookie(one), 'which ends another one').to.equal(true)
      await app.forget(one, id, headers)
      await app.send(two, 'second-factor/forget', {}, headers)
      expect([hasCookie(one), hasCookie(two)]).to.deep.equal([false, false])
    }
    const shared = await app.trusting()
    await shared.signOut()
    const eve = await app.withFactor(EVE)
    await app.enterPassword(shared, EVE)
    await app.enterCode(shared, app.nextCode(eve.secret))
    expect((await app.send(shared, 'second-factor/forget', {})).json()).to.deep.equal({ forgotten: true })
    expect(await app.isAsked(shared)).to.equal(false)
  })

  it('are in the recent activity of their person, and whoever ends none of them changes nothing there', async () => {
    const app = await openApp({ securityEvents: true, accountPage: { parts: ['secondFactor', 'securityEvents'] } })
    await app.trusting()
    const browser = await app.trusting(SAFARI)
    await app.forget(browser, 'of-nobody')
    const told = async () => {
      const { body } = await browser.get('/auth/account', PAGE)
      return visibleText(body.split('id="part-securityEvents"')[1] ?? '').match(
        /A browser (?:was|is no longer) trusted/g,
      )
    }
    const trusted = 'A browser was trusted'
    expect(await told()).to.deep.equal([trusted, trusted])
    await app.send(browser, 'second-factor/forget', {}, PAGE)
    expect(await told()).to.deep.equal(['A browser is no longer trusted', trusted, trusted])
    expect(visibleText((await browser.get('/auth/account', PAGE)).body)).to.include('2 times')
  })

  it('are ended without a recent sign-in, since that only protects', async () => {
    const app = await openApp()
    const one = await app.trusting()
    const two = await app.trusting()
    const [, id = ''] = await app.idsIn(two)
    app.clock.advance(24 * 3600)
    expect((await app.forget(two, id)).json()).to.deep.equal({ forgotten: true })
    expect(await app.isAsked(one)).to.equal(true)
  })

  it('have no name where sessions keep none, and those of before have none either', async () => {
    const app = await openApp({ session: { strategy: 'database', devices: false } })
    const browser = await app.trusting()
    expect(visibleText((await browser.get('/auth/account', PAGE)).body)).to.include('Unknown browser')
    const records = JSON.stringify(await app.adapter.listRecordsByOwner?.('trusted-browser', app.userId))
    expect(records).to.not.include('Firefox')
  })
})

describe('the trust in a browser', () => {
  it('MFA-08 is not ended by somebody else, a wrong id, a link, or a form of another site', async () => {
    const app = await openApp()
    const ada = await app.trusting()
    const eve = await app.withFactor(EVE)
    const eves = await app.trusting(FIREFOX, EVE, eve.secret)
    const [id = ''] = await app.idsIn(ada)
    for (const wrong of [id, 'x', '', ...(await app.idsIn(ada)).map((each) => each.toLowerCase())]) {
      const answer = await app.forget(eves, wrong)
      expect([answer.status, answer.json()]).to.deep.equal([404, { forgotten: false }])
    }
    expect((await app.forget(app.browser(), id)).status, 'signed out').to.equal(401)
    expect((await ada.get(`/auth/second-factor/forget?id=${id}`)).status).to.be.at.least(400)
    await ada.post('/auth/second-factor/forget', { id }, PAGE)
    await ada.postJson('/auth/second-factor/forget', { id })
    const csrfToken = await ada.csrfToken()
    const list = await ada.postJson('/auth/second-factor/forget', { csrfToken, id: [id] })
    expect(list.status, 'no text').to.equal(404)
    expect([await app.isAsked(ada), await app.isAsked(eves, EVE)]).to.deep.equal([false, false])
  })

  it('ends once, also if two ask for it at once', async () => {
    const app = await openApp()
    await app.trusting()
    const browser = await app.trusting()
    const [, id = ''] = await app.idsIn(browser)
    const answers = await Promise.all([app.forget(browser, id), app.forget(browser, id)])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404])
    expect(await app.idsIn(browser)).to.have.lengthOf(1)
  })

  it('MFA-08 is over for every copy of the cookie, however old', async () => {
    const app = await openApp()
    const browser = await app.trusting()
    const [early, ended] = [browser.copy(), browser.copy()]
    expect(await app.isAsked(browser)).to.equal(false)
    const late = browser.copy()
    const [id = ''] = await app.idsIn(browser)
    await app.forget(browser, id)
    for (const copy of [early, late, browser]) expect(await app.isAsked(copy)).to.equal(true)
    const [name, { value = '' } = {}] = [...ended.jar].find(([each]) => each.includes('trusted-browser')) ?? []
    // The part that stays, with no token or another one.
    for (const forged of [value.split('.')[0], `${value.split('.')[0]}.`, `${value}.x`]) {
      ended.plant(name ?? '', forged ?? '')
      expect(await app.isAsked(ended), forged).to.equal(true)
    }
  })

  it('counts with the token of the last sign-in alone, and ends if a copy shows another one', async () => {
    for (const forge of [
      (value: string) => value,
      (value: string) => value.split('.')[0],
      (value: string) => `${value.split('.')[0]}.x`,
    ]) {
      const app = await openApp()
      const browser = await app.trusting()
      const copy = browser.copy()
      expect(await app.isAsked(browser)).to.equal(false)
      const [name = '', { value = '' } = {}] = [...copy.jar].find(([each]) => each.includes('trusted-browser')) ?? []
      copy.plant(name, forge(value) ?? '')
      app.clock.advance(11)
      expect(await app.isAsked(copy)).to.equal(true)
      await app.enterCode(copy, app.nextCode(app.secret))
      expect(await whoIs(copy)).to.equal(ADA)
      expect(await app.isAsked(copy), 'a sign-in with a code trusts nothing').to.equal(true)
      expect(await app.isAsked(browser)).to.equal(true)
    }
  })

  it('MFA-08 is lost to a thief of the cookie and the password as soon as its owner signs in', async () => {
    const app = await openApp({ securityEvents: true, accountPage: { parts: ['securityEvents'] } })
    const browser = await app.trusting()
    const thief = browser.copy()
    expect(await app.isAsked(thief)).to.equal(false)
    app.clock.advance(11)
    expect(await app.isAsked(browser)).to.equal(true)
    expect(await app.isAsked(thief)).to.equal(true)
    await app.enterPassword(browser)
    await app.enterCode(browser, app.nextCode(app.secret))
    const told = visibleText((await browser.get('/auth/account', PAGE)).body).match(/A browser is no longer trusted/g)
    expect(told, 'the owner learns of it').to.have.lengthOf(1)
  })

  it('is asked for with the tick that was there before a wrong code', async () => {
    const app = await openApp()
    const browser = app.browser()
    await app.enterPassword(browser)
    const again = await app.enterCode(browser, '000000', { trust: 'on' })
    expect(again.body).to.match(/<input[^>]*name="trust"[^>]*checked/)
    expect((await app.enterCode(browser, '000000')).body).not.to.match(/<input[^>]*name="trust"[^>]*checked/)
  })

  it('goes on after two sign-ins at once, in two tabs or by a second click', async () => {
    const app = await openApp()
    const browser = await app.trusting()
    const tab = browser.copy()
    expect([await app.isAsked(browser), await app.isAsked(tab)]).to.deep.equal([false, false])
    app.clock.advance(60)
    expect(await app.isAsked(browser)).to.equal(false)
  })

  it('is not touched by cookies that somebody has made up', async () => {
    const app = await openApp()
    const browser = await app.trusting()
    const [name = '', { value = '' } = {}] = [...browser.jar].find(([each]) => each.includes('trusted-browser')) ?? []
    const stranger = app.browser()
    for (const each of [`.${value}`, '.', '', value.toUpperCase(), value.slice(1)]) {
      stranger.plant(name, each)
      expect(await app.isAsked(stranger), each).to.equal(true)
    }
    const eve = await app.withFactor(EVE)
    const eves = await app.trusting(FIREFOX, EVE, eve.secret)
    eves.plant(name, `${value}x`)
    await app.isAsked(eves, EVE)
    expect(await app.isAsked(browser)).to.equal(false)
  })

  it('MFA-08 ends if the browser signs in at that moment', async () => {
    for (const path of ['one', 'all']) {
      const app = await openApp()
      const [owner, browser] = [await app.trusting(), await app.trusting()]
      const [, id = ''] = await app.idsIn(owner)
      const { updateRecord } = app.adapter
      let isEnded = false
      app.adapter.updateRecord = async (record) => {
        if (record.kind === 'trusted-browser' && !isEnded) {
          isEnded = true
          await app.send(owner, 'second-factor/forget', path === 'one' ? { id } : {})
        }
        return (await updateRecord?.(record)) ?? false
      }
      await browser.signOut()
      expect((await app.enterPassword(browser)).location).to.equal(INSIDE)
      expect(isEnded).to.equal(true)
      expect(await app.isAsked(browser), path).to.equal(true)
      expect(await app.idsIn(owner)).to.have.lengthOf(path === 'one' ? 1 : 0)
    }
  })

  it('goes on where the application begins to offer passwords', async () => {
    const adapter = memoryAdapter()
    const before = openAddressApp(adapter, { secondFactor: true })
    const owner = await before.signedIn()
    const { url, secret: sealed } = (await owner.get('/auth/second-factor/add')).json()
    const secret = new URL(url).searchParams.get('secret') ?? ''
    const nextCode = () => {
      before.clock.advance(30)
      return codeOf(secret, before.clock.ms)
    }
    await before.send(owner, 'second-factor/add', { secret: sealed, code: nextCode() })
    const signIn = async (app: typeof before, browser: TestBrowser) => {
      await app.send(browser, 'signin/email', { email: ADA, callbackUrl: '/inside' })
      return browser.get(app.last('sign-in-link')?.path ?? '')
    }
    const browser = before.browser()
    expect((await signIn(before, browser)).location).to.equal(ASKED)
    await before.send(browser, 'second-factor', { code: nextCode(), trust: 'on' }, PAGE)
    await browser.signOut()
    const after = openAddressApp(adapter, { secondFactor: true, providers: [Password()] }, { clock: before.clock })
    const same = after.browser()
    for (const [name, cookie] of browser.jar) same.jar.set(name, cookie)
    expect((await signIn(after, same)).location).to.equal(INSIDE)
  })

  it('MFA-08 ends with another password or address, also if the store fails at that moment, or before it is made', async () => {
    const ends: Record<string, (app: Awaited<ReturnType<typeof openApp>>, browser: TestBrowser) => unknown> = {
      'set by code': ({ engine, userId }) => failureOf(setPassword(engine.config, { userId, password: PASSWORD })),
      changed: (app, browser) => app.send(browser, 'password/change', { password: PASSWORD, newPassword: NEXT }, PAGE),
      'another address': ({ adapter, userId }) => adapter.updateUser?.({ id: userId, email: 'new@users.example' }),
    }
    for (const [name, end] of Object.entries(ends)) {
      const app = await openApp()
      const [owner, browser] = [await app.trusting(), await app.trusting()]
      const late = app.browser()
      await app.enterPassword(late)
      const code = app.nextCode(app.secret)
      const { deleteRecord, createRecord } = app.adapter
      app.adapter.deleteRecord = async (kind, key) => {
        if (/trusted-browser|held/.test(kind)) throw new Error('down')
        return (await deleteRecord?.(kind, key)) ?? null
      }
      await end(app, owner)
      app.adapter.deleteRecord = deleteRecord
      const [email, password] = [
        name === 'another address' ? 'new@users.example' : ADA,
        name === 'changed' ? NEXT : PASSWORD,
      ]
      const signIn = (at: TestBrowser) =>
        app.send(at, 'callback/password', { email, password, callbackUrl: '/inside' }, PAGE)
      await browser.signOut()
      expect((await signIn(browser)).location, name).to.equal(ASKED)
      expect((await app.enterCode(late, code)).location, 'a sign-in of before').to.include('error=SessionRequired')
      // Once more, in the moment in which it begins.
      const third = app.browser()
      await signIn(third)
      app.adapter.createRecord = async (record) => {
        if (record.kind === 'trusted-browser')
          await app.adapter.updateUser?.({ id: app.userId, email: 'last@users.example' })
        return (await createRecord?.(record)) ?? false
      }
      await app.enterCode(third, app.nextCode(app.secret), { trust: 'on' })
      await third.signOut()
      const again = await app.send(
        third,
        'callback/password',
        { email: 'last@users.example', password, callbackUrl: '/inside' },
        PAGE,
      )
      expect(again.location, name).to.equal(ASKED)
    }
  })

  it('MFA-08 ends with a password that is set in the moment in which it begins', async () => {
    const app = await openApp()
    const browser = app.browser()
    await app.enterPassword(browser)
    const { createRecord } = app.adapter
    app.adapter.createRecord = async (record) => {
      if (record.kind === 'trusted-browser')
        await setPassword(app.engine.config, { userId: app.userId, password: PASSWORD })
      return (await createRecord?.(record)) ?? false
    }
    await app.enterCode(browser, app.nextCode(app.secret), { trust: 'on' })
    expect(await whoIs(browser)).to.equal(null)
    expect(await app.isAsked(browser)).to.equal(true)
  })

  it('MFA-08 ends when its person, or code of the application, ends all sessions, and not with one of them', async () => {
    for (const by of ['person', 'code']) {
      const app = await openApp({ securityEvents: true })
      const [owner, browser] = [await app.trusting(), await app.trusting()]
      const sessions: readonly { id: string; isCurrent: boolean }[] = (await owner.get('/auth/sessions')).json()
        .sessions
      for (const { id, isCurrent } of sessions) if (!isCurrent) await app.send(owner, 'sessions/revoke', { id })
      expect(await whoIs(browser)).to.equal(null)
      expect(await app.isAsked(browser)).to.equal(false)
      await browser.signOut()
      const end = async () =>
        by === 'person'
          ? (await app.send(owner, 'sessions/revoke', { others: 'true' })).status
          : revokeAllSessions(app.engine.config, app.userId).catch(() => 500)
      const { deleteRecord } = app.adapter
      app.adapter.deleteRecord = async (kind, key) => {
        if (kind === 'trusted-browser') throw new Error('down')
        return (await deleteRecord?.(kind, key)) ?? null
      }
      expect(await end()).to.be.at.least(500)
      app.adapter.deleteRecord = deleteRecord
      expect(await end(), 'once more').to.be.below(500)
      expect(await app.isAsked(browser), by).to.equal(true)
    }
  })

  it('MFA-08 is told where it ends with something else', async () => {
    const app = await openApp({ securityEvents: true, accountPage: { parts: ['securityEvents'] } })
    const [owner] = [await app.trusting(), await app.trusting()]
    await app.send(owner, 'sessions/revoke', { others: 'true' })
    const { body } = await owner.get('/auth/account', PAGE)
    expect(visibleText(body)).to.match(/A browser is no longer trusted On [^·]*· 2 times/)
  })

  it('MFA-08 counts for no second factor that takes the place of the one that was shown, in that moment', async () => {
    const app = await openApp()
    const owner = await app.trusting()
    const browser = app.browser()
    await app.enterPassword(browser)
    const code = app.nextCode(app.secret)
    const { createSession } = app.adapter
    app.adapter.createSession = async (session) => {
      app.adapter.createSession = createSession
      await app.addFactor(owner)
      if (!createSession) throw new Error('no sessions')
      return createSession(session)
    }
    await app.enterCode(browser, code, { trust: 'on' })
    expect(await app.isAsked(browser)).to.equal(true)
  })

  it('MFA-08 ends when code of the application disables the user, at the second call if the store fails at the first', async () => {
    const app = await openApp({ session: { strategy: 'database', refreshUser: 0 } })
    const browser = await app.trusting()
    const { deleteRecord } = app.adapter
    app.adapter.deleteRecord = async (kind, key) => {
      if (kind === 'trusted-browser') throw new Error('down')
      return (await deleteRecord?.(kind, key)) ?? null
    }
    expect(await failureOf(disableUser(app.engine.config, app.userId))).to.be.an('error')
    app.adapter.deleteRecord = deleteRecord
    expect(await disableUser(app.engine.config, app.userId)).to.equal(true)
    await enableUser(app.engine.config, app.userId)
    expect(await app.isAsked(browser)).to.equal(true)
  })

  it('stays with another key of the configuration, which seals the password anew', async () => {
    const [old, next] = ['the old secret of this application', 'the new secret of this application']
    const adapter = memoryAdapter()
    const { clock, trusting } = await openApp({ secret: old }, adapter)
    const cookies = [...(await trusting()).jar].filter(([name]) => name.includes('trusted-browser'))
    const app = openSecondFactorApp({ secret: [next, old] }, { adapter, clock })
    const browser = app.browser()
    for (const [name, { value = '' }] of cookies) browser.plant(name, value)
    expect((await app.enterPassword(browser)).location).to.equal(INSIDE)
    await browser.signOut()
    expect((await app.enterPassword(browser)).location).to.equal(INSIDE)
  })

  it('stays when the password is hashed anew, as after a move from another package', async () => {
    const app = await openApp()
    const salt = randomBytes(16)
    const key = scryptSync(PASSWORD, salt, 32, { N: 2 ** 11, r: 8, p: 1 })
    const inPhc = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    const hash = `$scrypt$ln=11,r=8,p=1$${inPhc(salt)}$${inPhc(key)}`
    await setPassword(app.engine.config, { userId: app.userId, hash })
    const browser = await app.signedIn()
    await app.enterCode(browser, app.nextCode(app.secret), { trust: 'on' })
    for (const turn of ['hashed anew', 'afterwards']) expect(await app.isAsked(browser), turn).to.equal(false)
  })

  it('is not trusted if the store fails, and the sign-in still waits', async () => {
    const app = await openApp()
    const browser = app.browser()
    await app.enterPassword(browser)
    const { createRecord } = app.adapter
    app.adapter.createRecord = async (record) => {
      if (record.kind === 'trusted-browser') throw new Error('down')
      return (await createRecord?.(record)) ?? false
    }
    const sessions = await app.adapter.listSessionsByUserId?.(app.userId)
    expect((await app.enterCode(browser, app.nextCode(app.secret), { trust: 'on' })).status).to.be.at.least(302)
    expect(await whoIs(browser)).to.equal(null)
    expect(await app.adapter.listSessionsByUserId?.(app.userId), 'sessions').to.have.length(sessions?.length ?? 0)
    app.adapter.createRecord = createRecord
    await app.enterCode(browser, app.nextCode(app.secret), { trust: 'on' })
    expect(await whoIs(browser)).to.equal(ADA)
    expect(await app.isAsked(browser)).to.equal(false)
  })

  it('is taken back if its sign-in fails, or has gone on in another tab', async () => {
    const app = await openApp()
    const trusted = async () => (await app.adapter.listRecordsByOwner?.('trusted-browser', app.userId))?.length
    const { createSession, deleteRecord } = app.adapter
    const faults = {
      'no session': { createSession: async () => Promise.reject(new Error('down')) },
      'taken by another request': {
        deleteRecord: async (kind: string, key: string) =>
          kind === 'held-sign-in' ? null : ((await deleteRecord?.(kind, key)) ?? null),
      },
    }
    for (const [name, fault] of Object.entries(faults)) {
      const browser = app.browser()
      await app.enterPassword(browser)
      Object.assign(app.adapter, fault)
      await app.enterCode(browser, app.nextCode(app.secret), { trust: 'on' })
      Object.assign(app.adapter, { createSession, deleteRecord })
      expect([await whoIs(browser), await trusted()], name).to.deep.equal([null, 0])
    }
  })

  it('MFA-08 stays with its owner in a shared browser until somebody else has signed in who trusts it', async () => {
    const app = await openApp()
    const [owner, shared] = [await app.trusting(), await app.trusting()]
    await shared.signOut()
    const eve = await app.withFactor(EVE)
    const { createSession } = app.adapter
    app.adapter.createSession = async () => Promise.reject(new Error('down'))
    await app.enterPassword(shared, EVE)
    await app.enterCode(shared, app.nextCode(eve.secret), { trust: 'on' })
    Object.assign(app.adapter, { createSession })
    expect(await app.isAsked(shared)).to.equal(false)
    await shared.signOut()
    await app.enterPassword(shared, EVE)
    await app.enterCode(shared, app.nextCode(eve.secret), { trust: 'on' })
    expect([await app.isAsked(shared, EVE), await app.isAsked(shared)]).to.deep.equal([false, true])
    expect(await app.idsIn(owner), 'in place of that of the owner').to.have.lengthOf(1)
  })

  it('that cannot be taken back hides nothing of what failed before', async () => {
    const app = await openApp()
    const browser = app.browser()
    await app.enterPassword(browser)
    const { deleteRecord } = app.adapter
    Object.assign(app.adapter, {
      createSession: async () => Promise.reject(new Error('no session')),
      deleteRecord: async (kind: string, key: string) => {
        if (kind === 'trusted-browser') throw new Error('no deletion')
        return (await deleteRecord?.(kind, key)) ?? null
      },
    })
    await app.enterCode(browser, app.nextCode(app.secret), { trust: 'on' })
    expect(app.log.errors.map(({ message }) => message)).to.deep.equal([
      "The adapter's deleteRecord() failed.",
      'Could not start a stored session.',
    ])
  })

  it('is not that of another user whom the store gives for theirs', async () => {
    const app = await openApp()
    const ada = await app.trusting()
    const eve = await app.withFactor(EVE)
    const eves = await app.trusting(FIREFOX, EVE, eve.secret)
    const [id = ''] = await app.idsIn(eves)
    const { listRecordsByOwner } = app.adapter
    app.adapter.listRecordsByOwner = async (kind, owner) => [
      ...((await listRecordsByOwner?.(kind, owner)) ?? []),
      ...((await listRecordsByOwner?.(kind, eve.userId)) ?? []).map((record) => ({ ...record, owner })),
    ]
    expect(await app.idsIn(ada))
      .to.have.lengthOf(1)
      .and.not.include(id)
    expect((await app.forget(ada, id)).status).to.equal(404)
    app.adapter.listRecordsByOwner = async (kind, owner) => {
      const [own] = (await listRecordsByOwner?.(kind, owner)) ?? []
      const [other] = (await listRecordsByOwner?.(kind, eve.userId)) ?? []
      return own && other ? [{ ...own, key: other.key }] : []
    }
    expect(await app.idsIn(ada)).to.deep.equal([])
    expect((await app.forget(ada, id)).status).to.equal(404)
    expect(await app.isAsked(eves, EVE)).to.equal(false)
  })
})
