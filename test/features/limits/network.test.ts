import { request } from 'node:http'
import { expect } from 'chai'
import express, { type ErrorRequestHandler } from 'express'
import { expressAuth, startSignIn } from '../../../lib/index.js'
import { listen, type Running, testConfig } from '../../support/app.js'
import { ADA, club, GOOD, openLimited } from './limited-app.js'

const config = testConfig({ providers: [club()], logger: { info() {} } })

describe('the network of a try, over Express', () => {
  let app: Running
  const start = async (trusted: string | number | false) => {
    const server = express()
    server.set('trust proxy', trusted)
    server.use('/auth', expressAuth({ ...config }))
    server.post('/login', express.urlencoded({ extended: false }), async (req, res) => {
      await startSignIn(req, res, config, 'credentials', { fields: req.body })
    })
    const answer: ErrorRequestHandler = ({ status = 500, headers = {} }, _req, res, _next) =>
      void res.status(status).set(headers).end()
    server.use(answer)
    app = await listen(server)
  }
  afterEach(() => app?.close())

  const guess = async (forwarded: string, index: number) => {
    const visitor = app.visitor()
    const fields = { csrfToken: await visitor.csrfToken(), email: `member-${index}@example.com`, password: 'wrong' }
    return (await visitor.post('/auth/callback/credentials', fields, { 'x-forwarded-for': forwarded })).status
  }

  it('RATE-04: is that of the client, as a trusted proxy says it', async () => {
    await start(1)
    for (let index = 0; index < 100; index += 1) expect(await guess('198.51.100.1', index)).to.equal(302)
    expect(await guess('198.51.100.77', 100), 'the same network').to.equal(429)
    expect(await guess('198.51.100.1, 192.0.2.9', 101), 'what the client has written itself').to.equal(302)
    expect(await guess('192.0.2.10, 198.51.100.5', 102)).to.equal(429)
    for (const spelling of ['198.51.100.6:4711', '::ffff:198.51.100.7', '::ffff:c633:6408', '[::ffff:c633:6409]:443']) {
      expect(await guess(spelling, 103), spelling).to.equal(429)
    }
  })

  it('RATE-01: of an address that stands for many gets one try back for a right one, and not twenty', async () => {
    const inside = openLimited({ limits: { guesses: { network: { atOnce: 1, perHour: 1 } } } })
    const browser = inside.from('10.0.0.5')
    const wrong = (count: number) =>
      inside.tries(count, (index) => inside.guess(browser, 'wrong', `other-${index}@example.com`))
    expect(await wrong(10)).to.equal(10)
    expect((await inside.guess(browser, GOOD, 'member@example.com')).status).to.equal(302)
    expect(await wrong(20)).to.equal(10)
  })

  it('RATE-04: is none that a client can write, without a trusted proxy', async () => {
    await start(false)
    let passed = 0
    for (let index = 0; index < 12; index += 1) {
      const visitor = app.visitor()
      const fields = { csrfToken: await visitor.csrfToken(), email: ADA, password: 'wrong' }
      const headers = { 'x-forwarded-for': `198.51.100.${index}`, 'x-real-ip': `198.51.100.${index}` }
      if ((await visitor.post('/auth/callback/credentials', fields, headers)).status === 302) passed += 1
    }
    expect(passed).to.equal(10)
  })

  it('RATE-01: a route of the application that signs in counts, and its error handler can say when to try again', async () => {
    await start(false)
    const body = new URLSearchParams({ email: 'route@example.com', password: 'wrong' }).toString()
    const post = () =>
      new Promise<{ status: number | undefined; retryAfter: string | undefined }>((resolve, reject) => {
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': body.length,
          'sec-fetch-site': 'same-origin',
          origin: app.origin,
        }
        const req = request(`${app.origin}/login`, { method: 'POST', headers }, (res) => {
          res.resume()
          resolve({ status: res.statusCode, retryAfter: res.headers['retry-after'] })
        })
        req.on('error', reject).end(body)
      })
    const answers: Awaited<ReturnType<typeof post>>[] = []
    for (let index = 0; index < 11; index += 1) answers.push(await post())
    expect(answers.filter(({ status }) => status === 429)).to.have.length(1)
    expect(Number(answers.at(-1)?.retryAfter)).to.be.within(1, 300)
  })
})
