import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { AccessDenied, AdapterError, CredentialsSignin, EmailSignInError } from '../../../lib/kernel/errors.js'
import type { SignInCallbackParams } from '../../../lib/sign-in/ask-signin.js'
import { SECRET } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { ADDRESS, ORIGIN, openMailFlow, slowAdapter } from '../../support/mailbox.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('POST signin/:email provider', () => {
  it('sends a link, and the visitor to the page that says so', async () => {
    const { mails, browser, clock, provider } = openMailFlow()
    const started = await browser().ask(' Ada@EXAMPLE.com ')
    expect(started).to.include({ url: `${ORIGIN}/auth/verify-request?provider=email&type=email` })
    expect(mails).to.have.length(1)
    const [mail] = mails
    expect(mail?.identifier).to.equal(ADDRESS)
    expect(mail?.token).to.match(/^[0-9a-f]{64}$/)
    expect(mail?.url).to.equal(
      `${ORIGIN}/auth/callback/email?callbackUrl=https%3A%2F%2Fapp.example%2Finbox&token=${mail?.token}&email=ada%40example.com`,
    )
    expect(mail?.expires).to.deep.equal(new Date(clock.ms + 86_400_000))
    expect(mail?.provider).to.equal(provider.source)
    expect(mail?.theme).to.deep.equal({ colorScheme: 'auto', logo: '', brandColor: '', buttonText: '' })
    expect(mail?.request.url).to.equal(`${ORIGIN}/auth/signin/email`)
    expect(mail?.request.method).to.equal('POST')
    expect(await mail?.request.json()).to.include({ email: ' Ada@EXAMPLE.com ' })
    expect(mail?.message?.subject).to.equal('Sign in to app.example')
    expect(mail?.message?.text).to.include(mail?.url)
  })

  it('stores a hash of the token, before the mail goes out', async () => {
    const { adapter, calls } = slowAdapter()
    const rows: unknown[] = []
    const create = adapter.createVerificationToken
    adapter.createVerificationToken = (row) => {
      rows.push(row)
      return create(row)
    }
    let stored: readonly string[] = []
    let token = ''
    const { browser, clock } = openMailFlow({
      adapter,
      options: {
        sendVerificationRequest: (params) => {
          stored = [...calls]
          token = params.token
        },
      },
    })
    await browser().ask()
    expect(stored).to.deep.equal(['getUserByEmail', 'createVerificationToken'])
    expect(rows).to.deep.equal([
      { identifier: ADDRESS, token: sha256(token + SECRET), expires: new Date(clock.ms + 86_400_000) },
    ])
  })

  it('takes token, secret and lifetime from the provider', async () => {
    const rows: { token: string; expires: Date }[] = []
    const adapter = memoryAdapter()
    adapter.createVerificationToken = (row) => {
      rows.push(row)
      return row
    }
    const { browser, mails, clock } = openMailFlow({
      adapter,
      options: { generateVerificationToken: async () => '482913', secret: 'mail secret', maxAge: 600 },
    })
    await browser().ask()
    expect(mails[0]?.token).to.equal('482913')
    expect(rows).to.deep.equal([
      { identifier: ADDRESS, token: sha256('482913mail secret'), expires: new Date(clock.ms + 600_000) },
    ])
    expect(mails[0]?.message?.text).to.match(/within the next\s+10 minutes/)
  })

  it('leaves a marker in the browser that asked, at most five of them, each for an hour more than its link', async () => {
    const { browser, clock } = openMailFlow({ options: { maxAge: 600 } })
    const ada = browser()
    const started = await ada.ask()
    const [cookie] = 'cookies' in started ? started.cookies : []
    expect(cookie?.name).to.match(/^__Host-authjs\.email-request\.[\w-]{8}$/)
    expect(cookie?.options).to.deep.equal({
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      secure: true,
      maxAge: 600 + 3600,
    })
    const first = cookie?.name ?? ''
    for (let again = 0; again < 4; again++) {
      clock.advance(1)
      await ada.ask()
    }
    expect(ada.marks.length).to.equal(5)
    expect(ada.jar.has(first)).to.equal(true)
    clock.advance(1)
    await ada.ask()
    expect(ada.marks.length).to.equal(5)
    expect(ada.jar.has(first), 'the oldest goes').to.equal(false)
  })

  describe('asks the signIn callback first', () => {
    it('with the stored user, or with somebody new', async () => {
      const asked: SignInCallbackParams[] = []
      const adapter = memoryAdapter()
      const stored = { id: '1815', email: ADDRESS, emailVerified: null, name: 'Ada' }
      await adapter.createUser(stored)
      const { browser } = openMailFlow({ adapter, signIn: (params) => asked.push(params) > 0 })
      await browser().ask()
      await browser().ask('grace@example.com')
      const account = { provider: 'email', type: 'email', providerAccountId: ADDRESS, userId: '1815' }
      expect(asked[0]).to.deep.equal({ user: stored, account, email: { verificationRequest: true } })
      expect(asked[1]?.user).to.include({ email: 'grace@example.com', emailVerified: null })
      expect(asked[1]?.user.id).to.match(/^[0-9a-f-]{36}$/)
    })

    it('and sends the visitor where it says', async () => {
      const { adapter, calls } = slowAdapter()
      const { browser, mails } = openMailFlow({ adapter, signIn: () => '/join' })
      expect(await browser().ask()).to.deep.equal({ redirectTo: '/join' })
      expect(mails).to.have.length(0)
      expect(calls).to.deep.equal(['getUserByEmail'])
    })

    const refusals: [string, () => boolean | Promise<boolean>][] = [
      ['false', () => false],
      [
        'a throw',
        () => {
          throw new Error('no')
        },
      ],
      ['a rejection', () => Promise.reject(new Error('no'))],
      [
        'an error of ours',
        () => {
          throw new CredentialsSignin('no')
        },
      ],
    ]
    for (const [what, signIn] of refusals) {
      it(`takes ${what} for a refusal and sends nothing`, async () => {
        const { adapter, calls } = slowAdapter()
        const { browser, mails } = openMailFlow({ adapter, signIn })
        expect(await failureOf(browser().ask())).to.be.instanceOf(AccessDenied)
        expect(mails).to.have.length(0)
        expect(calls).to.not.include('createVerificationToken')
      })
    }
  })

  describe('when the mail cannot be sent', () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    // Mocha listens too and would end the run; what counts here is that there is nothing to hear.
    before(() => void process.on('unhandledRejection', note))
    after(() => void process.off('unhandledRejection', note))

    const failures: [string, () => void | Promise<void>][] = [
      [
        'it throws',
        () => {
          throw new Error('no route to host')
        },
      ],
      ['it rejects at once', () => Promise.reject(new Error('no route to host'))],
      [
        'it rejects later',
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 5))
          throw new Error('no route to host')
        },
      ],
      ['it throws what is no error', () => Promise.reject('no route to host')],
    ]
    for (const [what, sendVerificationRequest] of failures) {
      it(`because ${what}: takes the token back and says so`, async () => {
        const { adapter, calls } = slowAdapter()
        const rows: string[] = []
        const use = adapter.useVerificationToken
        adapter.useVerificationToken = async (key) => {
          const row = await use(key)
          rows.push(row ? 'taken' : 'missing')
          return row
        }
        const { browser } = openMailFlow({ adapter, options: { sendVerificationRequest } })
        const error = await failureOf(browser().ask())
        expect(error).to.be.instanceOf(EmailSignInError).and.include({ type: 'EmailSignInError' })
        expect((error as EmailSignInError).cause?.err?.message).to.equal('no route to host')
        expect(calls).to.deep.equal(['getUserByEmail', 'createVerificationToken', 'useVerificationToken'])
        expect(rows).to.deep.equal(['taken'])
      })
    }

    it('because it never ends: gives up, and what it does later harms nobody', async () => {
      const { adapter, calls } = slowAdapter()
      let reject: (reason: Error) => void = () => {}
      const sendVerificationRequest = () =>
        new Promise<void>((_resolve, refuse) => {
          reject = refuse
        })
      const { browser } = openMailFlow({ adapter, options: { sendVerificationRequest }, sendTimeoutMs: 20 })
      const error = await failureOf(browser().ask())
      expect(error).to.be.instanceOf(EmailSignInError)
      expect((error as EmailSignInError).cause?.err?.message).to.match(/did not end within 20 ms/)
      expect(calls.at(-1)).to.equal('useVerificationToken')
      reject(new Error('much later'))
    })

    it('and the token cannot be taken back either: logs that as well', async () => {
      const adapter = memoryAdapter()
      adapter.useVerificationToken = () => Promise.reject(new Error('the store is down'))
      const sendVerificationRequest = () => Promise.reject(new Error('no route to host'))
      const { browser, log } = openMailFlow({ adapter, options: { sendVerificationRequest } })
      expect(await failureOf(browser().ask())).to.be.instanceOf(EmailSignInError)
      expect(log.errors[0]).to.be.instanceOf(AdapterError)
    })

    it('leaves no unhandled rejection behind', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(unhandled).to.deep.equal([])
    })
  })

  it('sends nothing when the token cannot be stored', async () => {
    const adapter = memoryAdapter()
    adapter.createVerificationToken = () => Promise.reject(new Error('the store is down'))
    const { browser, mails } = openMailFlow({ adapter })
    expect(await failureOf(browser().ask())).to.be.instanceOf(AdapterError)
    expect(mails).to.have.length(0)
  })

  it('names the adapter method that is missing', async () => {
    const { browser } = openMailFlow({ adapter: { getUserByEmail: () => null } })
    expect((await failureOf(browser().ask())).message).to.include('createVerificationToken')
  })

  for (const [what, generateVerificationToken] of [
    ['gives nothing', () => ''],
    ['gives no text', () => 7 as unknown as string],
    ['gives blanks', () => '        '],
    ['gives what is guessed at once', () => '48291'],
    ['rejects', () => Promise.reject(new Error('no'))],
  ] as const) {
    it(`fails when generateVerificationToken ${what}`, async () => {
      const { browser, mails } = openMailFlow({ options: { generateVerificationToken } })
      expect(await failureOf(browser().ask())).to.be.instanceOf(EmailSignInError)
      expect(mails).to.have.length(0)
    })
  }
})
