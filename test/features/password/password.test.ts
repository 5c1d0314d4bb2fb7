import { inspect } from 'node:util'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { resolveConfig } from '../../../lib/compose.js'
import type { AuthConfig } from '../../../lib/index.js'
import Nodemailer from '../../../lib/providers/mail/nodemailer.js'
import Password from '../../../lib/providers/password.js'
import { createLog, type Running, startApp, testConfig } from '../../support/app.js'
import { formsOf, submit } from '../../support/forms.js'
import { elements, visibleText } from '../../support/html.js'
import { type MailServer, startMailServer } from '../../support/smtp.js'
import type { Answer, Visitor } from '../../support/visitor.js'

const ADDRESS = 'ada@example.com'
const GOOD = 'copper lantern under seven bridges'
const OTHER = 'nine quiet windows facing the harbour'

const csrfIn = (page: Answer) => formsOf(page)[0]?.fields['csrfToken'] ?? ''

/** As a browser sends a form. */
const send = (visitor: Visitor, page: Answer, end: string, fields: Record<string, string>) =>
  submit(visitor, page, end, fields, { accept: 'text/html' })

describe('passwords that Latchkey keeps', () => {
  let server: MailServer
  before(async () => {
    server = await startMailServer()
  })
  after(() => server.close())
  beforeEach(() => {
    server.delivered.length = 0
  })

  async function start(more: Partial<AuthConfig> = {}): Promise<Running> {
    const providers = [Password(), Nodemailer({ server: server.url, from: 'no-reply@example.com' })]
    return startApp(testConfig({ providers, adapter: memoryAdapter(), ...more }))
  }

  const lastLink = () => {
    const [link = ''] = /http:\S+/.exec(server.delivered.at(-1)?.mail.text ?? '') ?? []
    const { pathname, search } = new URL(link)
    return pathname + search
  }

  async function ask(visitor: Visitor, email = ADDRESS) {
    return send(visitor, await visitor.get('/auth/password?callbackUrl=/inbox'), '/password', { email })
  }

  /** Asks for a link, opens it, and chooses a password. */
  async function choose(visitor: Visitor, password: string, email = ADDRESS) {
    await ask(visitor, email)
    return send(visitor, await visitor.get(lastLink()), '/password/choose', { newPassword: password })
  }

  async function signIn(visitor: Visitor, password: string, email = ADDRESS) {
    const page = await visitor.get('/auth/signin?callbackUrl=/inbox')
    return send(visitor, page, '/callback/password', { email, password })
  }

  const addressOf = async (visitor: Visitor) => (await visitor.session())?.user?.email

  for (const strategy of ['database', 'jwt'] as const) {
    describe(`with ${strategy} sessions`, () => {
      let app: Running
      beforeEach(async () => {
        app = await start({ session: { strategy } })
      })
      afterEach(() => app.close())

      it('take somebody new from an address to a session, and let them in again', async () => {
        const ada = app.visitor()
        const asked = await ask(ada)
        expect(visibleText(asked.text)).to.match(/sent a link to ada@example\.com ?\. Open it to choose a password\./)
        const done = await send(ada, await ada.get(lastLink()), '/password/choose', { newPassword: GOOD })
        expect(done.location?.pathname).to.equal('/inbox')
        expect(await addressOf(ada)).to.equal(ADDRESS)
        // The sign-in page marks what they sign in with from now on.
        expect(ada.jar.get('authjs.last-provider')).to.equal('password')
        const again = app.visitor()
        expect((await signIn(again, GOOD)).location?.pathname).to.equal('/inbox')
        expect(await addressOf(again)).to.equal(ADDRESS)
      })

      it('let nobody in with another password, or for an address that has none', async () => {
        await choose(app.visitor(), GOOD)
        for (const [email, password] of [
          [ADDRESS, OTHER],
          [ADDRESS, ''],
          ['nobody@example.com', GOOD],
          ['no address', GOOD],
        ] as const) {
          const visitor = app.visitor()
          expect((await signIn(visitor, password, email)).location?.searchParams.get('error')).to.equal(
            'CredentialsSignin',
          )
          expect(await addressOf(visitor)).to.equal(undefined)
        }
      })

      it('PWD-08: a link chooses once, and dies with the password that it was for', async () => {
        const ada = app.visitor()
        await ask(ada)
        const first = lastLink()
        await ask(ada)
        const second = lastLink()
        await send(ada, await ada.get(second), '/password/choose', { newPassword: GOOD })
        for (const link of [first, second]) {
          const page = await app.visitor().get(link, { accept: 'text/html' })
          expect(page.status).to.equal(400)
          expect(visibleText(page.text)).to.include('This link no longer works').and.not.include(ADDRESS)
        }
        // The page sends the next link.
        await send(ada, await ada.get(first, { accept: 'text/html' }), '/password', { email: ADDRESS })
        expect(lastLink()).to.not.equal(second)
        await choose(app.visitor(), OTHER)
        expect((await signIn(app.visitor(), GOOD)).location?.searchParams.get('error')).to.equal('CredentialsSignin')
        expect((await signIn(app.visitor(), OTHER)).location?.pathname).to.equal('/inbox')
      })

      it('PWD-06: change for somebody who knows the one that they have', async () => {
        const ada = app.visitor()
        await choose(ada, GOOD)
        const other = await ada.get('/auth/password?callbackUrl=/inbox')
        expect(visibleText(other.text)).to.include('Go back').and.not.include('Go to sign-in')
        const page = await ada.get('/auth/password/change?callbackUrl=/inbox')
        const wrong = await send(ada, page, '/password/change', { password: OTHER, newPassword: OTHER })
        expect(wrong.status).to.equal(422)
        expect(visibleText(wrong.text)).to.include('not the password that you have now')
        const done = await send(ada, wrong, '/password/change', { password: GOOD, newPassword: OTHER })
        expect(done.status).to.equal(200)
        expect(visibleText(done.text)).to.include('Your password was changed')
        expect(elements(done.text, 'a').map((link) => link.get('href'))).to.deep.equal([`${app.origin}/inbox`])
        expect((await signIn(app.visitor(), OTHER)).location?.pathname).to.equal('/inbox')
        expect((await app.visitor().get('/auth/password/change')).status).to.equal(401)
      })

      it('PWD-06: are not changed to the one that they are, of which nobody is told; a mailed link takes it', async () => {
        const ada = app.visitor()
        await choose(ada, GOOD)
        const elsewhere = app.visitor()
        await signIn(elsewhere, GOOD)
        const mails = server.delivered.length
        const page = await ada.get('/auth/password/change')
        for (const newPassword of [GOOD, GOOD.replace('g', 'ｇ')]) {
          const same = await send(ada, page, '/password/change', { password: GOOD, newPassword })
          expect(same.status).to.equal(422)
          expect(visibleText(same.text)).to.include('That is the password that you have now. Choose another one.')
        }
        // Whoever does not know it learns nothing of it.
        const guessed = await send(ada, page, '/password/change', { password: OTHER, newPassword: GOOD })
        expect(visibleText(guessed.text)).to.include('not the password that you have now')
        const form = { csrfToken: csrfIn(page), password: GOOD, newPassword: GOOD }
        const script = await ada.post('/auth/password/change', form, { accept: 'application/json' })
        expect([script.status, script.json()]).to.deep.equal([422, { error: 'Password', reason: 'same' }])
        expect(await addressOf(elsewhere), 'no session has ended').to.equal(ADDRESS)
        expect(server.delivered).to.have.lengthOf(mails)
        expect((await choose(ada, GOOD)).location?.pathname, 'whoever forgot it').to.equal('/inbox')
      })
    })
  }

  it('say that nothing was saved where the form of one link is sent from two tabs, or another one is too old', async () => {
    const app = await start()
    const ada = app.visitor()
    await ask(ada)
    const tabs = [await ada.get(lastLink()), await ada.get(lastLink())] as const
    await send(ada, tabs[0], '/password/choose', { newPassword: GOOD })
    const old = csrfIn(tabs[0])
    const isRefused = (answer: Answer) => {
      expect(answer.status).to.equal(403)
      expect(visibleText(answer.text)).to.include('Nothing was changed just now. Go back')
      expect(elements(answer.text, 'a').map((link) => link.get('href'))).to.include(`${app.origin}/inbox`)
    }
    isRefused(await send(ada, tabs[1], '/password/choose', { newPassword: OTHER }))
    const form = { csrfToken: old, callbackUrl: '/inbox', email: ADDRESS, password: GOOD, newPassword: OTHER }
    for (const path of ['', '/choose', '/change', '/remove'])
      isRefused(await ada.post(`/auth/password${path}`, form, { accept: 'text/html' }))
    expect((await signIn(app.visitor(), OTHER)).location?.searchParams.get('error')).to.equal('CredentialsSignin')
    // Whoever is not signed in has nothing there to go back to.
    for (const path of ['', '/choose']) {
      const answer = await app.visitor().post(`/auth/password${path}`, form, { accept: 'text/html' })
      expect(answer.location?.pathname).to.equal('/auth/signin')
      expect(answer.location?.searchParams.get('error')).to.equal('MissingCSRF')
    }
    await app.close()
  })

  it('lead on at once from the page of an application that changes them itself', async () => {
    const app = await start({ pages: { password: '/own' } })
    const ada = app.visitor()
    const signInPage = await ada.get('/auth/signin')
    const csrfToken = csrfIn(signInPage)
    const form = (fields: Record<string, string>) => ({ csrfToken, callbackUrl: '/inbox', ...fields })
    const asPage = { accept: 'text/html' }
    await ada.post('/auth/password', form({ email: ADDRESS }), asPage)
    const token = new URL(lastLink(), app.origin).searchParams.get('token') ?? ''
    await ada.post('/auth/password/choose', form({ token, newPassword: GOOD }), asPage)
    const own = { csrfToken: csrfIn(await ada.get('/auth/signin')) }
    const changed = await ada.post(
      '/auth/password/change',
      form({ ...own, password: GOOD, newPassword: OTHER }),
      asPage,
    )
    expect(changed.location?.pathname).to.equal('/inbox')
    const removed = await ada.post('/auth/password/remove', form(own), asPage)
    expect(removed.location?.pathname).to.equal('/inbox')
    await app.close()
  })

  it('are what an application reads that somebody signs up with, in every callback and event', async () => {
    const told: unknown[] = []
    const note =
      (name: string) =>
      ({ account }: { account?: { provider: string; type: string } | null }) => {
        told.push([name, account?.provider, account?.type])
        return true
      }
    const app = await start({
      callbacks: { signIn: note('may sign in'), signUp: note('may sign up') },
      events: {
        signIn: (message) => void note('signed in')(message),
        security: ({ type, provider }) => void told.push([type, provider]),
      },
    })
    await choose(app.visitor(), GOOD)
    expect(told).to.deep.equal([
      ['may sign in', 'password', 'email'],
      ['may sign in', 'password', 'email'],
      ['may sign up', 'password', 'email'],
      ['signed in', 'password', 'email'],
      ['sign-in', 'password'],
    ])
    // A mailed link that signs somebody in stays one of its own provider, as with Auth.js.
    told.length = 0
    const bob = app.visitor()
    await bob.post('/auth/signin/nodemailer', {
      csrfToken: csrfIn(await bob.get('/auth/signin')),
      email: 'bob@example.com',
    })
    await bob.get(lastLink())
    expect(told).to.deep.include.members([['signed in', 'nodemailer', 'email']])
    await app.close()
  })

  it('are asked for under one name by who is new, and under another by who has forgotten one', async () => {
    const app = await start()
    const page = await app.visitor().get('/auth/signin')
    const links = elements(page.text, 'a').map((link) => link.get('href') ?? '')
    expect(links.map((link) => new URL(link, app.origin).pathname + new URL(link, app.origin).search)).to.deep.equal([
      '/auth/password',
      '/auth/password?new',
    ])
    const ada = app.visitor()
    const forgot = await ada.get('/auth/password')
    expect(visibleText(forgot.text))
      .to.match(/Choose a password by e-mail.*Go to sign-in/)
      .and.not.include('account')
    const isNew = await ada.get('/auth/password?new')
    expect(visibleText(isNew.text)).to.include('Create an account')
    // Nobody who is refused has to begin anew.
    const wrong = await send(ada, isNew, '/password?new', { email: 'ada' })
    expect([wrong.status, visibleText(wrong.text).includes('Create an account')]).to.deep.equal([422, true])
    const sent = await send(ada, wrong, '/password?new', { email: ADDRESS })
    expect(elements(sent.text, 'a').map((link) => link.get('href'))).to.deep.equal([`${app.origin}/auth/password?new`])
    await app.close()
  })

  it('are asked for with the address that the sign-in page knows, which is in no URL', async () => {
    const app = await start()
    const addressAt = async (visitor: Visitor, path: string) => {
      const page = await visitor.get(path, { accept: 'text/html' })
      return formsOf(page).find(({ action }) => action.includes('/auth/password'))?.fields['email']
    }
    for (const path of ['/auth/password', '/auth/password?new']) {
      const ada = app.visitor()
      const failed = await signIn(ada, OTHER)
      expect(failed.location?.href).to.not.include('ada')
      await ada.get(failed.location?.href ?? '', { accept: 'text/html' })
      expect(await addressAt(ada, path)).to.equal(ADDRESS)
      // Whoever opens the page later finds nothing of it.
      expect(await addressAt(ada, path)).to.equal('')
    }
    const hinted = app.visitor()
    const page = await hinted.get(`/auth/signin?email=${ADDRESS}`, { accept: 'text/html' })
    expect(page.setCookie.join() + elements(page.text, 'a').map((link) => link.get('href'))).to.not.match(
      /ada(?:@|%40)/,
    )
    expect(page.setCookie.join(), 'while the page is read').to.include('note=').and.include('Max-Age=900')
    expect(await addressAt(hinted, '/auth/password')).to.equal(ADDRESS)
    // The page of somebody else in the same browser.
    await hinted.get(`/auth/signin?email=${ADDRESS}`)
    await hinted.get('/auth/signin')
    expect(await addressAt(hinted, '/auth/password')).to.equal('')
    await app.close()
  })

  it('are asked for with no address of whoever used the browser before, and with none that another site has chosen', async () => {
    const app = await start()
    await choose(app.visitor(), GOOD)
    const html = { accept: 'text/html' }
    const isFilledIn = async (visitor: Visitor) => (await visitor.get('/auth/password', html)).text.includes('before@')
    const visitor = app.visitor()
    const page = await visitor.get('/auth/signin?email=before@example.com', html)
    await send(visitor, page, '/callback/password', { email: ADDRESS, password: GOOD })
    expect([await addressOf(visitor), await isFilledIn(visitor)], 'after a sign-in').to.deep.equal([ADDRESS, false])
    await visitor.get('/auth/signin?email=before@example.com', html)
    await send(visitor, await visitor.get('/auth/signout', html), '/signout', {})
    expect([await addressOf(visitor), await isFilledIn(visitor)], 'after a sign-out').to.deep.equal([undefined, false])
    for (const [site, isLeft] of [
      ['cross-site', false],
      ['same-site', false],
      ['same-origin', true],
      ['none', true],
    ] as const) {
      await visitor.get('/auth/signin?email=before@example.com', { ...html, 'sec-fetch-site': site })
      expect(await isFilledIn(visitor), site).to.equal(isLeft)
    }
    await app.close()
  })

  for (const signUp of ['closed', 'invited'] as const) {
    it(`offer no account where sign-ups are ${signUp}`, async () => {
      const app = await start({ signUp, url: 'http://app.example' })
      for (const path of ['/auth/password', '/auth/password?new']) {
        const { text } = await app.visitor().get(path)
        expect(visibleText(text))
          .to.include('Choose a password by e-mail')
          .and.not.match(/account/i)
      }
      await app.close()
    })
  }

  it('put the cursor into the first field, or into the one that was wrong, which a screen reader hears of', async () => {
    const app = await start()
    const ada = app.visitor()
    const cursor = (answer: Answer) =>
      elements(answer.text, 'input').flatMap((input) =>
        input.has('autofocus') ? [[input.get('name'), input.get('aria-invalid'), input.get('aria-describedby')]] : [],
      )
    for (const path of ['/auth/password', '/auth/password?new'])
      expect(cursor(await ada.get(path))).to.deep.equal([['email', undefined, undefined]])
    expect(cursor(await ask(ada, 'ada'))).to.deep.equal([['email', 'true', 'message']])
    await ask(ada)
    const link = await ada.get(lastLink())
    expect(cursor(link)).to.deep.equal([['newPassword', undefined, undefined]])
    await send(ada, link, '/password/choose', { newPassword: GOOD })
    const page = await ada.get('/auth/password/change')
    expect(cursor(page)).to.deep.equal([['password', undefined, undefined]])
    const wrong = await send(ada, page, '/password/change', { password: OTHER, newPassword: OTHER })
    expect(cursor(wrong)).to.deep.equal([['password', 'true', 'message']])
    const short = await send(ada, wrong, '/password/change', { password: GOOD, newPassword: 'short' })
    expect(cursor(short)).to.deep.equal([['newPassword', 'true', 'message']])
    const old = await ada.get('/auth/password/choose?token=x', { accept: 'text/html' })
    expect([old.status, cursor(old)]).to.deep.equal([400, [['email', undefined, undefined]]])
    await app.close()
  })

  it('PWD-10: show the form again, with the address, when no mail can be sent, whoever has it', async () => {
    const failing = await startMailServer(() => true)
    const providers = [Password(), Nodemailer({ server: failing.url, from: 'no-reply@example.com' })]
    const adapter = memoryAdapter()
    await adapter.createUser({ id: 'ada', email: ADDRESS, emailVerified: new Date() } as never)
    const { logger, errors } = createLog()
    const app = await start({ providers, adapter, logger })
    for (const email of [ADDRESS, 'eve@example.com']) {
      const answer = await ask(app.visitor(), email)
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '5'])
      expect(visibleText(answer.text))
        .to.include('We cannot send e-mails right now')
        .and.not.include('Check the address')
      expect(answer.text).to.include(`value="${email}"`)
    }
    expect(errors.map(({ name }) => name)).to.deep.equal(['EmailSignInError', 'EmailSignInError'])
    expect(inspect(errors, { depth: 9 })).to.not.include('eve@')
    await Promise.all([app.close(), failing.close()])
  })

  it('send another link from the page that says where the first one went, and show again what was no address', async () => {
    const app = await start()
    const ada = app.visitor()
    const wrong = await ask(ada, 'ada')
    expect(wrong.status).to.equal(422)
    expect(wrong.text).to.include('value="ada"')
    const sent = await send(ada, wrong, '/password', { email: ADDRESS })
    const again = await send(ada, sent, '/password', {})
    expect(again.status).to.equal(200)
    expect(server.delivered.map(({ to }) => to)).to.deep.equal([[ADDRESS], [ADDRESS]])
    await app.close()
  })

  it('need an e-mail provider that sends, and do not ask for one beside one that is misspelt', () => {
    const withMail = (more: object) => () =>
      resolveConfig(testConfig({ adapter: memoryAdapter(), providers: [Password(), ...Object.values(more)] }))
    expect(withMail({})).to.throw('no e-mail provider can send them')
    expect(withMail({ second: Password({ id: 'second', minLength: 64 }) })).to.throw('Leave out all but one Password()')
    const misspelt = Nodemailer({ server: server.url, form: 'no-reply@example.com' } as never)
    expect(withMail({ misspelt })).to.throw('Did you mean `from`?').with.property('message').not.include('can send')
  })

  it('lead to a page of the application in place of theirs, with the token of the link', async () => {
    const app = await start({ pages: { password: '/my/password' } })
    const ada = app.visitor()
    const queryOf = async (path: string) => {
      const { location } = await ada.get(path)
      return [location?.pathname, Object.fromEntries(location?.searchParams ?? [])]
    }
    const callbackUrl = `${app.origin}/inbox`
    const asked = 'callbackUrl=/inbox'
    expect(await queryOf(`/auth/password?${asked}`)).to.deep.equal(['/my/password', { form: 'ask', callbackUrl }])
    expect(await queryOf(`/auth/password?new&${asked}`)).to.deep.equal(['/my/password', { form: 'new', callbackUrl }])
    const { csrfToken } = (await ada.get('/auth/csrf')).json()
    await ada.post('/auth/password', { csrfToken, email: ADDRESS, callbackUrl: '/inbox' })
    const led = (await ada.get(lastLink())).location
    expect(led?.pathname).to.equal('/my/password')
    expect(led?.searchParams.get('callbackUrl')).to.equal(callbackUrl)
    expect(led?.searchParams.get('form')).to.equal('choose')
    const token = led?.searchParams.get('token') ?? ''
    const done = await ada.post('/auth/password/choose', { csrfToken, token, newPassword: GOOD })
    expect(done.location?.pathname).to.equal('/')
    expect(await addressOf(ada)).to.equal(ADDRESS)
    expect(await queryOf(`/auth/password/change?${asked}`)).to.deep.equal([
      '/my/password',
      { form: 'change', callbackUrl },
    ])
    await app.close()
  })

  it('PWD-05: the fields say to password managers what they are', async () => {
    const app = await start()
    const ada = app.visitor()
    await ask(ada)
    const chosen = await ada.get(lastLink())
    expect(chosen.text).to.match(
      /value="ada@example\.com"[^>]*autocomplete="username"|autocomplete="username"[^>]*value="ada@/,
    )
    await send(ada, chosen, '/password/choose', { newPassword: GOOD })
    const change = (await ada.get('/auth/password/change')).text
    const fields = [...change.matchAll(/<input [^>]*type="password"[^>]*>/g)].map(([field]) => field)
    const hints = fields.map((field) => /autocomplete="([^"]*)"/.exec(field)?.[1])
    expect(hints).to.deep.equal(['current-password', 'new-password'])
    await app.close()
  })

  it('PWD-01, PWD-02, PWD-03, PWD-04: refuses what is easy to guess, and nothing else, says why, and keeps the link', async () => {
    const app = await start({ theme: { name: 'Harbour Papers' } })
    const ada = app.visitor()
    await ask(ada)
    let page = await ada.get(lastLink())
    for (const [password, why] of [
      ['fourteen chars', 'too short'],
      ['x'.repeat(2000), 'too long'],
      ['passwordpassword', 'too easy to guess'],
      ['ababababababababab', 'too easy to guess'],
      ['ada@example.com!', 'little more than your name'],
      ['harbour-papers 1', 'little more than your name'],
    ] as const) {
      page = await send(ada, page, '/password/choose', { newPassword: password })
      expect(page.status, password).to.equal(422)
      expect(visibleText(page.text), password).to.include(why)
    }
    const done = await send(ada, page, '/password/choose', { newPassword: `${'光'.repeat(5)} 🐎 battery staple` })
    expect(done.location?.pathname).to.equal('/inbox')
    await app.close()
  })
})
