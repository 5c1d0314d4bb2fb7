// Mailed links: the provider of the mailbox takes the place of that of the application.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import express from 'express'
import { expressAuth } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import { testMailbox } from 'latchkey/testing'
import request from 'supertest'

const mailbox = testMailbox()
const config = {
  secret: 'a secret of this test, with thirty-two characters at least',
  url: 'http://localhost:3000',
  adapter: memoryAdapter(),
  providers: [mailbox.provider()],
}
const app = express().use('/auth', expressAuth(config))

it('signs in with a mailed link', async () => {
  const browser = request.agent(app)
  const { csrfToken } = (await browser.get('/auth/csrf')).body
  await browser.post('/auth/signin/email').type('form').send({ csrfToken, email: 'ada@example.com' })
  const link = new URL(await mailbox.linkFor('ada@example.com'))
  await browser.get(link.pathname + link.search)
  const { body } = await browser.get('/auth/session')
  assert.equal(body.user.email, 'ada@example.com')
})
