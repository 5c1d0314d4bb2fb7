import { expect } from 'chai'
import { ADA } from '../../support/app.js'
import { type RawAnswer, type RawRequest, sendRaw } from '../../support/raw-http.js'
import type { Visitor } from '../../support/visitor.js'

/** What each recipe of examples/recipes/frameworks must do: the application guards `/private/papers`. */
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

/** Whatever the guard of a recipe lets pass is for the visitor alone, also where no session is renewed: `updateAge` has its default. */
export async function expectPrivate(visitor: () => Visitor): Promise<void> {
  const ada = visitor()
  await ada.signIn(ADA)
  for (const headers of [{}, { accept: 'text/html' }] as Record<string, string>[]) {
    const papers = await ada.get('/private/papers', headers)
    expect([papers.status, papers.setCookie, papers.text.includes('Ada')]).to.deep.equal([200, [], true])
    expect(papers.headers.get('cache-control')).to.include('private').and.include('no-store')
    expect(papers.headers.get('vary')).to.match(/cookie/i)
  }
}

/** Changes the configuration of a recipe so that no session is renewed. */
export const WITHOUT_RENEWAL = { '{ session: { updateAge: 0 } }': '' }

/** Requests for `/private/papers`, as it is or so that one reader may see it and another not. */
const HOSTILE_TARGETS: readonly string[] = [
  ...[
    '/private/papers',
    '/private/papers/',
    '/private/papers?x=1',
    '/private/papers?/auth/signin',
    '/private/papers#x',
  ],
  ...[
    '/Private/papers',
    '/PRIVATE/PAPERS',
    '/private/Papers/',
    '/%70rivate/papers',
    '/private/%70apers',
    '/%50rivate/papers',
  ],
  ...[
    '/private%2Fpapers',
    '/private%2fpapers',
    '//private/papers',
    '/private//papers',
    '//other.example/private/papers',
  ],
  ...[
    '/./private/papers',
    '/private/./papers',
    '/x/../private/papers',
    '/x/%2e%2e/private/papers',
    '/x/..%2fprivate/papers',
  ],
  ...[
    '/auth/../private/papers',
    '/auth/%2e%2e/private/papers',
    '/auth/..%2fprivate/papers',
    '/auth/signin/../../private/papers',
  ],
  ...[
    '/private\\papers',
    '/private%5cpapers',
    '/private/papers%00',
    '/private/papers%0a',
    '/private/papers%20',
    '/private/papers%',
  ],
  ...[
    '/private/papers;x=1',
    '/private;x/papers',
    '/private/papers.json',
    '/private/papers.data',
    '/private/papers%23',
    '/private/papers%3f',
  ],
  ...['http://other.example/private/papers', 'http://other.example//private/papers', '/private/papers/..%2fpapers'],
]

const HOSTILE_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-host': 'other.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' },
  { 'x-forwarded-prefix': '/auth', 'x-forwarded-uri': '/auth/signin', 'x-original-url': '/auth/signin' },
  { 'x-rewrite-url': '/auth/signin', 'x-http-method-override': 'OPTIONS' },
  { cookie: 'authjs.session-token=x; __Secure-authjs.session-token=y; authjs.session-token=z' },
  { cookie: 'authjs.session-token.0=x; authjs.session-token.1=y' },
  { 'x-middleware-subrequest': 'middleware', 'next-router-prefetch': '1', purpose: 'prefetch' },
]

/**
 * What only the route of a recipe answers: a member `reader` in JSON, which may stand in HTML or in a script. The word alone
 * would not do, because the page of an error may show the folders of the machine.
 */
export const ANSWER_OF_ROUTE = /("|&quot;)reader(\\?"|&quot;)/

/**
 * Nobody who is not signed in gets what the route of a recipe answers, whatever they ask for.
 *
 * @param refuses whether an answer with a status of success refuses the request
 */
export async function expectGuarded(
  origin: string,
  refuses: (answer: RawAnswer) => boolean = () => false,
): Promise<void> {
  const expectRefusal = async (target: string, request: RawRequest) => {
    const answer = await sendRaw(origin, target, request)
    const { status, body } = answer
    const what = `${JSON.stringify(request)} ${target}: ${body}`
    expect(body, what).to.not.match(ANSWER_OF_ROUTE)
    if (!refuses(answer)) expect(status, what).to.be.within(300, 499)
  }
  for (const target of HOSTILE_TARGETS) await expectRefusal(target, {})
  for (const headers of HOSTILE_HEADERS) await expectRefusal('/private/papers', { headers })
  for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'get', 'QUERY'])
    await expectRefusal('/private/papers', { method, headers: { 'content-length': '0' } })
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '11' }
  await expectRefusal('/private/papers', { method: 'POST', headers: form, body: '_method=GET' })
}
