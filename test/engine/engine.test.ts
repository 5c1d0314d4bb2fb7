import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { createEngine } from '../../lib/engine/engine.js'
import { incomingFromRequest } from '../../lib/kernel/incoming.js'
import { createLog, testConfig } from '../support/app.js'
import { requestContext } from '../support/request-context.js'

const PLACE = { origin: 'https://app.example', basePath: '/auth' }

describe('an engine', () => {
  it('answers even where the page of a failure cannot be made', async () => {
    const log = createLog()
    const config = resolveConfig(testConfig({ logger: log.logger }), { env: readEnv({}), now: Date.now })
    const render = () => Promise.reject(new Error('no templates'))
    const { handle } = createEngine({ ...config, renderer: { ...config.renderer, render } })
    const answer = await handle(incomingFromRequest(new Request('https://app.example/auth/signin')), PLACE)
    expect(answer).to.deep.include({ status: 500, body: 'Something went wrong.' })
    expect(answer.cookies ?? []).to.deep.equal([])
    expect(log.errors.map(({ message }) => message)).to.deep.equal([
      'Something threw.',
      'The page of a failure could not be made.',
    ])
  })

  it('gives nobody for a request without cookies, and asks nothing', async () => {
    const jwt = () => Promise.reject(new Error('must not be asked'))
    const config = resolveConfig(testConfig({ callbacks: { jwt } }), { env: readEnv({}), now: Date.now })
    expect(await createEngine(config).renewSession(requestContext(undefined, PLACE.origin))).to.deep.include({
      session: null,
      cookies: [],
    })
  })
})
