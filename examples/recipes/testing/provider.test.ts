// An OpenID provider that signs in whom the test names, and does wrong what the test says.
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import express from 'express'
import { type AuthConfig, expressAuth } from 'latchkey'
import { fakeOpenIdProvider } from 'latchkey/testing'
import request from 'supertest'

const provider = await fakeOpenIdProvider()
const config: AuthConfig = {
  secret: 'a secret of this test, with thirty-two characters at least',
  url: 'http://localhost:3000',
  providers: [provider.entry()],
}
const app = express().use('/auth', expressAuth(config))

after(() => provider.close())

/** Presses the button of the provider; gives the answer with which the application ends the sign-in. */
async function signIn(browser: ReturnType<typeof request.agent>) {
  const { csrfToken } = (await browser.get('/auth/csrf')).body
  const toProvider = await browser.post('/auth/signin/fake').type('form').send({ csrfToken })
  const back = await provider.visit(toProvider.headers['location'])
  return browser.get(back.pathname + back.search)
}

it('signs Ada in', async () => {
  const browser = request.agent(app)
  provider.nextUser = { sub: 'ada-1815', name: 'Ada', email: 'ada@example.com' }
  await signIn(browser)
  const { body } = await browser.get('/auth/session')
  assert.equal(body.user.name, 'Ada')
})

it('shows a page of ours when the provider answers with nonsense', async () => {
  const browser = request.agent(app)
  provider.misbehave('wrong-nonce')
  const { headers } = await signIn(browser)
  assert.match(headers['location'] ?? '', /\/auth\/error\?error=Configuration$/)
})
