import { expect } from 'chai'
import connect from 'connect'
import cors from 'cors'
import express from 'express'
import { type AuthConfig, corsOptions, defineAuth } from '../../../lib/index.js'
import { listen, type Running, testConfig } from '../../support/app.js'

const FRONT = 'http://localhost:5173'

describe('corsOptions(config)', () => {
  let app: Running
  afterEach(() => app?.close())
  const allowed = async (origin = FRONT, path = '/') =>
    (await app.visitor().get(path, { origin })).headers.get('access-control-allow-origin')

  it('gives `cors` the origins of the configuration, in Express and in Connect', async () => {
    const config = testConfig({ origins: [FRONT, 'https://*.app.example'] })
    for (const server of [
      express().use(cors(corsOptions(config)), (_req, res) => void res.end('x')),
      connect()
        .use(cors(corsOptions(config)))
        .use((_req, res) => void res.end('x')),
    ]) {
      app = await listen(server)
      expect(await allowed()).to.equal(FRONT)
      expect(await allowed('https://a.app.example')).to.equal('https://a.app.example')
      expect(await allowed('https://app.example')).to.equal(null)
      await app.close()
    }
  })

  it('answers a preflight before a guard can refuse it', async () => {
    const { corsOptions: options, requireAuth } = defineAuth(testConfig({ origins: [FRONT] }))
    app = await listen(express().use(cors(options()), requireAuth()))
    const headers = { origin: FRONT, 'access-control-request-method': 'DELETE' }
    const answer = await app.visitor().visit('/', { method: 'OPTIONS', headers })
    expect(answer.status).to.equal(204)
    expect(answer.headers.get('access-control-allow-methods')).to.include('DELETE')
    expect(answer.headers.get('access-control-allow-credentials')).to.equal('true')
  })

  it('asks a function for the configuration of each request', async () => {
    const tenants: Record<string, AuthConfig> = { '/a': testConfig({ origins: [FRONT] }), '/b': testConfig() }
    app = await listen(
      express().use(
        cors(corsOptions(async (req) => tenants[req.url ?? ''] as AuthConfig)),
        (_req, res) => void res.end('x'),
      ),
    )
    expect(await allowed(FRONT, '/a')).to.equal(FRONT)
    expect(await allowed(FRONT, '/b')).to.equal(null)
  })

  it('gives a failure of that function to the error handler, and allows nobody', async () => {
    const server = express().use(cors(corsOptions(() => Promise.reject(new Error('no tenant')))))
    server.use(
      ((error, _req, res, _next) => void res.status(503).end(error.message)) satisfies express.ErrorRequestHandler,
    )
    app = await listen(server)
    const answer = await app.visitor().get('/', { origin: FRONT })
    expect([answer.status, answer.text]).to.deep.equal([503, 'no tenant'])
    expect(await allowed()).to.equal(null)
  })

  it('fails at once for a configuration that cannot work', () => {
    expect(() => corsOptions(testConfig({ origins: ['*'] }))).to.throw(/`origins` has "\*"/)
  })
})
