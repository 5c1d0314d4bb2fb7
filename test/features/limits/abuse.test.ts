import { inspect } from 'node:util'
import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import Email from '../../../lib/providers/email.js'
import Password from '../../../lib/providers/password.js'
import { type OpenStore, STORES } from '../../support/stores.js'
import { type TestBrowser, whoIs } from '../../support/test-app.js'
import { ADA, club, GOOD, openLimited, somewhere, withPassword } from './limited-app.js'

describe('who would get around limits, or turn them against others', () => {
  it('RATE-03: guesses that come at once are counted one by one', async () => {
    const app = openLimited()
    const browsers = Array.from({ length: 60 }, () => app.from(somewhere()))
    const answers = await Promise.all(browsers.map((browser) => app.guess(browser, 'wrong')))
    expect(answers.filter(({ status }) => status !== 429)).to.have.length(10)
  })

  it('RATE-03: processes with one store count together, and a restart forgets nothing', async () => {
    const adapter = memoryAdapter()
    const processes = [1, 2, 3].map(() => openLimited({ adapter }))
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const app = processes[index % 3] as (typeof processes)[0]
        return app.guess(app.from(somewhere()), 'wrong')
      }),
    )
    expect(answers.filter(({ status }) => status !== 429).length).to.be.within(1, 10)
    const later = openLimited({ adapter })
    expect((await later.guess(later.from(somewhere()), 'wrong')).status).to.equal(429)
  })

  it('RATE-03: visitors of whom no address is known are counted together, with room for many', async () => {
    const app = openLimited()
    const nowhere = app.from(undefined)
    expect(await app.tries(2010, (index) => app.guess(nowhere, 'wrong', `m${index}@example.com`))).to.equal(2000)
  }).timeout(60_000)

  it('RATE-04: an IPv6 subscriber has one counter, and the next one another', async () => {
    const app = openLimited()
    const wrong = (index: number) =>
      app.guess(app.from(`2001:db8:1:2::${index.toString(16)}`), 'wrong', `m${index}@example.com`)
    expect(await app.tries(120, wrong)).to.equal(100)
    expect((await app.guess(app.from('2001:db8:1:3::1'), 'wrong', 'other@example.com')).status).to.equal(302)
    expect((await app.guess(app.from('::ffff:203.0.113.200'), 'wrong', 'other@example.com')).status).to.equal(302)
  })

  it('RATE-01: another spelling of an account is no other account', async () => {
    const app = openLimited()
    const spellings = [
      ADA,
      'ADA@EXAMPLE.COM',
      ' ada@example.com ',
      'àda@example.com',
      'ａｄａ@example.com',
      'a\u200bda@example.com',
      'ada\t@example.com\n',
      `ada@example.com${' '.repeat(3000)}`,
      `${'\u0301'.repeat(500)}ada@example.com`,
      'ＡＤＡ@example.com',
      'ada@xn--exmple-cua.com',
      'ᵃdₐ@example.com',
      'a\uFE73da@example.com',
      'ad\u180Aa@example.com',
      '🅰da@example.com',
    ]
    for (const spelling of spellings) await app.guess(app.from(somewhere()), 'wrong', spelling)
    expect((await app.guess(app.from(somewhere()), 'wrong')).status).to.equal(429)
  })

  it('RATE-01: digits and letters of another script or with a stroke, which databases compare as the same, are no other account', async () => {
    const app = openLimited({ providers: [club({ credentials: { username: {}, password: { type: 'password' } } })] })
    const wrong = (username: string) =>
      app.send(app.from(somewhere()), 'callback/credentials', { username, password: 'x' })
    const spellings = [
      'søren4915',
      'soren٤٩١٥',
      'soren۴۹۱۵',
      'soren४९१५',
      'soren４９１５',
      'so\u0640ren4915',
      'ˢᵒʳᵉⁿ⁴⁹¹⁵',
      'SOREN4915',
    ]
    for (const spelling of [...spellings, 'soren4915', 'soren4915']) {
      expect((await wrong(spelling)).status).to.equal(302)
    }
    for (const spelling of spellings) expect((await wrong(spelling)).status, spelling).to.equal(429)
  })

  it('RATE-01: letters that some databases take for s or ss, and for one of a pair, are no other account', async () => {
    const app = openLimited()
    for (const name of ['straße', 'STRAẞE', 'strasse'])
      expect(await app.tries(3, () => app.guess(app.from(somewhere()), 'wrong', name))).to.equal(3)
    expect(await app.tries(3, () => app.guess(app.from(somewhere()), 'wrong', 'strase'))).to.equal(1)
  })

  it('RATE-01: who signs in opens no account of the same name at another provider, and is not known there', async () => {
    const fields = { username: {}, password: { type: 'password' } }
    const members = club({
      id: 'members',
      credentials: fields,
      authorize: ({ password }) => (password === GOOD ? { id: 'member', email: 'member@example.com' } : null),
    })
    const staff = club({ id: 'staff', credentials: fields, authorize: () => null })
    const app = openLimited({ providers: [members, staff] })
    const guess = (browser: TestBrowser) => app.send(browser, 'callback/staff', { username: '1001', password: 'wrong' })
    const browser = app.from(somewhere())
    let passed = 0
    for (let turn = 0; turn < 5; turn += 1) {
      passed += await app.tries(9, () => guess(app.from(somewhere())))
      await app.send(browser, 'callback/members', { username: '1001', password: GOOD })
      expect(await whoIs(browser)).to.equal('member@example.com')
      await browser.signOut()
    }
    expect(passed).to.equal(10)
    expect((await guess(browser)).status).to.equal(429)
  })

  it('RATE-01: the owner of a name opens none that differs in case, blanks, accents, a doubled s, signs, or in what else databases do not tell apart', async () => {
    const alike = {
      johnsmith: ['John Smith', 'JOHN SMITH', 'john smith', 'j ohnsmith', 'jo hnsmith', 'joh nsmith'],
      // A sign that MariaDB does not compare, small letters above others, and a letter with a dot.
      will: ['w\u06deill', 'will\u06de\u06de', '\u1df1ill', 'w\u0365ll', 'wi\u0140l', '\u{1f166}ill'],
      // So many signs which no database compares that they fill the length that counts.
      alice: Array.from(
        { length: 6 },
        (_, at) => `${'alice'.slice(0, at)}${(at % 2 ? '\u0640' : '\u06de').repeat(1000)}${'alice'.slice(at)}`,
      ),
      // Letters to a database, and accents to an application that removes those.
      bob: ['b\u0363ob', 'bo\u0364b', '\u0365bob', 'bob\u0366', 'b\u0367o\u0368b', 'bo\u0369b'],
      // With letters above others that only some applications remove, others that all databases take for letters.
      roland: [
        'ro\u0363land',
        'ro\u1dddand\u0364',
        'rola\u1de0d\u0365',
        '\u0366ro\u1dddand',
        'ro\u1ddda\u1de0d\u0367',
        'r\u0368ola\u1de0d',
      ],
      // Signs that some take for accents, or leave out of a number.
      ada: ['a^da', 'ad`a', 'a.da', '-ada', '+a(da)', 'a/d/a'],
      '0170112345': [
        '0170-112345',
        '(0170)112345',
        '0.170.112345',
        '0170/112345',
        '0170--112345',
        `0170${'-'.repeat(995)}112345`,
      ],
      // One character for several, and letters with strokes.
      אייזיקווייס: ['אײזיקווייס', 'אײזיקװײס', 'אייזיקװייס', 'אייזיקוױיס', 'אײזיקװייס', 'אייזיקװײס'],
      newthornton: ['🆕thornton', '🆕þornton', 'newþornŧon', 'newthorŋton', 'ɲewþornton', '🆕þorŋŧoŋ'],
      jessica: ['jesßica', 'jeßsica', 'jessßica', 'jeßßica', 'jesssica', 'JESSICA'],
      // Thai as it is written, and as it is spoken.
      เกเกเก: ['กเเกเก', 'กเกเเก', 'กเกเกเ', 'เกกเเก', 'เกเกกเ', 'เกกเกเ'],
      さくら: ['サくら', 'さクら', 'さくラ', 'サクラ', 'ｻｸﾗ', 'さぐら'],
      'jesica@example.com': ['jéssica', 'jèssica', 'jêssica', 'ĵessica', 'jessicä', 'jeßica'].map(
        (name) => `${name}@example.com`,
      ),
    }
    for (const [plain, names] of Object.entries(alike)) {
      const app = openLimited({ providers: [club({ credentials: { username: {}, password: { type: 'password' } } })] })
      const enter = (username: string, password: string) =>
        app.send(app.from(somewhere()), 'callback/credentials', { username, email: username, password })
      let passed = 0
      for (let turn = 0; turn < 6; turn += 1) {
        passed += await app.tries(9, (index) => enter(names[(index + turn) % names.length] ?? '', 'wrong'))
        await enter(plain, GOOD)
      }
      expect(passed, plain).to.equal(10)
    }
  })

  it('RATE-05: mails that go to nobody, or to somebody else, use up none of the owner', async () => {
    const app = openLimited()
    const others = ['a da@example.com', 'áda@example.com', 'a\u200bda@example.com']
    for (let index = 0; index < 12; index += 1)
      await app.askMail(app.from(somewhere()), others[index % others.length] ?? '')
    const stranger = app.from(somewhere())
    const csrfToken = await stranger.csrfToken()
    for (let index = 0; index < 6; index += 1) await stranger.post(`/auth/signin/email?email=${ADA}`, { csrfToken })
    app.mails.length = 0
    expect(await app.tries(6, () => app.askMail(app.from(somewhere())))).to.equal(5)
    expect(app.mails).to.deep.equal([ADA, ADA, ADA, ADA, ADA])
  })

  it('RATE-07: the spellings that the application takes for one recipient share its mails', async () => {
    const mails: string[] = []
    const mail = Email({
      sendVerificationRequest: ({ identifier }) => void mails.push(identifier),
      normalizeIdentifier: (given) => given.toLowerCase().replace(/\+[^@]*/, ''),
    })
    const app = openLimited({ providers: [mail] })
    const ask = (index: number) => app.askMail(app.from(somewhere()), `ada+${index}@example.com`)
    expect(await app.tries(12, ask)).to.equal(5)
    expect(new Set(mails)).to.deep.equal(new Set([ADA]))
  })

  it('RATE-01, RATE-07: spellings with which Latchkey looks up one user are one account, and get one share of mails', async () => {
    const recipients: string[] = []
    const noted = Email({
      id: 'noted',
      sendVerificationRequest() {},
      sendNotification: ({ identifier }) => void recipients.push(identifier),
      normalizeIdentifier: (given) =>
        given
          .normalize('NFKC')
          .toLowerCase()
          .replace(/\+[^@]*/, ''),
    })
    const plain = Email({ sendVerificationRequest() {} })
    const limits = { guesses: { account: { atOnce: 2 } }, accountOf: () => null }
    const app = openLimited({ providers: [Password(), plain, noted], limits })
    const wrong = (index: number) =>
      app.send(app.from(somewhere()), 'callback/password', { email: `ada+${index}@example.com`, password: 'wrong' })
    expect(await app.tries(4, wrong)).to.equal(2)
    const raised = { email: 'ᵃdᵃ@example.com', password: 'wrong' }
    expect((await app.send(app.from(somewhere()), 'callback/password', raised)).status).to.equal(429)
    const ask = (index: number) => app.send(app.from(somewhere()), 'password', { email: `ada+${index}@example.com` })
    expect(await app.tries(12, ask)).to.equal(5)
    expect(new Set(recipients)).to.deep.equal(new Set([ADA]))
  })

  it('RATE-01: a provider without declared fields says that it counts no account', async () => {
    const app = openLimited({ providers: [club({ credentials: undefined as never })] })
    const wrong = (fields: Record<string, string>) => app.send(app.from(somewhere()), 'callback/credentials', fields)
    expect(await app.tries(12, () => wrong({ email: ADA, password: 'x' }))).to.equal(10)
    expect(app.log.warnings).not.to.include('tries-without-account')
    expect(await app.tries(12, () => wrong({ account: 'ada', password: 'x' }))).to.equal(12)
    expect(app.log.warnings.filter((code) => code === 'tries-without-account')).to.have.length(1)
  })

  it('RATE-01: so does each of several', async () => {
    const providers = ['staff', 'guests'].map((id) => club({ id, credentials: undefined as never }))
    const told: unknown[] = []
    const app = openLimited({ providers, logger: { warn: (_code, metadata) => void told.push(metadata) }, logging: {} })
    for (const id of ['staff', 'guests', 'staff', 'guests'])
      await app.send(app.from(somewhere()), `callback/${id}`, { account: 'ada', password: 'x' })
    expect(told).to.deep.equal([{ provider: 'staff' }, { provider: 'guests' }])
  })

  it('RATE-01: what breaks in the code that reads an address is logged, and opens and counts nothing', async () => {
    const normalizeIdentifier = (given: string) => {
      if (given === 'eve@example.com') throw new Error('not one of us')
      return (undefined as unknown as string).concat(given)
    }
    const mail = Email({ sendVerificationRequest() {}, sendNotification() {}, normalizeIdentifier })
    const told: { error: Error; place: string | undefined }[] = []
    const error = (fault: Error, context?: { readonly action?: string }) =>
      void told.push({ error: fault, place: context?.action })
    const app = openLimited({ providers: [Password(), mail], logger: { error, info() {} }, logging: {} })
    const enter = (email: string) => app.send(app.from(somewhere()), 'callback/password', { email, password: GOOD })
    expect((await enter('eve@example.com')).location).to.include('CredentialsSignin')
    expect(told, 'the application may refuse an address').to.deep.equal([])
    expect((await enter(ADA)).location).to.include('CredentialsSignin')
    expect(told.map((line) => [line.error.name, line.place])).to.deep.equal([['EmailSignInError', 'callback']])
    expect(inspect(told, { depth: 9 }))
      .to.include('TypeError')
      .and.not.include(ADA)
  })

  it('RATE-05: an owner whose name has an accent begins anew in the browser that is known', async () => {
    const app = openLimited()
    const own = app.from(somewhere())
    for (let index = 0; index < 30; index += 1) {
      await app.guess(own, 'wrong', 'josé@example.com')
      app.clock.advance(5 * 60)
      expect((await app.guess(own, GOOD, 'josé@example.com')).status, String(index)).to.equal(302)
      app.clock.advance(5 * 60)
    }
    expect(await app.tries(10, () => app.guess(own, 'wrong', 'josé@example.com'))).to.equal(10)
  })

  it('RATE-01: a second name beside that of the victim opens no other counter', async () => {
    const app = openLimited({
      providers: [club({ credentials: { username: {}, email: {}, password: { type: 'password' } } })],
    })
    const wrong = (index: number) =>
      app.send(app.from(somewhere()), 'callback/credentials', {
        email: `made-up-${index}@example.com`,
        username: 'ada',
        password: 'wrong',
      })
    expect(await app.tries(15, wrong)).to.equal(10)
  })

  it('RATE-05: a try that is refused for one name uses up none of another that stands beside it', async () => {
    const app = openLimited({
      providers: [club({ credentials: { email: {}, username: {}, password: { type: 'password' } } })],
    })
    const wrong = (email: string, username: string) => () =>
      app.send(app.from(somewhere()), 'callback/credentials', { email, username, password: 'wrong' })
    expect(await app.tries(15, wrong('made-up@example.com', 'eve'))).to.equal(10)
    expect(await app.tries(15, wrong(ADA, 'eve'))).to.equal(0)
    expect(await app.tries(15, wrong(ADA, 'ada'))).to.equal(10)
  })

  it('RATE-01: who signs in to an account of their own opens none whose name is like it, and their browser is not known there', async () => {
    const app = openLimited()
    // With a mailbox at exàmple.com, and at xample.com.
    const alike = [
      'ada@exàmple.com',
      'adae@xample.com',
      'àda@example.com',
      'a.da@example.com',
      'ADA@example.com',
      'a da@example.com',
    ]
    await app.tries(10, () => app.guess(app.from(somewhere()), 'wrong'))
    for (const email of alike) {
      const eve = app.from(somewhere())
      await app.guess(eve, GOOD, email)
      expect((await app.guess(eve, 'wrong')).status, email).to.equal(429)
      // These two have the mailbox of the victim.
      if (email === 'ADA@example.com' || email.includes(' ')) continue
      await eve.get(`/auth/callback/email?${(await app.linkIn(eve, email)).searchParams}`)
      expect((await app.guess(eve, 'wrong')).status, `${email}, by a link`).to.equal(429)
    }
  })

  it('RATE-02: who shows a password of their own in a session ends no failures of a name that is like theirs', async () => {
    const { app, own: eves } = await withPassword('àda@example.com')
    expect(await whoIs(eves)).to.equal('àda@example.com')
    const guess = () => app.send(app.from(somewhere()), 'callback/password', { email: ADA, password: 'wrong' })
    for (let hour = 0; hour < 100; hour += 1) {
      app.clock.advance(3600)
      expect((await guess()).status, `in hour ${hour}`).not.to.equal(429)
      const form = { email: ADA, password: GOOD, newPassword: 'short' }
      expect((await app.send(eves, 'password/change', form)).json()).to.deep.include({ reason: 'too-short' })
    }
    const closed = await guess()
    expect(closed.status).to.equal(429)
    expect(Number(closed.headers.get('retry-after'))).to.be.above(24 * 60 * 60)
  })

  it('RATE-02, RATE-07: the owner of a name without accents begins nothing anew for one who has them in theirs', async () => {
    const app = openLimited()
    const victim = 'ada@exämple.com'
    const enterByMail = async () => {
      const own = app.from(somewhere())
      await own.get(`/auth/callback/email?${(await app.linkIn(own)).searchParams}`)
      expect(await whoIs(own)).to.equal(ADA)
    }
    const known = app.from(somewhere())
    await app.guess(known, GOOD)
    let [guesses, mails] = [0, 0]
    for (let round = 0; round < 3; round += 1) {
      guesses += await app.tries(8, () => app.guess(app.from(somewhere()), 'wrong', victim))
      mails += await app.tries(3, () => app.askMail(app.from(somewhere()), victim))
      expect((await app.guess(known, GOOD)).status).to.equal(302)
      await enterByMail()
    }
    expect({ guesses, mails }).to.deep.equal({ guesses: 10, mails: 5 })
    await app.guess(known, GOOD)
    await enterByMail()
    expect((await app.guess(app.from(somewhere()), 'wrong', victim)).status).to.equal(429)
  })

  it('RATE-01: who signs in with a name of their own beside that of the victim opens nothing of the victim', async () => {
    const app = openLimited({
      providers: [
        club({
          credentials: { username: {}, email: {}, password: { type: 'password' } },
          authorize: ({ username }) => (username === 'eve' ? { id: 'eve', email: ADA } : null),
        }),
      ],
    })
    const at = (fields: Record<string, string>) => app.send(app.from(somewhere()), 'callback/credentials', fields)
    await app.tries(10, () => at({ username: 'ada', email: ADA, password: 'wrong' }))
    const eve = app.from(somewhere())
    await app.send(eve, 'callback/credentials', { username: 'eve', password: GOOD })
    expect(await whoIs(eve)).to.equal(ADA)
    for (const name of [{ username: 'ada' }, { email: ADA }, { username: 'ada', email: ADA }] as Record<
      string,
      string
    >[]) {
      expect((await app.send(eve, 'callback/credentials', { ...name, password: 'wrong' })).status).to.equal(429)
    }
    expect(
      (await app.send(eve, 'callback/credentials', { username: 'eve', email: ADA, password: 'x' })).status,
    ).to.equal(429)
  })

  it('RATE-01: a field that is left out locks out nobody else who leaves it out', async () => {
    const app = openLimited({
      providers: [club({ credentials: { email: {}, phone: {}, password: { type: 'password' } } })],
    })
    const wrong = (fields: object) =>
      app.send(app.from(somewhere()), 'callback/credentials', { password: 'wrong', ...fields })
    for (const phone of [undefined, '']) {
      await app.tries(12, () => wrong({ email: `a${phone}@example.com`, ...(phone === '' && { phone }) }))
    }
    expect((await wrong({ email: 'other@example.com' })).status).to.equal(302)
    expect(await app.tries(12, () => wrong({})), 'but for all of them').to.equal(10)
  })

  it('RATE-01: what is no text is counted as the text that an application may make of it', async () => {
    const app = openLimited()
    const odd = [['ada@example.com'], ADA, [[['ada@example.com']]]]
    const wrong = async (index: number) => {
      const browser = app.from(somewhere())
      const email = odd[index % odd.length]
      const csrfToken = await browser.csrfToken()
      return browser.postJson('/auth/callback/credentials', { csrfToken, email, password: 'wrong' })
    }
    expect(await app.tries(20, wrong)).to.equal(10)
  })

  it('RATE-01: a body that cannot be read, and a form without its token, were tries as well', async () => {
    const app = openLimited()
    const here = app.from(somewhere())
    const broken = () => here.post('/auth/callback/credentials', { email: ADA }, { 'content-type': 'application/json' })
    const statuses = new Set<number>()
    for (let index = 0; index < 110; index += 1) statuses.add((await broken()).status)
    expect((await broken()).status).to.equal(429)
    expect(statuses).to.include(400)
    const other = app.from(somewhere())
    const withoutToken = () => other.post('/auth/callback/credentials', { email: ADA, password: GOOD })
    expect(await app.tries(110, withoutToken)).to.equal(100)
  })

  it('RATE-01: forms of another site use up no tries of its visitors', async () => {
    const app = openLimited()
    const here = app.from(somewhere())
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (let index = 0; index < 110; index += 1) await here.post('/auth/callback/credentials', { email: ADA }, headers)
    await app.guess(here, GOOD)
    expect(await whoIs(here)).to.equal(ADA)
  })

  it('RATE-02: a hundred failures in a row close an account to strangers, however slowly they come', async () => {
    const app = openLimited()
    let passed = 0
    for (let hour = 0; hour < 40; hour += 1) {
      passed += await app.tries(14, () => app.guess(app.from(somewhere()), 'wrong'))
      app.clock.advance(60 * 60)
    }
    expect(passed).to.equal(100)
    const closed = await app.guess(app.from(somewhere()), GOOD)
    expect(closed.status).to.equal(429)
    expect(Number(closed.headers.get('retry-after'))).to.be.above(24 * 60 * 60)
    const own = app.from(somewhere())
    await own.get(`/auth/callback/email?${(await app.linkIn(own)).searchParams}`)
    expect(await whoIs(own)).to.equal(ADA)
    app.clock.advance(60 * 60)
    expect((await app.guess(app.from(somewhere()), GOOD)).status, 'its owner has read a mail').to.equal(302)
  })

  it('RATE-05: the owner comes in with a browser that is known, whatever strangers have tried', async () => {
    const app = openLimited()
    const own = app.from('203.0.113.1')
    await app.guess(own, GOOD)
    await own.signOut()
    // Strangers in the network of the owner close the account, and the network.
    for (let index = 0; index < 20; index += 1) await app.guess(app.from('203.0.113.2'), 'wrong')
    for (let index = 0; index < 120; index += 1)
      await app.guess(app.from('203.0.113.3'), 'wrong', `m${index}@example.com`)
    expect((await app.guess(app.from('203.0.113.4'), GOOD)).status).to.equal(429)
    await app.guess(own, GOOD)
    expect(await whoIs(own)).to.equal(ADA)
  })

  it('RATE-05: a browser that is known has a limit of its own', async () => {
    const app = openLimited()
    const own = app.from(somewhere())
    await app.guess(own, GOOD)
    await own.signOut()
    expect(await app.tries(10, () => app.guess(own, 'wrong'))).to.equal(10)
    expect(await app.tries(20, () => app.guess(app.from(somewhere()), 'wrong')), 'elsewhere').to.equal(10)
  })

  it('RATE-01, RATE-07: all browsers that are known have one limit, however many somebody has made of them', async () => {
    const app = openLimited()
    const known: TestBrowser[] = []
    for (let index = 0; index < 5; index += 1) {
      const browser = app.from(somewhere())
      await app.guess(browser, GOOD)
      await browser.signOut()
      known.push(browser)
    }
    const each = (index: number) => known[index % known.length] as TestBrowser
    // When they are used up, a known browser is as good as any other one, and no better.
    expect(await app.tries(40, (index) => app.guess(each(index), 'wrong'))).to.equal(20)
    expect(await app.tries(20, (index) => app.askMail(each(index))), 'no mail was read in them').to.equal(5)
    app.clock.advance(60 * 60)
    // A mail that its owner has read opens it again.
    const own = app.from(somewhere())
    const url = await app.linkIn(own)
    await app.send(own, `callback/email?${url.searchParams}`, Object.fromEntries(url.searchParams))
    expect((await app.guess(each(1), GOOD)).status).to.equal(302)
  })

  it('RATE-05: who came in once uses up the tries of known browsers, and keeps no owner out', async () => {
    const app = openLimited()
    const [own, former] = [app.from(somewhere()), app.from(somewhere())]
    for (const browser of [own, former]) {
      await app.guess(browser, GOOD)
      await browser.signOut()
    }
    expect(await app.tries(10, () => app.guess(former, 'wrong'))).to.equal(10)
    await app.guess(own, GOOD)
    expect(await whoIs(own)).to.equal(ADA)
  })

  it('RATE-05: the cookie of a known browser is worth nothing for another account, and cannot be made up', async () => {
    const app = openLimited()
    await app.tries(12, () => app.guess(app.from(somewhere()), 'wrong'))
    const eve = app.from(somewhere())
    await app.guess(eve, GOOD, 'eve@example.com')
    const [cookie] = [...eve.jar].filter(([name]) => name.includes('known-browser'))
    expect(cookie?.[1].value).to.match(/^[\w-]{22}\.[\w-]{22}$/)
    expect((await app.guess(eve, 'wrong')).status).to.equal(429)
    eve.plant('authjs.known-browser', `${cookie?.[1].value}.${'a'.repeat(22)}`)
    expect((await app.guess(eve, 'wrong')).status).to.equal(429)
    eve.plant('authjs.known-browser', `${'.'.repeat(2000)}`)
    expect((await app.guess(eve, 'wrong')).status).to.equal(429)
  })

  it('RATE-05: mails that let nobody in use up none of those that do', async () => {
    const urls: URL[] = []
    const app = openLimited({
      providers: [Email({ sendVerificationRequest: ({ url }) => void urls.push(new URL(url)), sendNotification() {} })],
    })
    const eve = app.from(somewhere())
    await app.askMail(eve, 'eve@example.com')
    await eve.get(`/auth/callback/email?${urls.at(-1)?.searchParams}`)
    await app.askMail(app.from(somewhere()))
    const ask = (browser: TestBrowser) => app.send(browser, 'address', { email: ADA })
    expect(await app.tries(4, () => ask(eve))).to.equal(4)
    expect(await app.tries(4, () => ask(app.from(somewhere())))).to.equal(1)
    expect(await app.tries(6, () => app.askMail(app.from(somewhere())))).to.equal(4)
  })

  it('RATE-05: a mailed link opens an account that strangers have closed', async () => {
    const app = openLimited()
    await app.tries(12, () => app.guess(app.from(somewhere()), 'wrong'))
    expect((await app.guess(app.from(somewhere()), GOOD)).status).to.equal(429)
    const own = app.from(somewhere())
    const url = await app.linkIn(own)
    await app.send(own, `callback/email?${url.searchParams}`, Object.fromEntries(url.searchParams))
    expect(await whoIs(own)).to.equal(ADA)
    expect((await app.guess(own, GOOD)).status).to.equal(302)
    app.clock.advance(5 * 60)
    expect((await app.guess(app.from(somewhere()), GOOD)).status, 'elsewhere').to.equal(302)
    expect(await app.tries(7, () => app.askMail(app.from(somewhere()))), 'mails, of which one was wanted').to.equal(5)
  })

  it('RATE-03: a clock that is set back locks nobody out, and opens no closed account', async () => {
    const app = openLimited()
    await app.tries(12, () => app.guess(app.from(somewhere()), 'wrong'))
    app.clock.advance(-2 * 60 * 60)
    expect((await app.guess(app.from(somewhere()), GOOD)).status).to.equal(302)
    for (let hour = 0; hour < 12; hour += 1) {
      await app.tries(12, () => app.guess(app.from(somewhere()), 'wrong'))
      app.clock.advance(60 * 60)
    }
    app.clock.advance(-24 * 60 * 60)
    expect((await app.guess(app.from(somewhere()), GOOD)).status).to.equal(429)
  })

  it('RATE-06: an account that nobody has gets the same answers', async () => {
    const app = openLimited()
    const seen = async (email: string) => {
      const all = []
      for (let index = 0; index < 12; index += 1) {
        const { status, location, body } = await app.guess(app.from(somewhere()), 'wrong', email)
        all.push({ status, location, body })
      }
      return all
    }
    expect(await seen(ADA)).to.deep.equal(await seen('nobody@example.com'))
  })

  it('a store that fails signs nobody in, and lets nobody guess', async () => {
    const broken: Adapter = {
      ...memoryAdapter(),
      updateRecord: () => Promise.reject(new Error('down')),
      createRecord: () => Promise.reject(new Error('down')),
    }
    const app = openLimited({ adapter: broken })
    const own = app.from(somewhere())
    const answer = await app.guess(own, GOOD)
    expect(answer.location).to.include('error=Configuration')
    expect(await whoIs(own)).to.equal(null)
  })

  it('a store that always says that somebody else was faster lets nobody guess', async () => {
    const app = openLimited({ adapter: { ...memoryAdapter(), createRecord: () => false, updateRecord: () => false } })
    expect((await app.guess(app.from(somewhere()), GOOD)).status).to.equal(429)
  })

  it('a mayTry that throws lets nobody guess', async () => {
    const app = openLimited({
      limits: {
        mayTry() {
          throw new Error('no answer from the CAPTCHA')
        },
      },
    })
    const own = app.from(somewhere())
    expect((await app.guess(own, GOOD)).location).to.include('error=Configuration')
    expect(await whoIs(own)).to.equal(null)
  })

  it('a mayTry that gives neither yes, no nor an address lets nobody guess', async () => {
    for (const verdict of [0, 1, '', { redirect: '/x' }, []]) {
      const app = openLimited({ limits: { mayTry: () => verdict as never } })
      const own = app.from(somewhere())
      expect((await app.guess(own, GOOD)).location, JSON.stringify(verdict)).to.include('error=Configuration')
      expect(await whoIs(own)).to.equal(null)
    }
  })

  it('a counter that is damaged begins anew', async () => {
    const adapter = memoryAdapter()
    const damaged: Adapter = {
      ...adapter,
      createRecord: (record) =>
        adapter.createRecord({ ...record, value: record.kind === 'limit' ? 'NaN' : record.value }),
    }
    const app = openLimited({ adapter: damaged })
    expect(await app.tries(15, () => app.guess(app.from(somewhere()), 'wrong'))).to.be.within(10, 11)
  })

  it('counters say nothing of whom they count', async () => {
    const values: string[] = []
    const adapter = memoryAdapter()
    const watched: Adapter = {
      ...adapter,
      createRecord(record) {
        values.push(JSON.stringify(record))
        return adapter.createRecord(record)
      },
    }
    const app = openLimited({ adapter: watched })
    await app.guess(app.from('203.0.113.99'), 'wrong')
    expect(values).to.have.length(3)
    for (const value of values) expect(value).not.to.match(/ada|203\.0|wrong/)
  })
})

for (const { name, requireServer, open } of STORES) {
  describe(`RATE-03: tries that come at once at three processes, over ${name}`, () => {
    let store: OpenStore
    before(async function () {
      await requireServer.call(this)
      store = await open()
    })
    after(() => store?.close())

    it('are counted one by one', async () => {
      const adapters = [store.adapter, await store.another(), await store.another()]
      const apps = adapters.map((adapter) => openLimited({ adapter }))
      const guess = (index: number) => {
        const app = apps[index % apps.length] as (typeof apps)[0]
        return app.guess(app.from(somewhere()), 'wrong')
      }
      const answers = await Promise.all(Array.from({ length: 45 }, (_, index) => guess(index)))
      const passed = answers.filter(({ status }) => status === 302).length
      expect(answers.filter(({ status }) => status === 429)).to.have.length(45 - passed)
      // One that meets others at every try is refused, so some of the ten may be left.
      expect(passed).to.be.within(1, 10)
      for (let index = 0; index < 12; index += 1) await guess(index)
      expect((await guess(0)).status).to.equal(429)
    })
  })
}
