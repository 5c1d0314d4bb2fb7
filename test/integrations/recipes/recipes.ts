import { expect } from 'chai'
import { ADA } from '../../support/app.js'
import type { Visitor } from '../../support/visitor.js'

/** What each recipe of docs/guides/other-frameworks.md must do: the application guards `/private/papers`. */
export async function expectRecipe(visitor: () => Visitor): Promise<void> {
  const page = await visitor().get('/auth/signin', { accept: 'text/html' })
  expect([page.status, page.text.includes('/auth/callback/credentials')]).to.deep.equal([200, true])
  expect((await visitor().get('/auth/nothing')).status).to.equal(404)

  const stranger = visitor()
  const refused = await stranger.get('/private/papers')
  expect([refused.status, refused.json()]).to.deep.equal([401, { message: 'Sign in first.' }])
  // A form without the CSRF token, as another site can send it.
  const { location } = await stranger.post('/auth/callback/credentials', ADA, { origin: 'https://evil.example' })
  expect(location?.searchParams.get('error') ?? location?.searchParams.get('csrf')).to.not.equal(null)
  expect((await stranger.get('/private/papers')).status).to.equal(401)

  const ada = visitor()
  const wrong = await ada.post('/auth/callback/credentials', {
    ...ADA,
    password: 'x',
    csrfToken: await ada.csrfToken(),
  })
  expect(wrong.location?.searchParams.get('error')).to.equal('CredentialsSignin')
  const answer = await ada.post('/auth/callback/credentials', { ...ADA, csrfToken: await ada.csrfToken() })
  expect(answer.status).to.equal(302)
  const papers = await ada.get('/private/papers')
  expect([papers.status, papers.text.includes('Ada')]).to.deep.equal([200, true])
  expect(
    papers.setCookie.map((text) => text.split('=', 1)[0]),
    'renewed',
  ).to.deep.equal(['authjs.session-token'])
  expect(papers.headers.get('cache-control')).to.include('no-store')
  expect((await ada.get('/')).text).to.include('Ada')

  await ada.post('/auth/signout', { csrfToken: await ada.csrfToken() })
  expect((await ada.get('/private/papers')).status).to.equal(401)
}
