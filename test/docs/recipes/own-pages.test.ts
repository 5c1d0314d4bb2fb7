import { expect } from 'chai'
import type { Express } from 'express'
import supertest from 'supertest'
import { listen, type Running, SECRET } from '../../support/app.js'
import { formsOf } from '../../support/forms.js'
import type { Answer, Visitor } from '../../support/visitor.js'
import { loadRecipe, useVariables } from './recipe.js'

describe('examples/recipes/own-pages.ts', () => {
  let app: Running
  useVariables({ AUTH_SECRET: SECRET, AUTH_GITHUB_ID: 'id', AUTH_GITHUB_SECRET: 'secret' })

  before(async () => {
    const recipe = await loadRecipe<{ app: Express }>('own-pages.ts')
    app = await listen(recipe.app)
  })
  after(() => app?.close())

  /** Goes where the guard sends somebody who is not signed in. */
  async function loginPage(visitor: Visitor) {
    // A navigation of a browser; `fetch` says that it is none.
    const { headers } = await supertest(app.origin).get('/account?page=2').set('accept', 'text/html')
    const { pathname, search } = new URL(headers['location'] ?? '')
    expect(pathname).to.equal('/login')
    return visitor.get(pathname + search)
  }

  const ADA = { username: 'ada', password: 'analytical engine' }

  /** Sends a form of a page. A browser says which origin the page is of. */
  const submit = (visitor: Visitor, page: Answer, action: string, fields: Record<string, string> = {}) => {
    const form = formsOf(page).find((one) => one.action.endsWith(action))
    return visitor.post(form?.action ?? '', { ...form?.fields, ...fields }, { origin: app.origin })
  }

  it('sign in, and lead back to the page that was asked for', async () => {
    const ada = app.visitor()
    const { location } = await submit(ada, await loginPage(ada), '/login', ADA)
    expect(location?.pathname).to.equal('/account')
    expect(location?.search).to.equal('?page=2')
    expect((await ada.get('/account')).text).to.include('<p>Ada</p>')
  })

  it('say what was wrong, and keep the way back', async () => {
    const ada = app.visitor()
    const wrong = { ...ADA, password: 'difference engine' }
    const again = await submit(ada, await loginPage(ada), '/login', wrong)
    expect(again.status).to.equal(401)
    expect(again.text).to.include('<p role="alert">The name or the password is wrong.</p>')
    expect(again.text).to.include('value="ada"').and.not.to.include('difference')
    const { location } = await submit(ada, again, '/login', ADA)
    expect(location?.pathname).to.equal('/account')
  })

  it('begin a sign-in at the provider', async () => {
    const ada = app.visitor()
    const { location } = await submit(ada, await loginPage(ada), '/signin/github')
    expect(location?.host).to.equal('github.com')
  })

  it('print nothing that somebody wrote into a link', async () => {
    const script = '"><script>alert(1)</script>'
    const query = new URLSearchParams({ error: script, callbackUrl: script })
    for (const path of ['/login', '/goodbye', '/sorry']) {
      const { text } = await app.visitor().get(`${path}?${query}`)
      expect(text, path).not.to.include('<script')
    }
    const evil = await app.visitor().get('/login?callbackUrl=https://evil.example/')
    const { location } = await submit(app.visitor(), evil, '/login', ADA)
    expect(location?.host).not.to.equal('evil.example')
  })

  it('ask before a sign-out, and sign out', async () => {
    const ada = app.visitor()
    await submit(ada, await loginPage(ada), '/login', ADA)
    const asked = await ada.get('/goodbye')
    expect(formsOf(asked)).to.have.length(1)
    const evil = await ada.post('/goodbye', {}, { origin: 'https://evil.example' })
    expect([evil.status, (await ada.get('/account')).status]).to.deep.equal([500, 200])
    await ada.post('/goodbye', {}, { origin: app.origin })
    expect((await ada.get('/account')).status).to.equal(401)
  })

  it('show refusals on the page for errors', async () => {
    const { location } = await app.visitor().get('/auth/error?error=AccessDenied')
    const { status, text } = await app.visitor().get(`${location?.pathname}${location?.search}`)
    expect([status, location?.pathname]).to.deep.equal([403, '/sorry'])
    expect(text).to.include('You may not sign in here.')
  })
})
