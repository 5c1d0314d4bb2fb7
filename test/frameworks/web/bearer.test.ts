import { expect } from 'chai'
import { webAuth } from '../../../lib/frameworks/web/index.js'
import type { AuthConfig } from '../../../lib/index.js'
import { InvalidConfiguration, MissingCSRF, RecentSignInRequired, RequestRefused } from '../../../lib/kernel/errors.js'
import { ADA } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { later } from '../../support/timers.js'
import { github, ORIGIN, OWN_PAGE, webConfig } from '../../support/web-app.js'

const SESSION = '__Secure-authjs.session-token'

describe('webAuth(config) and a session in Authorization', () => {
  const start = async (more: Partial<AuthConfig> = {}) => {
    const auth = webAuth(webConfig({ bearer: true, ...more }))
    const visit = (headers: Record<string, string>) =>
      auth.forRequest({ headers: new Headers(headers), url: `${ORIGIN}/notes` })
    const { cookies } = await visit(OWN_PAGE).signIn({ provider: 'credentials', fields: ADA })
    const value = cookies.find(({ name }) => name === SESSION)?.value ?? ''
    const browser = { ...OWN_PAGE, cookie: `${SESSION}=${value}` }
    return { auth, visit, browser, value, bearer: (token: string) => visit({ authorization: `Bearer ${token}` }) }
  }

  it('reads it in place of the cookie, and changes no cookie', async () => {
    const { visit, browser, value, bearer } = await start({ session: { updateAge: 0 } })
    expect((await bearer(value).getSession())?.user?.name).to.equal('Ada')
    const { session, cookies } = await bearer(value).renewSession()
    expect([session?.user?.name, cookies]).to.deep.equal(['Ada', []])
    expect(await visit({ ...browser, authorization: 'Bearer nothing' }).getSession()).to.equal(null)
    expect((await visit({ ...browser, authorization: 'Basic eA==' }).getSession())?.user?.name).to.equal('Ada')
  })

  it('ignores the header where the option is off', async () => {
    const { visit, browser, value, bearer } = await start({ bearer: false })
    expect(await bearer(value).getSession()).to.equal(null)
    expect((await visit({ ...browser, authorization: 'Bearer nothing' }).getSession())?.user?.name).to.equal('Ada')
  })

  it('issues tokens in answer to its own pages', async () => {
    const { visit, browser, bearer } = await start()
    const { token, id, expires } = await visit(browser).issueToken({ maxAge: 60, name: 'Phone' })
    expect((await bearer(token).getSession())?.id).to.equal(id)
    expect(expires.getTime()).to.be.closeTo(Date.now() + 60_000, 5000)
    const { cookie } = browser
    expect(await failureOf(visit({ cookie }).issueToken({ maxAge: 60 }))).to.be.instanceOf(MissingCSRF)
    const evil = { cookie, origin: 'https://evil.example' }
    expect(await failureOf(visit(evil).issueToken({ maxAge: 60 }))).to.be.instanceOf(MissingCSRF)
    expect(await failureOf(visit(browser).issueToken({ maxAge: 0 }))).to.be.instanceOf(InvalidConfiguration)
    expect(await failureOf(visit(OWN_PAGE).issueToken({ maxAge: 60 }))).to.be.instanceOf(RequestRefused)
    const program = visit({ ...browser, authorization: `Bearer ${token}` })
    expect((await failureOf<RequestRefused>(program.issueToken({ maxAge: 60 }))).status).to.equal(403)
  })

  it('issues none after a sign-in that is too old', async () => {
    const { visit, browser } = await start({ session: { recentAuthAge: 1 } })
    expect(await later(1100, () => failureOf(visit(browser).issueToken({ maxAge: 60 })))).to.be.instanceOf(
      RecentSignInRequired,
    )
  })

  it('lets a token with a scope do what a guard or a call names, and nothing else', async () => {
    const { visit, browser, bearer } = await start()
    const { token } = await visit(browser).issueToken({ maxAge: 60, scope: 'a b' })
    expect(await bearer(token).getSession()).to.equal(null)
    expect((await bearer(token).renewSession()).session).to.equal(null)
    expect((await bearer(token).getSession({ scope: 'b' }))?.scope).to.equal('a b')
    expect(await bearer(token).getSession({ scope: 'c' })).to.equal(null)
    const passed = await bearer(token).guard({ scope: 'a' })
    expect([passed.response, passed.session?.user?.name]).to.deep.equal([null, 'Ada'])
    for (const [options, challenge] of [
      [{}, 'Bearer realm="session", error="insufficient_scope"'],
      [{ scope: 'c' }, 'Bearer realm="session", error="insufficient_scope", scope="c"'],
    ] as const) {
      const { session, response } = await bearer(token).guard(options)
      expect([session, response?.status, response?.headers.get('www-authenticate')]).to.deep.equal([
        null,
        403,
        challenge,
      ])
    }
    expect((await visit(browser).guard({ scope: 'c' })).response).to.equal(null)
  })

  it('tells programs what is wrong, and never sends them to the sign-in page', async () => {
    const { visit, bearer } = await start()
    const { response: none } = await visit({}).guard()
    expect([none?.status, none?.headers.get('www-authenticate'), none?.headers.get('vary')]).to.deep.equal([
      401,
      'Bearer realm="session"',
      'Cookie, Authorization',
    ])
    const { response: bad } = await bearer('nothing').guard()
    expect([bad?.status, bad?.headers.get('www-authenticate')]).to.deep.equal([
      401,
      'Bearer realm="session", error="invalid_token"',
    ])
    const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
    const { response: claims } = await visit({ ...navigation, authorization: 'Bearer nothing' }).guard()
    expect([claims?.status, claims?.headers.get('location')]).to.deep.equal([401, null])
    const { response: person } = await visit(navigation).guard()
    expect([person?.status, person?.headers.get('www-authenticate')]).to.deep.equal([302, null])
  })

  it('begins no sign-in by code, and signs out its own session', async () => {
    const { visit, browser, bearer } = await start()
    const { token } = await visit(browser).issueToken({ maxAge: 60 })
    const both = { ...browser, authorization: `Bearer ${token}` }
    for (const provider of ['credentials', github.id]) {
      const failure = await failureOf<RequestRefused>(visit(both).signIn({ provider, fields: ADA }))
      expect(failure.status, provider).to.equal(403)
    }
    expect((await failureOf<RequestRefused>(visit(both).updateSession({}))).status).to.equal(403)
    expect((await visit(both).signOut()).cookies).to.deep.equal([])
    expect(await bearer(token).getSession()).to.equal(null)
    expect((await visit(browser).getSession())?.user?.name).to.equal('Ada')
  })

  it('refuses two headers, which the web joins, and survives one of 100 KB', async () => {
    const { visit, browser, value } = await start()
    for (const authorization of [`Bearer ${value}, Bearer ${value}`, `Bearer ${'a'.repeat(100_000)}`]) {
      expect(await visit({ ...browser, authorization }).getSession()).to.equal(null)
    }
  })

  it('refuses an option of `getSession` that is misspelt', async () => {
    const { bearer, value } = await start()
    const options = { scopes: 'a' } as object
    expect(await failureOf(bearer(value).getSession(options))).to.be.instanceOf(InvalidConfiguration)
  })
})
