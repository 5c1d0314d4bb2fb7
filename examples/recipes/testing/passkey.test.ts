// Passkeys without a browser.

import { it } from 'node:test'
import { softwareAuthenticator } from 'latchkey/testing'
import request from 'supertest'
import { app } from './app.js'

it('signs up with a passkey', async () => {
  const authenticator = softwareAuthenticator({ origin: 'http://localhost:3000' })
  const browser = request.agent(app)
  const { body } = await browser.get('/auth/webauthn-options/passkey').query({ email: 'ada@example.com' })
  await browser.post('/auth/callback/passkey').type('form').send(authenticator.answer(body)).expect(302)
  await browser.get('/invoices').expect(200)
})
