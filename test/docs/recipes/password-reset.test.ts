import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Express } from 'express'
import type { Kysely } from 'kysely'
import { listen, type Running, SECRET } from '../../support/app.js'
import { submit } from '../../support/forms.js'
import { type MailServer, startMailServer } from '../../support/smtp.js'
import type { Visitor } from '../../support/visitor.js'
import { loadRecipe, useVariables } from './recipe.js'

const EMAIL = 'ada@example.com'

describe('examples/recipes/password-reset.ts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-password-reset-'))
  let recipe: { app: Express; db: Kysely<unknown> }
  let mails: MailServer
  let app: Running
  useVariables({ AUTH_SECRET: SECRET })

  before(async () => {
    mails = await startMailServer()
    process.env['SMTP_URL'] = mails.url
    recipe = await loadRecipe('password-reset.ts', (code) =>
      code.replace("'app.db'", JSON.stringify(join(folder, 'app.db'))),
    )
    app = await listen(recipe.app)
  })
  after(async () => {
    await app?.close()
    await mails?.close()
    await recipe?.db.destroy()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Asks for a mail, and follows its link: gives the address to which it leads. */
  async function followLink(visitor: Visitor): Promise<URL | null> {
    const asked = await submit(visitor, await visitor.get('/forgot'), '/auth/signin/nodemailer', { email: EMAIL })
    expect(asked.location?.pathname).to.equal('/auth/verify-request')
    const text = mails.delivered.at(-1)?.mail.text ?? ''
    expect(mails.delivered.at(-1)?.mail.subject).to.equal('Set a password for Notes')
    const link = new URL(/http:\/\/\S+/.exec(text)?.[0] ?? '')
    return (await visitor.get(link.pathname + link.search)).location
  }

  const save = async (visitor: Visitor, password: string) => {
    const page = await visitor.get('/account/password')
    const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(page.text) ?? []
    // A browser names the page from which it sends a form.
    return visitor.post('/account/password', { csrfToken, password }, { origin: app.origin })
  }

  const signIn = async (password: string) => {
    const visitor = app.visitor()
    const { location } = await visitor.signIn({ email: EMAIL, password })
    return { visitor, error: location?.searchParams.get('error') ?? null }
  }

  it('links from the sign-in page to the form for a mail', async () => {
    expect((await app.visitor().get('/auth/signin')).text).to.include('href="/forgot"')
  })

  it('signs up with a mailed link, and sets the first password', async () => {
    const ada = app.visitor()
    expect((await followLink(ada))?.pathname).to.equal('/account/password')
    expect((await save(ada, 'too short')).status).to.equal(400)
    expect((await save(ada, 'analytical engine')).status).to.equal(303)
    expect((await ada.get('/')).text).to.equal(`Hello ${EMAIL}`)
    expect((await signIn('analytical engine')).error).to.equal(null)
    expect((await signIn('difference engine')).error).to.equal('CredentialsSignin')
  })

  it('replaces a forgotten password, and ends the sessions of whoever knew it', async () => {
    const { visitor: thief } = await signIn('analytical engine')
    const ada = app.visitor()
    await followLink(ada)
    await save(ada, 'sketch of the engine')
    expect((await thief.get('/')).status).to.equal(401)
    expect((await ada.get('/')).status).to.equal(200)
    expect((await signIn('analytical engine')).error).to.equal('CredentialsSignin')
    expect((await signIn('sketch of the engine')).error).to.equal(null)
  })

  it('uses a link once', async () => {
    await followLink(app.visitor())
    const link = new URL(/http:\/\/\S+/.exec(mails.delivered.at(-1)?.mail.text ?? '')?.[0] ?? '')
    const stranger = app.visitor()
    await stranger.get(link.pathname + link.search)
    expect((await stranger.get('/account/password')).status).to.equal(401)
  })

  it('needs the CSRF token, and a session', async () => {
    expect((await app.visitor().post('/account/password', { password: 'analytical engine' })).status).to.equal(401)
    const { visitor } = await signIn('sketch of the engine')
    expect((await visitor.post('/account/password', { password: 'analytical engine' })).status).to.equal(403)
  })
})
