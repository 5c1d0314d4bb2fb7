import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import supertest from 'supertest'
import type { AuthConfig } from '../../../lib/index.js'
import { type Running, SECRET } from '../../support/app.js'
import { formsOf, submit } from '../../support/forms.js'
import { Visitor } from '../../support/visitor.js'
import { loadRecipe, signedIn, useVariables } from './recipe.js'

describe('examples/recipes/node-http.ts', () => {
  let recipe: { server: Server; config: AuthConfig }
  let app: Running
  useVariables({ AUTH_SECRET: SECRET, AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' })

  before(async () => {
    recipe = await loadRecipe('node-http.ts')
    recipe.server.listen(0, '127.0.0.1')
    await once(recipe.server, 'listening')
    const origin = `http://127.0.0.1:${(recipe.server.address() as AddressInfo).port}`
    app = { origin, server: recipe.server, visitor: () => new Visitor(origin), close: async () => {} }
  })
  after(async () => {
    recipe.server.closeAllConnections()
    recipe.server.close()
    await once(recipe.server, 'close')
  })

  it('serves the mount and its own pages', async () => {
    expect((await app.visitor().get('/')).text).to.include('href="/account"')
    expect((await app.visitor().get('/nowhere')).status).to.equal(404)
    const signIn = await app.visitor().get('/auth/signin')
    expect(formsOf(signIn)[0]?.action).to.equal(`${app.origin}/auth/signin/github`)
  })

  it('sends who is not signed in to the sign-in page', async () => {
    const { status, headers } = await supertest(app.origin).get('/account').set('accept', 'text/html')
    expect([status, new URL(headers['location'] ?? '').pathname]).to.deep.equal([302, '/auth/signin'])
  })

  it('shows who is signed in, as text, and signs out', async () => {
    const ada = await signedIn(app, recipe.config, { id: '1815', name: '<b>Ada</b>' })
    const page = await ada.get('/account')
    expect(page.text).to.include('Hello &#60;b&#62;Ada')
    await submit(ada, page, '/auth/signout')
    expect((await ada.get('/account')).status).to.equal(401)
  })
})
