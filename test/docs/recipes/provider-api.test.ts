import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Express } from 'express'
import Libsql from 'libsql'
import { listen, type Running, SECRET } from '../../support/app.js'
import { type RealOidcProvider, startOidcProvider } from '../../support/oidc-provider.js'
import type { Visitor } from '../../support/visitor.js'
import { loadRecipe, useVariables } from './recipe.js'

describe('examples/recipes/provider-api.ts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-provider-api-'))
  const file = join(folder, 'app.db')
  let provider: RealOidcProvider
  let app: Running
  let ada: Visitor
  useVariables({ AUTH_SECRET: SECRET, AUTH_ACME_ID: 'client', AUTH_ACME_SECRET: 'secret' })

  before(async () => {
    let recipe: { app: Express } | undefined
    // The provider has the address of the application, and the application that of the provider.
    app = await listen((req, res) => recipe?.app(req, res))
    provider = await startOidcProvider({
      clients: [
        {
          client_id: 'client',
          client_secret: 'secret',
          redirect_uris: [`${app.origin}/auth/callback/acme`],
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
    })
    process.env['ACME_ISSUER'] = provider.issuer
    recipe = await loadRecipe('provider-api.ts', (code) => code.replace("'app.db'", JSON.stringify(file)))
    ada = app.visitor()
    const started = await ada.post('/auth/signin/acme', { csrfToken: await ada.csrfToken(), callbackUrl: '/profile' })
    const { url } = await provider.authorize(started.location?.href ?? '')
    await ada.get(url.pathname + url.search)
  })
  after(async () => {
    await app?.close()
    await provider?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Looks at, or changes, the only account of the database. */
  function account(sql: string): { access_token: string } | undefined {
    const database = new Libsql(file, { timeout: 5000 })
    try {
      return sql.startsWith('select')
        ? (database.prepare(sql).get() as { access_token: string })
        : void database.exec(sql)
    } finally {
      database.close()
    }
  }

  it('asks who is not signed in to sign in', async () => {
    expect((await app.visitor().get('/profile')).status).to.equal(401)
  })

  it('shows what the API says', async () => {
    expect((await ada.get('/profile')).json()).to.deep.equal({ name: 'Person ada', email: 'ada@example.com' })
  })

  it('refreshes a token that has expired, without the user', async () => {
    const before = account('select access_token from accounts')
    account('update accounts set expires_at = 1')
    expect((await ada.get('/profile')).json()).to.include({ email: 'ada@example.com' })
    expect(account('select access_token from accounts')).not.to.deep.equal(before)
  })

  it('sends the user to the provider when there is no refresh token any more', async () => {
    account('update accounts set expires_at = 1, refresh_token = null')
    const { status, location } = await ada.get('/profile')
    expect([status, location?.pathname]).to.deep.equal([302, '/auth/link/acme'])
  })

  it('asks to try again while the provider does not answer', async () => {
    account("update accounts set expires_at = 1, refresh_token = 'something'")
    await provider.stop()
    expect((await ada.get('/profile')).status).to.equal(503)
  })
})
