import { expect } from 'chai'
import supertest from 'supertest'
import { type RunningExample, runExample } from '../support/run-example.js'

const SECRET = 'a secret that is long enough for anything'
const ADA = { username: 'ada', password: 'analytical engine' }

describe('examples/express-github', () => {
  let example: RunningExample

  before(async () => {
    example = await runExample('examples/express-github/app.ts', {
      AUTH_SECRET: SECRET,
      AUTH_GITHUB_ID: 'the-id',
      AUTH_GITHUB_SECRET: 'the-secret',
    })
  })

  after(() => example?.stop())

  it('offers to sign in', async () => {
    expect((await example.visitor().get('/')).text).to.include('href="/auth/signin"')
  })

  it('sends who is not signed in from the private page to the sign-in page', async () => {
    const { status, headers } = await supertest(example.url).get('/private').set('accept', 'text/html')
    expect(status).to.equal(302)
    const target = encodeURIComponent(`${example.url}/private`)
    expect(headers.location).to.equal(`${example.url}/auth/signin?callbackUrl=${target}`)
  })

  it('sends who signs in to GitHub, with the client id of the environment', async () => {
    const visitor = example.visitor()
    const { location } = await visitor.post('/auth/signin/github', { csrfToken: await visitor.csrfToken() })
    expect(location?.origin).to.equal('https://github.com')
    expect(location?.searchParams.get('client_id')).to.equal('the-id')
    expect(location?.searchParams.get('redirect_uri')).to.equal(`${example.url}/auth/callback/github`)
  })
})

describe('examples/connect', () => {
  let example: RunningExample

  before(async () => {
    example = await runExample('examples/connect/app.ts')
  })

  after(() => example?.stop())

  it('tells who is signed in', async () => {
    const visitor = example.visitor()
    expect((await visitor.get('/')).json()).to.deep.equal({ path: '/', user: null })
    await visitor.signIn(ADA)
    expect((await visitor.get('/')).json()).to.deep.equal({ path: '/', user: { id: '1815', name: 'Ada Lovelace' } })
  })

  it('guards what is below /private', async () => {
    const visitor = example.visitor()
    expect((await visitor.get('/private')).status).to.equal(401)
    await visitor.signIn(ADA)
    expect((await visitor.get('/private')).status).to.equal(200)
  })
})

describe('examples/credentials-express4', () => {
  let example: RunningExample

  before(async () => {
    example = await runExample('examples/credentials-express4/app.ts')
  })

  after(() => example?.stop())

  it('signs in behind body parsers', async () => {
    const visitor = example.visitor()
    expect((await visitor.get('/private')).status).to.equal(401)
    await visitor.signIn(ADA)
    expect((await visitor.get('/private')).json().user).to.deep.equal({ id: '1815', name: 'Ada Lovelace' })
  })

  it('tells the code of a refusal in the URL of the sign-in page', async () => {
    const { location } = await example.visitor().signIn({ username: 'charles', password: 'anything' })
    expect(location?.searchParams.get('error')).to.equal('CredentialsSignin')
    expect(location?.searchParams.get('code')).to.equal('locked')
  })
})

describe('npm start', () => {
  it('prints where the demo is, and takes any free port for PORT=0', async () => {
    const example = await runExample('examples/demo/start.ts')
    try {
      expect((await example.visitor().get('/')).text).to.include('A small app with real sign-in')
    } finally {
      await example.stop()
    }
  })
})
