import { expect } from 'chai'
import { UNSAFE_decodeViaTurboStream, UNSAFE_SingleFetchRedirectSymbol } from 'react-router'
import { ADA } from '../../support/app.js'
import { navigate } from '../../support/guard.js'
import type { RawAnswer } from '../../support/raw-http.js'
import type { Answer } from '../../support/visitor.js'
import { type Recipe, startReactRouter } from './react-router-server.js'
import { runRecipe } from './recipe-module.js'
import { ANSWER_OF_ROUTE, expectGuarded, expectPrivate, expectRecipe, WITHOUT_RENEWAL } from './recipes.js'

type Started = Awaited<ReturnType<typeof startReactRouter>>

/** What the router in the browser makes of an answer to a request for data. */
async function decoded({ text }: Answer): Promise<Record<string | symbol, unknown>> {
  const body = new Response(text).body
  if (body === null) throw new Error('no body')
  return (await UNSAFE_decodeViaTurboStream(body, globalThis as never)).value as Record<string | symbol, unknown>
}

describe('the recipe for React Router', () => {
  let app: Started

  const start = async (replace: Readonly<Record<string, string>> = {}) => {
    const imports = { '~/auth.server': 'react-router/auth.server.ts', '~/routes/auth': 'react-router/auth.ts' }
    const file = 'react-router/papers.ts'
    return startReactRouter(await runRecipe<Recipe>({ file, imports, replace }))
  }

  before(async () => {
    app = await start()
  })
  beforeEach(() => app.ran.splice(0))
  after(() => app?.close())

  it('serves the mount, guards, and renews sessions', () => expectRecipe(app.visitor))

  it('guards the route, however its path is written', async () => {
    // For the router in the browser, a redirect is an answer with a status of its own. The server of React Router fails
    // for a target that names its authority.
    const refuses = ({ status, body }: RawAnswer) =>
      (status === 202 && body.includes('SingleFetchRedirect')) || (status === 500 && body.includes('Invalid URL'))
    await expectGuarded(app.origin, refuses)
    expect(app.ran).to.deep.equal([])
  })

  it('guards what the router in the browser asks for, whichever loaders it names', async () => {
    const targets = ['/private/letters.data', '/private.data', '/Private/letters.data', '/%70rivate/letters.data']
    const routes = [
      '',
      '?_routes=letters',
      '?_routes=private,letters',
      '?_routes=root',
      '?_routes=',
      '?index&_routes=letters',
    ]
    for (const target of targets.flatMap((path) => routes.map((query) => path + query))) {
      const answer = await app.visitor().get(target)
      expect([answer.status, ANSWER_OF_ROUTE.test(answer.text)], target).to.deep.equal([202, false])
    }
    const actions = [
      '/private/letters',
      '/private/letters.data',
      '/private/letters.data?_routes=letters',
      '/private/papers',
    ]
    for (const target of actions) {
      const answer = await app.visitor().post(target, { a: 'b' }, { origin: app.origin })
      expect(answer.status, target).to.equal(target.includes('.data') ? 202 : 401)
    }
    expect(app.ran).to.deep.equal([])
  })

  it('has the router in the browser load the sign-in page, and leads back to the page', async () => {
    const visitor = app.visitor()
    const answer = await visitor.get('/private/letters.data?page=2&_routes=letters')
    const { [UNSAFE_SingleFetchRedirectSymbol]: redirect } = await decoded(answer)
    const { redirect: target, ...how } = redirect as { redirect: string; reload: boolean; status: number }
    expect(how).to.include({ status: 302, reload: true })
    const url = new URL(target, app.origin)
    expect([url.origin, url.pathname]).to.deep.equal([app.origin, '/auth/signin'])
    await visitor.get(url.pathname + url.search)
    const { location } = await visitor.signIn(ADA)
    expect(location?.href).to.equal(`${app.origin}/private/letters?page=2`)
  })

  it('sends a browser to the sign-in page, and back', async () => {
    const { status, location } = await navigate(app.visitor(), '/private/letters?page=2')
    expect([status, location?.pathname]).to.deep.equal([302, '/auth/signin'])
    expect(location?.searchParams.get('callbackUrl')).to.match(/\/private\/letters\?page=2$/)
  })

  it('renews the session in answers to pages, data and actions, and no cache may keep them', async () => {
    const ada = app.visitor()
    await ada.signIn(ADA)
    const answers = [
      await ada.get('/private/letters'),
      await ada.get('/private/letters.data'),
      await ada.post('/private/letters.data', { a: 'b' }, { origin: app.origin }),
    ]
    for (const { status, text, setCookie, headers } of answers) {
      expect([status, ANSWER_OF_ROUTE.test(text)]).to.deep.equal([200, true])
      expect(setCookie.map((cookie) => cookie.split('=', 1)[0])).to.deep.equal(['authjs.session-token'])
      expect(headers.get('cache-control')).to.include('no-store')
    }
    expect(app.ran).to.include('action')
  })

  it('keeps what the guard lets pass out of caches where nothing is renewed (COOKIE-12)', async () => {
    const quiet = await start(WITHOUT_RENEWAL)
    try {
      await expectPrivate(quiet.visitor)
    } finally {
      await quiet.close()
    }
  })

  it('asks the authorized callback about the page, and never about the address of its data', async () => {
    const authorized = "({ auth, request }) => auth !== null && new URL(request.url).pathname !== '/private/letters'"
    const strict = await start({
      'webAuth(config)': `webAuth({ ...config, callbacks: { authorized: ${authorized} } })`,
    })
    try {
      const ada = strict.visitor()
      await ada.signIn(ADA)
      expect((await ada.get('/private/papers')).status).to.equal(200)
      for (const path of [
        '/private/letters',
        '/private/letters.data',
        '/private/LETTERS.data',
        '/private/letters/.data',
      ])
        expect((await ada.get(path)).text, path).to.not.match(ANSWER_OF_ROUTE)
      expect(strict.ran).to.deep.equal([])
    } finally {
      await strict.close()
    }
  })

  it('shows a fault as a fault, to a page and to the router in the browser', async () => {
    const authorized = "() => { throw new Error('The directory is down.') }"
    const broken = await start({
      'webAuth(config)': `webAuth({ ...config, callbacks: { authorized: ${authorized} } })`,
    })
    try {
      for (const path of ['/private/papers', '/private/letters', '/private/letters.data'])
        expect((await broken.visitor().get(path)).status, path).to.equal(503)
      expect(broken.ran).to.deep.equal([])
    } finally {
      await broken.close()
    }
  })
})
