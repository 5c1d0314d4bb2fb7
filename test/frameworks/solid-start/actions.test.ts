import { expect } from 'chai'
import {
  checkSender,
  getSession,
  type RequestRefused,
  type SolidAuthConfig,
  type SolidEvent,
  signIn,
  signOut,
  updateSession,
} from '../../../lib/frameworks/solid-start/index.js'
import Credentials from '../../../lib/providers/credentials.js'
import { ADA } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { failure } from '../../support/oauth-driver.js'
import { ORIGIN, OWN_PAGE, webConfig } from '../../support/web-app.js'
import { cookiesFrom, event, nodeHeaders } from './event.js'

const submitted = (headers: Record<string, string> = OWN_PAGE) => event('/_server?id=1', headers, 'POST')

/** What a server function throws: a redirect. */
async function redirectOf(work: Promise<never>): Promise<string | null> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(thrown instanceof Response)) throw thrown
  expect([thrown.status, thrown.body]).to.deep.equal([302, null])
  return thrown.headers.get('location')
}

const sessionOf = (at: SolidEvent, options: SolidAuthConfig) =>
  getSession(event('/', { cookie: cookiesFrom(at.response.headers) }).request, options)

describe('signIn(event, config) in a server function', () => {
  for (const [kind, form] of Object.entries({
    'FormData, as with JavaScript and in SolidStart 1': () => {
      const data = new FormData()
      for (const [name, value] of Object.entries({ ...ADA, redirectTo: '/papers' })) data.set(name, value)
      return data
    },
    'URLSearchParams for forms in SolidStart 2': () => new URLSearchParams({ ...ADA, redirectTo: '/papers' }),
    'plain options': () => ({ ...ADA, redirectTo: '/papers' }),
  })) {
    it(`takes ${kind}`, async () => {
      const [options, at] = [webConfig(), submitted()]
      expect(await redirectOf(signIn(at, options, 'credentials', form()))).to.equal(`${ORIGIN}/papers`)
      expect((await sessionOf(at, options))?.user?.name).to.equal('Ada')
      expect(at.response.headers.get('cache-control')).to.include('no-store')
    })
  }

  it('sets its cookies on the headers of SolidStart 1, which stand for those of Node', async () => {
    const options = webConfig()
    const at = { ...submitted(), response: { headers: nodeHeaders() } }
    await redirectOf(signIn(at, options, 'credentials', ADA))
    const names = at.response.headers.getSetCookie().map((cookie) => cookie.split('=', 1)[0])
    expect(names).to.include('__Secure-authjs.session-token').and.not.include(undefined)
    const { length } = names
    await redirectOf(signIn(at, options, 'credentials', ADA))
    expect(at.response.headers.getSetCookie()).to.have.length(length)
  })

  it('begins a sign-in at a provider with parameters, and comes back to the page of the form', async () => {
    const at = submitted()
    const target = new URL((await redirectOf(signIn(at, webConfig(), 'github', {}, { prompt: 'login' }))) ?? '')
    expect(target.origin).to.equal('https://github.example')
    expect(target.searchParams.get('prompt')).to.equal('login')
    expect(target.searchParams.get('redirect_uri')).to.equal(`${ORIGIN}/api/auth/callback/github`)
    expect(at.response.headers.getSetCookie().join()).to.include(encodeURIComponent(`${ORIGIN}/notes`))
  })

  it('without a provider leads to the sign-in page', async () => {
    expect(await redirectOf(signIn(submitted(), webConfig()))).to.equal(`${ORIGIN}/api/auth/signin`)
  })

  it('with redirect: false returns the URL, with callbackUrl as the older name of redirectTo', async () => {
    const at = submitted()
    const options = { ...ADA, redirect: false, callbackUrl: '/papers' } as const
    expect(await signIn(at, webConfig(), 'credentials', options)).to.equal(`${ORIGIN}/papers`)
    expect(cookiesFrom(at.response.headers)).to.include('session-token')
  })

  it('throws CredentialsSignin for a wrong password, and sets no cookie', async () => {
    const at = submitted()
    await failure(signIn(at, webConfig(), 'credentials', { ...ADA, password: 'x' }), 'CredentialsSignin')
    expect(at.response.headers.getSetCookie()).to.deep.equal([])
  })

  it('redirects nowhere else, and a form cannot choose another kind of result', async () => {
    for (const redirectTo of ['https://evil.example/', '//evil.example', 'javascript:alert(1)', '/\\evil.example']) {
      const form = new URLSearchParams({ ...ADA, redirectTo, redirect: 'false' })
      const url = await redirectOf(signIn(submitted(), webConfig(), 'credentials', form))
      expect(new URL(url ?? '').origin, redirectTo).to.equal(ORIGIN)
    }
  })

  it('gives authorize what the visitor entered, and neither files nor a field twice', async () => {
    const seen: unknown[] = []
    const provider = Credentials({
      credentials: { username: {}, password: {}, picture: {} },
      authorize(fields) {
        seen.push(fields)
        return null
      },
    })
    const form = new FormData()
    form.set('username', 'ada')
    form.set('password', 'x')
    form.set('picture', new Blob(['x']), 'x.png')
    const options = webConfig({ providers: [provider] })
    await failure(signIn(submitted(), options, 'credentials', form), 'CredentialsSignin')
    expect(seen).to.deep.equal([{ username: 'ada', password: 'x' }])
    const twice = new URLSearchParams('username=ada&username=eve&password=lovelace')
    await failure(signIn(submitted(), options, 'credentials', twice), 'RequestRefused')
  })
})

describe('SolidStart has no CSRF check of its own', () => {
  const OTHERS: Record<string, Record<string, string>> = {
    'a form of another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    'a sandboxed frame': { origin: 'null' },
    'another host of the same site': { origin: 'https://blog.app.example', 'sec-fetch-site': 'same-site' },
    'a link, which SolidStart answers by running the server function': {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    },
    'nobody knows where': {},
    'an image in a page of this origin, whose address another visitor has written': {
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'no-cors',
      'sec-fetch-dest': 'image',
    },
  }
  for (const [sender, headers] of Object.entries(OTHERS)) {
    it(`so ${sender} signs nobody in or out, and changes no session`, async () => {
      const options = webConfig()
      const own = submitted()
      await signIn(own, options, 'credentials', { ...ADA, redirect: false })
      const at = submitted({ ...headers, cookie: cookiesFrom(own.response.headers) })
      await failure(signIn(at, options, 'credentials', ADA), 'MissingCSRF')
      await failure(signOut(at, options), 'MissingCSRF')
      await failure(updateSession(at, options, { admin: true }), 'MissingCSRF')
      await failure(checkSender(at, options), 'MissingCSRF')
      expect(at.response.headers.getSetCookie()).to.deep.equal([])
    })
  }

  for (const method of ['GET', 'HEAD']) {
    it(`so a ${method} request for a link in a page of this origin signs nobody in or out, and changes no session`, async () => {
      const options = webConfig()
      const own = submitted()
      await signIn(own, options, 'credentials', { ...ADA, redirect: false })
      const cookie = cookiesFrom(own.response.headers)
      const headers = { ...OWN_PAGE, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', cookie }
      const at = event('/_server?id=1', headers, method)
      expect(await signIn(at, options, 'github', { redirect: false })).to.include(`${ORIGIN}/api/auth/signin?`)
      const changes = [
        signIn(at, options, 'credentials', ADA),
        signOut(at, options),
        signOut(at, options, { redirect: false }),
        updateSession(at, options, { admin: true }),
        checkSender(at, options),
      ]
      for (const change of changes) expect((await failureOf<RequestRefused>(change)).status).to.equal(405)
      expect(at.response.headers.getSetCookie()).to.deep.equal([])
      expect((await sessionOf(own, options))?.user?.name).to.equal('Ada')
    })
  }

  it('and a page that is opened with a GET request can still send its visitor to the sign-in page', async () => {
    const at = event('/notes', { 'sec-fetch-site': 'none' })
    expect(await redirectOf(signIn(at, webConfig(), undefined, { redirectTo: '/notes' }))).to.equal(
      `${ORIGIN}/api/auth/signin`,
    )
  })

  it('and what an own page sends passes', async () => {
    await checkSender(submitted(), webConfig())
  })
})

describe('signOut and updateSession in a server function', () => {
  it('end the session, and redirect or return the URL', async () => {
    const options = webConfig()
    const own = submitted()
    await signIn(own, options, 'credentials', { ...ADA, redirect: false })
    const cookie = cookiesFrom(own.response.headers)
    const at = submitted({ ...OWN_PAGE, cookie })
    expect(await redirectOf(signOut(at, options, { redirectTo: '/bye' }))).to.equal(`${ORIGIN}/bye`)
    expect(cookiesFrom(at.response.headers)).not.to.include('session-token')
    const again = submitted({ ...OWN_PAGE, cookie })
    expect(await signOut(again, options, { redirect: false })).to.equal(`${ORIGIN}/notes`)
  })

  it('change the session, for the next request too', async () => {
    const options = webConfig({
      callbacks: { jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, ...session } : token) },
    })
    const own = submitted()
    await signIn(own, options, 'credentials', { ...ADA, redirect: false })
    const at = submitted({ ...OWN_PAGE, cookie: cookiesFrom(own.response.headers) })
    expect((await updateSession(at, options, { name: 'Augusta' }))?.user?.name).to.equal('Augusta')
    expect((await sessionOf(at, options))?.user?.name).to.equal('Augusta')
    expect(await updateSession(submitted(), options, {})).to.equal(null)
  })
})
