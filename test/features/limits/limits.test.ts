import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { setPassword } from '../../../lib/features/password/operations.js'
import Email from '../../../lib/providers/email.js'
import Password from '../../../lib/providers/password.js'
import { type TestBrowser, whoIs } from '../../support/test-app.js'
import { ADA, club, GOOD, openLimited, somewhere, withPassword } from './limited-app.js'

describe('limits', () => {
  it('RATE-01: let an account be tried ten times, and then twelve times an hour', async () => {
    const app = openLimited()
    const wrong = (index: number) => app.guess(app.from(somewhere()), `wrong ${index}`)
    expect(await app.tries(30, wrong)).to.equal(10)
    app.clock.advance(5 * 60)
    expect(await app.tries(5, wrong)).to.equal(1)
    app.clock.advance(60 * 60)
    expect(await app.tries(30, wrong)).to.equal(10)
  })

  it('RATE-01: let a network try a hundred times, and leave everybody else alone', async () => {
    const app = openLimited()
    const here = app.from(somewhere())
    expect(await app.tries(130, (index) => app.guess(here, 'wrong', `member-${index}@example.com`))).to.equal(100)
    expect((await app.guess(app.from(somewhere()), GOOD)).status).to.equal(302)
  })

  it('do not count who signs in', async () => {
    const app = openLimited()
    for (let index = 0; index < 150; index += 1) {
      const browser = app.from('203.0.113.9')
      await app.guess(browser, GOOD, `member-${index % 7}@example.com`)
      expect(await whoIs(browser)).to.equal(`member-${index % 7}@example.com`)
    }
  })

  it('RATE-06: answer with 429, when to try again, and a page that says so', async () => {
    const app = openLimited({ theme: { languages: ['en', 'de'] } })
    await app.tries(10, () => app.guess(app.from(somewhere()), 'wrong'))
    const visitor = app.from(somewhere())
    const json = await app.guess(visitor, 'wrong')
    expect(json.status).to.equal(429)
    expect(json.json()).to.deep.equal({ message: 'Too many tries.' })
    expect(json.headers.get('retry-after')).to.equal('300')
    const fields = { email: ADA, password: 'wrong' }
    const page = await app.send(visitor, 'callback/credentials', fields, { accept: 'text/html' })
    expect(page.status).to.equal(429)
    expect(page.headers.get('retry-after')).to.equal('300')
    expect(page.body).to.include('Too many tries').and.include('5 minutes').and.include('/auth/signin')
    const german = { accept: 'text/html', 'accept-language': 'de' }
    const inGerman = await app.send(visitor, 'callback/credentials', fields, german)
    expect(inGerman.body).to.include('Zu viele Versuche').and.include('5 Minuten')
  })

  it('RATE-05: offer a mailed link in place of a guess, which lets its reader in', async () => {
    const app = openLimited()
    await app.tries(10, () => app.guess(app.from(somewhere()), 'wrong'))
    const visitor = app.from(somewhere())
    const entered = { email: ADA, password: GOOD }
    const page = await app.send(visitor, 'callback/credentials', entered, { accept: 'text/html' })
    expect(page.status).to.equal(429)
    expect(page.body).to.include('action="http://app.example/auth/signin/email"').and.include(`value="${ADA}"`)
    expect(page.body).to.include('E-mail me a link').and.not.include(GOOD)
    const link = await app.linkIn(visitor)
    await visitor.get(link.pathname + link.search)
    expect(await whoIs(visitor)).to.equal(ADA)
    const foreign = { accept: 'text/html', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const forged = await app
      .from(somewhere())
      .post('/auth/callback/credentials', { ...entered, email: 'eve@example.com' }, foreign)
    expect(forged.body).to.not.include('eve@example.com')
  })

  it('RATE-07: let five mails go to a recipient, and then six an hour', async () => {
    const app = openLimited()
    expect(await app.tries(12, () => app.askMail(app.from(somewhere())))).to.equal(5)
    app.clock.advance(10 * 60)
    expect(await app.tries(5, () => app.askMail(app.from(somewhere())))).to.equal(1)
    expect(app.mails).to.have.length(6)
    const here = app.from(somewhere())
    expect(await app.tries(60, (index) => app.askMail(here, `reader-${index}@example.com`))).to.equal(50)
  })

  it('take other numbers, and none at all', async () => {
    const app = openLimited({ limits: { guesses: { account: { atOnce: 2, perHour: 60 } } } })
    const wrong = () => app.guess(app.from(somewhere()), 'wrong')
    expect(await app.tries(5, wrong)).to.equal(2)
    app.clock.advance(60)
    expect(await app.tries(5, wrong)).to.equal(1)
    const open = openLimited({ limits: false })
    expect(await open.tries(30, () => open.guess(open.from(somewhere()), 'wrong'))).to.equal(30)
  })

  it('keep the other number of a rate of which one is given', async () => {
    const app = openLimited({ limits: { guesses: { account: { atOnce: 2 } }, mails: { account: { perHour: 60 } } } })
    expect(await app.tries(5, () => app.guess(app.from(somewhere()), 'wrong'))).to.equal(2)
    app.clock.advance(5 * 60)
    expect(await app.tries(5, () => app.guess(app.from(somewhere()), 'wrong'))).to.equal(1)
    expect(await app.tries(8, () => app.askMail(app.from(somewhere())))).to.equal(5)
  })

  it('tell a misspelt or useless option', () => {
    const refused = (limits: unknown) => {
      try {
        openLimited({ limits: limits as never })
      } catch (error) {
        return (error as Error).message
      }
      return 'taken'
    }
    expect(refused(true)).to.include('`limits` is true; it must be false, or an object')
    expect(refused({ guess: {} })).to.include('Did you mean `limits.guesses`?')
    expect(refused({ mails: { account: { atOnce: 0, perHour: 6 } } })).to.include('whole and at least 1')
  })

  it('ask the application by which name it knows an account', async () => {
    const asked: unknown[] = []
    const app = openLimited({
      providers: [club({ credentials: { number: {}, pin: { type: 'password' } } })],
      limits: {
        accountOf(fields, provider) {
          asked.push(provider)
          return String(fields['number'])
        },
      },
    })
    const wrong = (number: string) => app.send(app.from(somewhere()), 'callback/credentials', { number, pin: '0' })
    expect(await app.tries(20, () => wrong('7'))).to.equal(10)
    expect((await wrong('8')).status).to.equal(302)
    expect(new Set(asked)).to.deep.equal(new Set(['credentials']))
  })

  it('ask mayTry before a password is looked at', async () => {
    const looked: unknown[] = []
    const attempts: unknown[] = []
    const app = openLimited({
      providers: [
        club({
          authorize: ({ password }) => {
            looked.push(password)
            return null
          },
        }),
      ],
      limits: {
        mayTry({ fields, ...attempt }) {
          attempts.push(attempt)
          const answer = fields['challenge']
          if (answer === 'solved') return true
          if (answer === 'failed') return false
          return answer === undefined ? undefined : '/solve'
        },
      },
    })
    const wrong = (challenge?: string) =>
      app.send(app.from('203.0.113.77'), 'callback/credentials', {
        email: ADA,
        password: 'wrong',
        ...(challenge && { challenge }),
      })
    expect(await app.tries(12, () => wrong())).to.equal(10)
    looked.length = 0
    expect((await wrong('solved')).location, 'over the limit').to.include('error=CredentialsSignin')
    expect((await wrong('failed')).status).to.equal(403)
    expect((await wrong('later')).location).to.equal('http://app.example/solve')
    expect(looked).to.deep.equal(['wrong'])
    expect(attempts.at(-1)).to.deep.equal({
      kind: 'guesses',
      provider: 'credentials',
      accounts: [ADA],
      network: '203.0.113.0/24',
      isKnownBrowser: false,
      retryAfter: 300,
    })
  })

  it('hold for a password that Latchkey keeps, for its links and for its change', async () => {
    const urls: URL[] = []
    const mail = Email({
      sendVerificationRequest() {},
      sendNotification: ({ url }) => void urls.push(new URL(url)),
    })
    const adapter = memoryAdapter()
    const app = openLimited({
      adapter,
      providers: [Password(), mail],
      session: { strategy: 'database' },
      limits: { guesses: { account: { atOnce: 2, perHour: 1 } } },
    })
    const chosen = async (browser: TestBrowser) => {
      await app.send(browser, 'password', { email: 'bob@example.com' })
      const token = urls.at(-1)?.searchParams.get('token') ?? ''
      await app.send(browser, 'password/choose', { token, newPassword: GOOD })
      return browser
    }
    const at = (path: string, fields: Record<string, string>) => app.send(app.from(somewhere()), path, fields)
    expect(await app.tries(8, () => at('password', { email: ADA }))).to.equal(5)
    const wrong = { password: 'a wrong but long password', newPassword: 'nine quiet windows facing the harbour' }
    expect(await app.tries(4, () => at('callback/password', { email: ADA, ...wrong }))).to.equal(2)
    const own = await chosen(app.from(somewhere()))
    expect(await whoIs(own)).to.equal('bob@example.com')
    const short = { password: GOOD, newPassword: 'short' }
    expect(await app.tries(20, () => app.send(own, 'password/change', short)), 'a right one is no guess').to.equal(20)
    expect(await app.tries(4, () => app.send(own, 'password/change', wrong))).to.equal(4)
    const userId = String((await adapter.getUserByEmail('bob@example.com'))?.id)
    await setPassword(app.engine.config, { userId, password: 'six copper kettles in the attic', mustChange: true })
    app.clock.advance(3 * 3600)
    const stranger = app.from(somewhere())
    const enter = () =>
      app.send(stranger, 'callback/password', { email: 'bob@example.com', password: 'six copper kettles in the attic' })
    expect(await app.tries(20, enter)).to.equal(20)
  })

  it('RATE-02: end the failures in a row of whoever is signed in with their right password', async () => {
    const { app, own } = await withPassword('bob@example.com')
    for (let hour = 0; hour < 210; hour += 1) {
      app.clock.advance(3600)
      await app.send(own, 'password/change', { password: 'wrong', newPassword: 'short' })
      const right = await app.send(own, 'password/change', { password: GOOD, newPassword: 'short' })
      expect(right.json(), `after ${hour} hours`).to.deep.include({ reason: 'too-short' })
    }
  })

  it('RATE-07: count whoever is signed in and asks for a link to their own address once', async () => {
    const { app, own } = await withPassword('bob@example.com')
    const ask = () => app.send(own, 'password', { email: 'bob@example.com' })
    const signedIn = await app.tries(14, ask)
    await own.signOut()
    app.clock.advance(24 * 3600)
    expect(await app.tries(14, ask), 'signed out').to.equal(signedIn)
  })
})
