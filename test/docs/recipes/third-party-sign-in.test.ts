import { expect } from 'chai'
import type { Express } from 'express'
import { listen, type Running, SECRET } from '../../support/app.js'
import { FOREIGN_LINK, follow } from '../../support/calling-app.js'
import { type RealOidcProvider, startOidcProvider } from '../../support/oidc-provider.js'
import { loadRecipe, useVariables } from './recipe.js'

describe('examples/recipes/third-party-sign-in.ts', () => {
  let provider: RealOidcProvider
  let app: Running
  useVariables({ AUTH_SECRET: SECRET, AUTH_ACME_ID: 'client', AUTH_ACME_SECRET: 'secret' })

  before(async () => {
    let recipe: { app: Express } | undefined
    app = await listen((req, res) => recipe?.app(req, res))
    provider = await startOidcProvider({
      clients: [{ client_id: 'client', client_secret: 'secret', redirect_uris: [`${app.origin}/auth/callback/acme`] }],
    })
    process.env['ACME_ISSUER'] = provider.issuer
    recipe = await loadRecipe('third-party-sign-in.ts')
  })
  after(async () => {
    await app?.close()
    await provider?.stop()
  })

  const link = (parameters: Record<string, string>) =>
    `/login?${new URLSearchParams({ iss: provider.issuer, ...parameters })}`

  it('signs in whom the provider sends, and leads to the page that it names', async () => {
    const ada = app.visitor()
    const target = `${app.origin}/?from=portal`
    const started = await follow(ada, link({ login_hint: 'ada', target_link_uri: target }), FOREIGN_LINK)
    expect(started.location?.origin).to.equal(new URL(provider.issuer).origin)
    expect(started.location?.searchParams.get('login_hint')).to.equal('ada')
    const { url } = await provider.authorize(started.location?.href ?? '')
    const finished = await ada.get(url.pathname + url.search)
    expect(finished.location?.href).to.equal(target)
    expect((await ada.get('/')).text).to.include('Hello')
  })

  it('OIDC-23: starts nothing for an issuer that is not configured, or that is there twice', async () => {
    for (const path of [
      link({ iss: 'https://evil.example' }),
      `${link({})}&iss=${encodeURIComponent('https://evil.example')}`,
      '/login',
    ])
      expect((await app.visitor().get(path)).status, path).to.equal(400)
  })

  it('OIDC-23: leads to no other site afterwards', async () => {
    for (const target of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
      const ada = app.visitor()
      const started = await follow(ada, link({ target_link_uri: target }), FOREIGN_LINK)
      const { url } = await provider.authorize(started.location?.href ?? '')
      const finished = await ada.get(url.pathname + url.search)
      expect(finished.location?.origin, target).to.equal(app.origin)
    }
  })
})
