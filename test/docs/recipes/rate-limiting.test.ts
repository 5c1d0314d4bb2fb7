import { expect } from 'chai'
import type { Express } from 'express'
import { listen, type Running, SECRET } from '../../support/app.js'
import { sendRaw } from '../../support/raw-http.js'
import { type MailServer, startMailServer } from '../../support/smtp.js'
import { loadRecipe, useVariables } from './recipe.js'

describe('examples/recipes/rate-limiting.ts', () => {
  let mails: MailServer
  let app: Running
  useVariables({ AUTH_SECRET: SECRET })

  before(async () => {
    mails = await startMailServer()
    process.env['SMTP_URL'] = mails.url
  })
  beforeEach(async () => {
    // Its own counts for each test: the limits are in the memory of the application.
    const { app: made } = await loadRecipe<{ app: Express }>('rate-limiting.ts', (code) =>
      // Fifty refused sign-ins would fill the output of the test.
      code.replace('  adapter,\n', '  adapter,\n  logger: { info: () => {} },\n'),
    )
    app = await listen(made)
  })
  afterEach(() => app.close())
  after(() => mails?.close())

  /** Tries a password, as the visitor with this network address. */
  async function attempt(email: string, password: string, ip = '203.0.113.7', path = '/auth/callback/credentials') {
    const visitor = app.visitor()
    const csrfToken = await visitor.csrfToken()
    const { status, location, headers } = await visitor.post(
      path,
      { csrfToken, email, password },
      { 'x-forwarded-for': ip },
    )
    return { status, headers, error: location?.searchParams.get('error') ?? null }
  }

  it('refuses the eleventh wrong password of an account, wherever it comes from, and the right one as well', async () => {
    for (let index = 0; index < 10; index += 1) {
      expect((await attempt('Ada@example.com', `guess ${index}`, `203.0.113.${index}`)).error).to.equal(
        'CredentialsSignin',
      )
    }
    for (const path of ['/auth/callback/credentials', '/auth/CALLBACK/credentials/', '/auth/callback/%63redentials']) {
      const { status, headers } = await attempt(' ada@EXAMPLE.com', 'analytical engine', '203.0.113.99', path)
      expect([status, Number(headers.get('retry-after')) > 0], path).to.deep.equal([429, true])
    }
    expect((await attempt('grace@example.com', 'x', '203.0.113.99')).error, 'another account').to.equal(
      'CredentialsSignin',
    )
  })

  it('refuses a network address that tries many accounts', async () => {
    for (let index = 0; index < 30; index += 1) await attempt(`person${index}@example.com`, 'password')
    expect((await attempt('ada@example.com', 'analytical engine')).status).to.equal(429)
    expect((await attempt('ada@example.com', 'analytical engine', '203.0.113.8')).error).to.equal(null)
  })

  it('does not count who types the right password', async () => {
    for (let index = 0; index < 15; index += 1) {
      expect(await attempt('ada@example.com', 'analytical engine')).to.include({ status: 302, error: null })
    }
  })

  it('does not count requests without an account together, such as the sign-outs of all people', async () => {
    for (let index = 0; index < 25; index += 1) {
      const visitor = app.visitor()
      const { status } = await visitor.post('/auth/signout', { csrfToken: await visitor.csrfToken() })
      expect(status).to.equal(302)
    }
  })

  it('lets no body pass that the parsers have left alone (CSRF-05)', async () => {
    const visitor = app.visitor()
    const csrfToken = await visitor.csrfToken()
    const body = JSON.stringify({ csrfToken, email: 'hidden@example.com' })
    for (const type of [
      'application/json; x',
      'application/json;charset',
      'application/json\xa0',
      'application/json;',
      'text/plain',
    ]) {
      const { status } = await sendRaw(app.origin, '/auth/signin/nodemailer', {
        method: 'POST',
        body,
        headers: { cookie: visitor.cookieHeader(), 'content-type': type, 'content-length': String(body.length) },
      })
      expect(status, type).to.equal(415)
    }
    expect(mails.delivered.filter(({ to }) => to.includes('hidden@example.com'))).to.have.length(0)
  })

  it('folds no more than a thousand characters of an address, since folding more takes long', async () => {
    const { normalize } = String.prototype
    const lengths: number[] = []
    String.prototype.normalize = function (this: string, form?: string) {
      lengths.push(this.length)
      return normalize.call(this, form)
    }
    try {
      await attempt(`a${'\u0315\u0300'.repeat(4000)}@app.example`, 'x')
    } finally {
      String.prototype.normalize = normalize
    }
    expect(Math.max(...lengths)).to.equal(1000)
  })

  it('limits the mails to one address', async () => {
    const ask = async (email: string) => {
      const visitor = app.visitor()
      return (await visitor.post('/auth/signin/nodemailer', { csrfToken: await visitor.csrfToken(), email })).status
    }
    for (let index = 0; index < 20; index += 1) expect(await ask('victim@example.com')).to.equal(302)
    for (const spelling of ['Victim@example.com', 'ｖictim@example.com', ' victim@example.com ']) {
      expect(await ask(spelling), spelling).to.equal(429)
    }
    expect(mails.delivered.filter(({ to }) => to.includes('victim@example.com'))).to.have.length(20)
    expect(await ask('grace@example.com')).to.equal(302)
  })
})
