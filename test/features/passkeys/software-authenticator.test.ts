import { expect } from 'chai'
import express from 'express'
import supertest from 'supertest'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { expressAuth } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import { csrfFor, signInAs, softwareAuthenticator } from '../../../lib/testing/index.js'
import { createLog, testConfig } from '../../support/app.js'

const ORIGIN = 'http://localhost:3000'

const setUp = () => {
  const log = createLog()
  const config = testConfig({ adapter: memoryAdapter(), url: ORIGIN, providers: [Passkey()], logger: log.logger })
  const app = express().use('/auth', expressAuth(config))
  const browser = () => {
    const agent = supertest.agent(app)
    return {
      options: async (query: { action?: string; email?: string }) =>
        (await agent.get('/auth/webauthn-options/passkey').query(query)).body,
      send: (fields: object) => agent.post('/auth/callback/passkey').type('form').send(fields),
      session: async () => (await agent.get('/auth/session')).body,
    }
  }
  return { config, browser, log }
}

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('softwareAuthenticator', () => {
  it('signs up with a passkey, and in again in another browser, with and without a name', async () => {
    const { browser, log } = setUp()
    const device = softwareAuthenticator({ origin: ORIGIN })
    for (const query of [{ email: 'ada@example.com' }, { email: 'ada@example.com' }, { action: 'authenticate' }]) {
      const visitor = browser()
      await visitor.send(device.answer(await visitor.options(query))).expect(302)
      expect(await visitor.session(), log.errors.join()).to.have.nested.property('user.email', 'ada@example.com')
    }
    expect(device.passkeys).to.have.length(1)
    expect(device.passkeys[0]).to.include({ rpId: 'localhost', userName: 'ada@example.com' })
    expect(log.errors).to.deep.equal([])
  })

  it('adds a passkey to somebody whom signInAs has signed in', async () => {
    const { config, browser } = setUp()
    const device = softwareAuthenticator({ origin: ORIGIN })
    const ada = await signInAs(config, { email: 'ada@example.com' })
    const app = express().use('/auth', expressAuth(config))
    const options = await supertest(app)
      .get('/auth/webauthn-options/passkey?action=register')
      .set('Cookie', ada.cookie)
      .expect(200)
    const ceremony = (options.get('Set-Cookie') ?? []).map((line) => line.split(';')[0]).join('; ')
    const { csrfToken, cookie } = await csrfFor(config, { cookie: `${ada.cookie}; ${ceremony}` })
    await supertest(app)
      .post('/auth/callback/passkey')
      .type('form')
      .set('Cookie', cookie)
      .send({ csrfToken, ...device.answer(options.body) })
      .expect(302)
    const visitor = browser()
    await visitor.send(device.answer(await visitor.options({ action: 'authenticate' })))
    expect(await visitor.session()).to.have.nested.property('user.email', 'ada@example.com')
  })

  it('refuses a second passkey for the same user, as a browser does', async () => {
    const { browser } = setUp()
    const device = softwareAuthenticator({ origin: ORIGIN })
    const visitor = browser()
    await visitor.send(device.answer(await visitor.options({ email: 'ada@example.com' })))
    const more = await visitor.options({ action: 'register' })
    expect(more.options.excludeCredentials).to.have.length(1)
    expect(thrownBy(() => device.answer(more))).to.include({ name: 'InvalidStateError' })
    const another = softwareAuthenticator({ origin: ORIGIN })
    await visitor.send(another.answer(more)).expect(302)
    expect(another.passkeys).to.have.length(1)
  })

  it('has no passkey of another user, and none of another site', async () => {
    const { browser } = setUp()
    const visitor = browser()
    await visitor.send(
      softwareAuthenticator({ origin: ORIGIN }).answer(await visitor.options({ email: 'ada@example.com' })),
    )
    const grace = softwareAuthenticator({ origin: ORIGIN })
    const options = await browser().options({ email: 'ada@example.com' })
    expect(thrownBy(() => grace.answer(options))).to.include({ name: 'NotAllowedError' })
  })

  it('is refused where its page is of another origin', async () => {
    const { browser, log } = setUp()
    const visitor = browser()
    const elsewhere = softwareAuthenticator({ origin: 'http://localhost:4000' })
    const { headers } = await visitor.send(elsewhere.answer(await visitor.options({ email: 'ada@example.com' })))
    expect(headers['location']).to.include('error=WebAuthnVerificationError')
    expect(log.errors.join()).to.include('relayingParty.origin')
    expect(await visitor.session()).to.equal(null)
  })

  it('verifies its owner only while the test says so', async () => {
    const { browser } = setUp()
    const device = softwareAuthenticator({ origin: ORIGIN, userVerified: false })
    const options = await browser().options({ email: 'ada@example.com' })
    const demanding = {
      ...options,
      options: { ...options.options, authenticatorSelection: { userVerification: 'required' } },
    }
    expect(thrownBy(() => device.answer(demanding))).to.include({ name: 'NotAllowedError' })
    expect(device.passkeys).to.deep.equal([])
    device.userVerified = true
    expect(device.answer(demanding).action).to.equal('register')
  })

  it('refuses ids that a page of the origin may not have, and algorithms that it lacks', () => {
    const options = (id?: string, alg = -7) => ({
      challenge: 'AAAA',
      rp: { ...(id !== undefined && { id }) },
      user: { id: 'AAAA', name: 'ada' },
      pubKeyCredParams: [{ alg }],
    })
    const nameOf = (origin: string, ...given: Parameters<typeof options>) =>
      (thrownBy(() => softwareAuthenticator({ origin }).create(options(...given))) as { name?: string }).name
    expect(nameOf('https://app.example.com', 'example.com')).to.equal(undefined)
    expect(nameOf('https://app.example.com')).to.equal(undefined)
    expect(nameOf('https://app.example.com', 'ample.com')).to.equal('SecurityError')
    expect(nameOf('https://app.example.com', 'example.org')).to.equal('SecurityError')
    expect(nameOf('http://127.0.0.1:3000')).to.equal('SecurityError')
    expect(nameOf('http://[::1]:3000')).to.equal('SecurityError')
    expect(nameOf('https://app.example.com', 'example.com', -257)).to.equal('NotSupportedError')
  })

  it('says what it got instead of options', () => {
    const device = softwareAuthenticator({ origin: ORIGIN })
    expect(() => device.answer({ error: 'Invalid request' })).to.throw('but {"error":"Invalid request"}')
    expect(() => device.answer(null)).to.throw('but null')
    expect(() => softwareAuthenticator({ origin: 'localhost' })).to.throw('`origin` must be an origin')
  })
})
