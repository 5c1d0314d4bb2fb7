import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { AuthConfig } from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import type { EmailUserConfig, SendVerificationRequestParams } from '../../../lib/providers/provider.js'
import { methodsOf } from '../../support/breaking-store.js'
import { slowAdapter } from '../../support/mailbox.js'
import { type OpenStore, STORES } from '../../support/stores.js'
import { openTestApp, type TestBrowser, type TestResponse, whoIs } from '../../support/test-app.js'

const ADA = 'ada@example.com'
const EVE = 'eve@example.com'
/** A code that nobody gets: its chance is one in 25,600,000,000. */
const WRONG = 'BCDF-GHJK'

/** An adapter that notes its calls, with what it was given. */
function watched(adapter: Adapter = memoryAdapter()) {
  const calls: { name: string; args: readonly unknown[] }[] = []
  const entries = methodsOf(adapter).map(([name, method]) => [
    name,
    (...args: unknown[]) => {
      calls.push({ name, args })
      return method.apply(adapter, args)
    },
  ])
  return { adapter: Object.fromEntries(entries) as Adapter, calls }
}

/** An app that mails codes, whose mails stay here. */
function open(adapter: Adapter = memoryAdapter(), options: EmailUserConfig = {}, more: Partial<AuthConfig> = {}) {
  const mails: SendVerificationRequestParams[] = []
  const mail = Email({ code: true, sendVerificationRequest: (params) => void mails.push(params), ...options })
  const app = openTestApp({ adapter, providers: [mail], session: { strategy: 'database' }, limits: false, ...more })
  const post = async (browser: TestBrowser, path: string, fields: Record<string, string>) =>
    browser.post(`/auth/${path}`, { csrfToken: await browser.csrfToken(), ...fields })
  return {
    ...app,
    mails,
    newest: () => ({ code: mails.at(-1)?.code ?? '', link: (mails.at(-1)?.url ?? '').replace(app.origin, '') }),
    ask: (browser: TestBrowser, email = ADA) => post(browser, 'signin/email', { email }),
    enter: (browser: TestBrowser, emailCode: string) => post(browser, 'callback/email', { emailCode }),
  }
}

const answerOf = ({ location }: TestResponse) => new URL(location ?? '').searchParams.get('code')
const signsIn = ({ setCookies }: TestResponse) =>
  setCookies.some(({ name, value }) => name.includes('session-token') && value !== '')

describe('who would misuse mailed codes', () => {
  it('ACCT-10: guesses that come at once are counted one by one, and the right code is of no use after five', async () => {
    const app = open(slowAdapter().adapter)
    const ada = app.browser()
    await app.ask(ada)
    const { code } = app.newest()
    const answers = await Promise.all(Array.from({ length: 40 }, () => app.enter(ada.copy(), WRONG)))
    expect(answers.filter((answer) => answerOf(answer) === 'WrongCode')).to.have.length(4)
    expect(answers.filter((answer) => answerOf(answer) === 'NoCode')).to.have.length(36)
    expect(answerOf(await app.enter(ada, code))).to.equal('NoCode')
    expect(await whoIs(ada)).to.equal(null)
  })

  it('ACCT-10: the right code counts at the fifth try, and not at the sixth; the link of the mail is left', async () => {
    const app = open()
    const [lucky, late] = [app.browser(), app.browser()]
    await app.ask(lucky)
    for (let tries = 0; tries < 4; tries += 1) await app.enter(lucky, WRONG)
    expect(signsIn(await app.enter(lucky, app.newest().code))).to.equal(true)
    await app.ask(late)
    for (let tries = 0; tries < 5; tries += 1) await app.enter(late, WRONG)
    expect(answerOf(await app.enter(late, app.newest().code))).to.equal('NoCode')
    expect(signsIn(await late.get(app.newest().link))).to.equal(true)
  })

  it('ACCT-10: a code does nothing in another browser, whether it has asked for one or not', async () => {
    const { adapter, calls } = watched()
    const app = open(adapter)
    const [ada, eve, nobody] = [app.browser(), app.browser(), app.browser()]
    await app.ask(eve, EVE)
    await app.ask(ada)
    const { code } = app.newest()
    calls.length = 0
    expect(answerOf(await app.enter(nobody, code))).to.equal('NoCode')
    expect(calls).to.deep.equal([])
    expect(answerOf(await app.enter(eve, code))).to.equal('WrongCode')
    expect(signsIn(await app.enter(ada, code))).to.equal(true)
    expect(await whoIs(eve)).to.equal(null)
  })

  it('ACCT-10: who has copied the cookie has the tries that are left, and one of two who have the code gets in', async () => {
    const app = open(slowAdapter().adapter)
    const ada = app.browser()
    await app.ask(ada)
    const thief = ada.copy()
    for (let tries = 0; tries < 3; tries += 1) await app.enter(thief, WRONG)
    expect(answerOf(await app.enter(ada, WRONG))).to.equal('WrongCode')
    const answers = await Promise.all([app.enter(ada, app.newest().code), app.enter(thief, app.newest().code)])
    expect(answers.filter(signsIn)).to.have.length(1)
  })

  it('ACCT-11: of five requests with the right code one gets a session, and a replay gets none', async () => {
    const app = open(slowAdapter().adapter)
    const ada = app.browser()
    await app.ask(ada)
    const { code, link } = app.newest()
    const before = ada.copy()
    const [one, ...others] = await Promise.all([
      app.enter(ada, code),
      ...[1, 2, 3, 4].map(() => app.enter(before.copy(), code)),
    ])
    expect([one, ...others].filter((answer) => answer && signsIn(answer))).to.have.length(1)
    expect(answerOf(await app.enter(before, code))).to.equal('NoCode')
    expect((await before.get(link)).location).to.include('error=Verification')
  })

  it('ACCT-11: the use of the link ends the code, and both at once give one session', async () => {
    const app = open(slowAdapter().adapter)
    const ada = app.browser()
    await app.ask(ada)
    const before = ada.copy()
    expect(signsIn(await ada.get(app.newest().link))).to.equal(true)
    expect(answerOf(await app.enter(before, app.newest().code))).to.equal('NoCode')
    for (let turn = 0; turn < 10; turn += 1) {
      const [one, other] = [app.browser(), app.browser()]
      await app.ask(one)
      for (const [name, cookie] of one.jar) other.jar.set(name, cookie)
      const answers = await Promise.all([app.enter(one, app.newest().code), other.get(app.newest().link)])
      expect(answers.filter(signsIn)).to.have.length(1)
    }
  })

  it('ACCT-10: a code works for ten minutes to the second, however long the link does', async () => {
    const app = open()
    const ada = app.browser()
    await app.ask(ada)
    app.clock.advance(600)
    expect(answerOf(await app.enter(ada, app.newest().code))).to.equal('NoCode')
    await app.ask(ada)
    app.clock.advance(599)
    expect(signsIn(await app.enter(ada, app.newest().code))).to.equal(true)
  })

  it('ACCT-10: a code does not outlive the link of its mail', async () => {
    const app = open(memoryAdapter(), { maxAge: 60 })
    const ada = app.browser()
    await app.ask(ada)
    app.clock.advance(60)
    expect(answerOf(await app.enter(ada, app.newest().code))).to.equal('NoCode')
  })

  it('ACCT-10: a form names no address: the code signs in as the address that the browser asked with', async () => {
    const app = open()
    const eve = app.browser()
    await app.ask(eve, EVE)
    await eve.post('/auth/callback/email', {
      csrfToken: await eve.csrfToken(),
      emailCode: app.newest().code,
      email: ADA,
      identifier: ADA,
    })
    expect(await whoIs(eve)).to.not.equal(ADA)
  })

  it('ACCT-11: asking again ends the codes before, also for who keeps the cookies of then', async () => {
    const app = open()
    const ada = app.browser()
    const olds: { browser: TestBrowser; code: string }[] = []
    for (let turn = 0; turn < 8; turn += 1) {
      await app.ask(ada, turn % 2 ? EVE : ADA)
      olds.push({ browser: ada.copy(), code: app.newest().code })
      app.clock.advance(1)
    }
    const newest = olds.pop()
    for (const { browser, code } of olds) expect(answerOf(await app.enter(browser, code))).to.equal('NoCode')
    expect(newest && signsIn(await app.enter(newest.browser, newest.code))).to.equal(true)
  })

  it('a scanner that opens every link, and a browser that fetches ahead, use up neither link nor code', async () => {
    const app = open()
    const ada = app.browser()
    await app.ask(ada)
    const { code, link } = app.newest()
    for (const browser of [app.browser(), ada]) await browser.head(link)
    await app.browser().get(link)
    await ada.get(link, { 'sec-purpose': 'prefetch;prerender' })
    await ada.get('/auth/verify-request')
    expect(signsIn(await app.enter(ada, code))).to.equal(true)
  })

  it('ACCT-12: a code in a URL does nothing, with GET and with POST', async () => {
    const { adapter, calls } = watched()
    const app = open(adapter)
    const ada = app.browser()
    await app.ask(ada)
    const { code } = app.newest()
    const query = `?emailCode=${code}&code=${code}&token=${code}&email=${encodeURIComponent(ADA)}`
    for (const answer of [
      await ada.get(`/auth/callback/email?emailCode=${code}`),
      await ada.get(`/auth/callback/email${query}`),
      await ada.post(`/auth/callback/email?emailCode=${code}`, { csrfToken: await ada.csrfToken() }),
    ]) {
      expect(answer.location).to.include('error=Verification')
      expect(signsIn(answer)).to.equal(false)
    }
    expect(calls.some(({ name }) => name === 'updateRecord')).to.equal(false)
    expect(signsIn(await app.enter(ada, code))).to.equal(true)
  })

  it('a form of another site, or without a token, counts no try', async () => {
    const app = open()
    const ada = app.browser()
    await app.ask(ada)
    const { code } = app.newest()
    for (const csrfToken of ['', 'x']) {
      for (let turn = 0; turn < 5; turn += 1) {
        expect((await ada.post('/auth/callback/email', { emailCode: code, csrfToken })).location).to.include(
          'MissingCSRF',
        )
      }
    }
    const csrfToken = await ada.csrfToken()
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await ada.post('/auth/callback/email', { csrfToken, emailCode: code }, foreign)).location).to.include(
      'MissingCSRF',
    )
    expect(signsIn(await app.enter(ada, code))).to.equal(true)
  })

  it('what can be no code is a wrong one, asks the store nothing and uses up no try', async () => {
    const { adapter, calls } = watched()
    const app = open(adapter)
    const ada = app.browser()
    await app.ask(ada)
    calls.length = 0
    const { code } = app.newest()
    for (const text of [
      '',
      ' ',
      'BCDF',
      `${code}B`,
      'AEIO-UYAE',
      '1234-5678',
      '\u0301'.repeat(9000),
      'B'.repeat(60_000),
      `${' '.repeat(5000)}${code}`,
    ]) {
      expect(answerOf(await app.enter(ada, text)), text.slice(0, 20)).to.equal('WrongCode')
    }
    for (const body of [{ emailCode: [code] }, { emailCode: { code } }, { emailCode: 7 }, { emailCode: null }]) {
      const answer = await ada.postJson('/auth/callback/email', { csrfToken: await ada.csrfToken(), ...body })
      expect(answerOf(answer)).to.equal('WrongCode')
    }
    expect(calls).to.deep.equal([])
    expect(app.log.errors.at(-1)?.message).to.include('does not look like one that was mailed')
    const huge = await app.enter(ada, 'B'.repeat(70_000))
    expect(huge.status).to.equal(413)
    expect(signsIn(await app.enter(ada, code))).to.equal(true)
  })

  for (const method of ['getRecord', 'updateRecord', 'useVerificationToken'] as const) {
    it(`WEB-06: a store that fails at ${method} signs nobody in, and the code still works`, async () => {
      let isDown = false
      const adapter = memoryAdapter()
      const failing = {
        ...adapter,
        [method]: (...args: never[]) => {
          if (isDown) throw new Error('Connection terminated unexpectedly')
          return (adapter[method] as (...args: never[]) => unknown)(...args)
        },
      } as Adapter
      const app = open(failing)
      const ada = app.browser()
      await app.ask(ada)
      isDown = true
      const answer = await app.enter(ada, app.newest().code)
      expect(answer.location).to.include('error=Configuration')
      expect(signsIn(answer)).to.equal(false)
      isDown = false
      expect(signsIn(await app.enter(ada, app.newest().code))).to.equal(true)
    })
  }

  it('a store that never changes the count accepts no code, and is not asked for ever', async () => {
    const { adapter, calls } = watched({ ...memoryAdapter(), updateRecord: () => false })
    const app = open(adapter)
    const ada = app.browser()
    await app.ask(ada)
    expect(answerOf(await app.enter(ada, app.newest().code))).to.equal('NoCode')
    expect(calls.filter(({ name }) => name === 'updateRecord').length).to.be.below(10)
  })

  it('ACCT-07: a mail that cannot be sent leaves neither link nor code', async () => {
    const { adapter, calls } = watched()
    const app = open(adapter, {
      sendVerificationRequest() {
        throw new Error('no')
      },
    })
    await app.ask(app.browser())
    expect(calls.map(({ name }) => name)).to.deep.equal([
      'getUserByEmail',
      'createVerificationToken',
      'createRecord',
      'useVerificationToken',
      'deleteRecord',
    ])
  })

  it('ACCT-12: an address that somebody has, and one that nobody has, get the same answers, cookies and calls', async () => {
    const { adapter, calls } = watched()
    await adapter.createUser?.({ id: '1815', email: ADA, emailVerified: new Date() })
    const app = open(adapter)
    const seen = []
    for (const email of [ADA, 'eva@example.com']) {
      calls.length = 0
      const browser = app.browser()
      const answers = [await app.ask(browser, email)]
      answers.push(await browser.get('/auth/verify-request'))
      for (let tries = 0; tries < 6; tries += 1) answers.push(await app.enter(browser, WRONG))
      seen.push({
        answers: answers.map(({ status, location, setCookies }) => ({
          status,
          location,
          cookies: setCookies.map(({ name, value = '' }) => [name.replace(/request\..*/, ''), value.length]),
        })),
        calls: calls.map(({ name }) => name),
      })
    }
    expect(seen[0]).to.deep.equal(seen[1])
    expect(seen[0]?.calls).to.include('updateRecord')
  })

  it('ACCT-12: the code is in no store, log, cookie, URL, event and page', async () => {
    const { adapter, calls } = watched()
    const events: unknown[] = []
    const note = (message: unknown) => void events.push(message)
    const app = open(adapter, {}, { debug: true, events: { signIn: note, createUser: note } })
    const ada = app.browser()
    const answers = [await app.ask(ada)]
    const { code } = app.newest()
    answers.push(await ada.get('/auth/verify-request'), await app.enter(ada, WRONG))
    answers.push(await ada.get(answers.at(-1)?.location?.replace(app.origin, '') ?? ''), await app.enter(ada, code))
    expect(await whoIs(ada)).to.equal(ADA)
    const { errors, lines, contexts } = app.log
    const traces = JSON.stringify([
      calls,
      events,
      answers,
      lines,
      contexts,
      errors.map((error) => ({ ...error, all: String(error.stack) })),
    ])
    expect(traces.length).to.be.greaterThan(5000)
    for (const form of [code, code.replace('-', '')]) expect(traces.toUpperCase()).to.not.include(form)
  })

  it('ACCT-12: codes are eight of twenty letters, each as likely as every other', async () => {
    const app = open()
    const counts = new Map<string, number>()
    const browsers = 400
    for (let turn = 0; turn < browsers; turn += 1) {
      await app.ask(app.browser())
      const { code } = app.newest()
      expect(code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
      for (const letter of code.replace('-', '')) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    }
    expect(counts.size).to.equal(20)
    // 160 of each; eight standard deviations.
    for (const [letter, count] of counts) expect(Math.abs(count - (browsers * 8) / 20), letter).to.be.below(100)
    expect(new Set(app.mails.map(({ code }) => code)).size).to.equal(browsers)
  })

  it("with code: 'only', the mail has no token, and no link that is made up works", async () => {
    const app = open(memoryAdapter(), { code: 'only' })
    const ada = app.browser()
    await app.ask(ada)
    const [mail] = app.mails
    expect(mail).to.include({ token: '', url: `${app.origin}/auth/verify-request?provider=email&type=email` })
    expect(JSON.stringify([mail?.message, mail?.url])).to.not.include('callback/email')
    const query = new URLSearchParams({ token: mail?.code ?? '', email: ADA })
    expect((await ada.get(`/auth/callback/email?${query}`)).location).to.include('error=Verification')
    expect(signsIn(await app.enter(ada, mail?.code ?? ''))).to.equal(true)
  })

  it('a provider without codes takes none', async () => {
    const app = open(memoryAdapter(), { code: false })
    const ada = app.browser()
    await app.ask(ada)
    expect(app.mails[0]).to.not.have.property('code')
    expect((await app.enter(ada, WRONG)).location).to.include('error=Verification')
  })

  it('ACCT-05: whoever enters a code gets nothing of who was there before with an unconfirmed address', async () => {
    const adapter = memoryAdapter()
    const app = open(adapter)
    await adapter.createUser({ id: '1815', email: ADA, emailVerified: null })
    await adapter.createSession({ sessionToken: 'of-eve', userId: '1815', expires: new Date(app.clock.ms + 1e9) })
    const ada = app.browser()
    await app.ask(ada)
    expect(signsIn(await app.enter(ada, app.newest().code))).to.equal(true)
    expect((await adapter.getUser('1815'))?.emailVerified).to.be.instanceOf(Date)
    expect(await adapter.getSessionAndUser('of-eve')).to.equal(null)
  })
})

for (const kind of STORES) {
  describe(`mailed codes over ${kind.name}`, () => {
    let store: OpenStore
    before(async function () {
      await kind.requireServer.call(this)
      store = await kind.open()
    })
    after(() => store?.close())

    it('ACCT-10, ACCT-11: two processes count the tries together, and give one session for one mail', async () => {
      const processes = [open(store.adapter), open(await store.another())] as const
      const everywhere = (browser: TestBrowser, code: string) =>
        Promise.all(
          Array.from({ length: 12 }, (_, turn) => {
            const app = processes[turn % 2 ? 1 : 0]
            const other = app.browser()
            for (const [name, cookie] of browser.jar) other.jar.set(name, cookie)
            return app.enter(other, code)
          }),
        )
      const [app] = processes
      const [guesser, ada] = [app.browser(), app.browser()]
      await app.ask(guesser, EVE)
      const guesses = await everywhere(guesser, WRONG)
      expect(guesses.filter((answer) => answerOf(answer) === 'WrongCode')).to.have.length(4)
      expect(answerOf(await app.enter(guesser, app.newest().code))).to.equal('NoCode')
      await app.ask(ada)
      expect((await everywhere(ada, app.newest().code)).filter(signsIn)).to.have.length(1)
    })
  })
}
