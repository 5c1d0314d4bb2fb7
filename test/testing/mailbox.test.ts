import { expect } from 'chai'
import express from 'express'
import supertest from 'supertest'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { expressAuth, inviteUser } from '../../lib/index.js'
import Password from '../../lib/providers/password.js'
import { csrfFor, testMailbox } from '../../lib/testing/index.js'
import { testConfig } from '../support/app.js'

const setUp = () => {
  const mailbox = testMailbox()
  const config = testConfig({
    adapter: memoryAdapter(),
    url: 'http://localhost:3000',
    providers: [mailbox.provider({ name: 'Mail' })],
  })
  const app = express().use('/auth', expressAuth(config))
  const ask = async (email: string) => {
    const { csrfToken, cookie } = await csrfFor(config)
    return supertest(app).post('/auth/signin/email').type('form').set('Cookie', cookie).send({ csrfToken, email })
  }
  return { mailbox, app, ask }
}

describe('testMailbox', () => {
  it('keeps the mail, whose link signs in', async () => {
    const { mailbox, app, ask } = setUp()
    const answer = await ask('Ada@Example.com')
    const link = new URL(await mailbox.linkFor('Ada@Example.com'))
    expect(mailbox.messages[0]).to.include({ to: 'ada@example.com', subject: 'Sign in to localhost:3000' })
    expect(mailbox.messages[0]?.text).to.include(link.href)
    const cookies = (answer.get('Set-Cookie') ?? []).map((line) => line.split(';')[0]).join('; ')
    const opened = await supertest(app)
      .get(link.pathname + link.search)
      .set('Cookie', cookies)
    expect(opened.get('Set-Cookie')?.join()).to.include('session-token')
  })

  it('waits for a mail that has not been sent yet', async () => {
    const { mailbox, ask } = setUp()
    const waiting = mailbox.linkFor('ada@example.com')
    await ask('grace@example.com')
    await ask('ada@example.com')
    expect(new URL(await waiting).searchParams.get('email')).to.equal('ada@example.com')
  })

  it('gives up when no mail comes, and says who got mail', async () => {
    const { mailbox, ask } = setUp()
    const failure = (address: string) =>
      mailbox.linkFor(address, { timeout: 20 }).catch((error: Error) => error.message)
    expect(await failure('nobody@example.com'))
      .to.include('nobody@example.com')
      .and.include('No address got mail.')
    await ask('grace@example.com')
    expect(await failure('nobody@example.com')).to.include('Mail went to: grace@example.com.')
  })

  it('gives the newest link, and forgets all with clear()', async () => {
    const { mailbox, ask } = setUp()
    await ask('ada@example.com')
    const first = await mailbox.linkFor('ada@example.com')
    await ask('ada@example.com')
    expect(await mailbox.linkFor('ada@example.com')).to.not.equal(first)
    mailbox.clear()
    expect(mailbox.messages).to.have.length(0)
  })

  it('has the links of passwords and invitations, and notices, which lead nowhere', async () => {
    const mailbox = testMailbox()
    const config = testConfig({
      adapter: memoryAdapter(),
      url: 'http://localhost:3000',
      providers: [Password(), mailbox.provider()],
      session: { strategy: 'database' },
    })
    const app = express().use('/auth', expressAuth(config))
    const browser = supertest.agent(app)
    const choose = async (newPassword: string) => {
      const { csrfToken } = (await browser.get('/auth/csrf')).body
      await browser.post('/auth/password').type('form').send({ csrfToken, email: 'ada@example.com' }).expect(302)
      const link = new URL(await mailbox.linkFor('ada@example.com'))
      const token = link.searchParams.get('token')
      await browser.post(link.pathname).type('form').send({ csrfToken, token, newPassword }).expect(302)
      return link
    }
    const link = await choose('copper lantern under seven bridges')
    expect((await browser.get('/auth/session')).body.user.email).to.equal('ada@example.com')
    expect(mailbox.messages[0]).to.include({ kind: 'password-link', url: link.href, code: '' })
    const next = await choose('nine quiet windows facing the harbour')
    expect(mailbox.messages.at(-1)?.kind).to.equal('password-changed')
    expect(await mailbox.linkFor('ada@example.com')).to.equal(next.href)

    await inviteUser({ ...config, signUp: 'invited' }, { email: 'grace@example.com' })
    expect(await mailbox.linkFor('grace@example.com')).to.include('/auth/signin')
    expect(mailbox.messages.at(-1)).to.include({ kind: 'invitation', to: 'grace@example.com' })
  })
})
