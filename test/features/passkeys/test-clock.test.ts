import { expect } from 'chai'
import express from 'express'
import supertest from 'supertest'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { expressAuth } from '../../../lib/index.js'
import Passkey from '../../../lib/providers/passkey.js'
import { softwareAuthenticator, testClock } from '../../../lib/testing/index.js'
import { testConfig } from '../../support/app.js'

const ORIGIN = 'http://localhost:3000'

describe('testClock', () => {
  it('ends a ceremony of a passkey', async () => {
    const clock = testClock()
    try {
      const config = testConfig({ adapter: memoryAdapter(), url: ORIGIN, providers: [Passkey()] })
      const browser = supertest.agent(express().use('/auth', expressAuth(config)))
      const { body } = await browser.get('/auth/webauthn-options/passkey').query({ email: 'ada@example.com' })
      clock.advance({ minutes: 11 })
      const fields = softwareAuthenticator({ origin: ORIGIN }).answer(body)
      const { headers } = await browser.post('/auth/callback/passkey').type('form').send(fields)
      expect(headers['location']).to.equal(`${ORIGIN}/auth/error?error=WebAuthnVerificationError`)
    } finally {
      clock.restore()
    }
  })
})
