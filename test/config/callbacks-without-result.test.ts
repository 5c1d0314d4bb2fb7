import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AuthConfig, requireAuth } from '../../lib/index.js'
import { ADA, createLog, passwords, startApp, testConfig } from '../support/app.js'

type Callbacks = NonNullable<AuthConfig['callbacks']>

/** A promise of another library, of nothing. */
// biome-ignore lint/suspicious/noThenProperty: `then` is what makes it one
const later = { then: (done: () => void) => done() }

/** What the callbacks of `log.logger` were warned about, while Ada signs in and visits a guarded page twice. */
async function visit(callbacks: object, more: Partial<AuthConfig> = {}) {
  const log = createLog()
  const warnings: unknown[] = []
  const warn = (code: string, data?: unknown) => void (code === 'callback-without-result' && warnings.push(data))
  const config = testConfig({ callbacks: callbacks as Callbacks, logger: { ...log.logger, warn }, ...more })
  const app = await startApp(config, (server) => {
    server.get('/private', requireAuth(config), (_req, res) => void res.json(res.locals['session']))
  })
  try {
    const visitor = app.visitor()
    await visitor.signIn(ADA)
    await visitor.get('/private')
    const { status } = await visitor.get('/private')
    return { status, warnings }
  } finally {
    await app.close()
  }
}

describe('a callback that returns nothing', () => {
  for (const name of ['signIn', 'jwt', 'session', 'authorized'] as const) {
    it(`locks everybody out, and a warning says so once: ${name}`, async () => {
      for (const callback of [() => {}, async () => {}, () => later]) {
        const { status, warnings } = await visit({ [name]: callback })
        expect(status).to.equal(401)
        expect(warnings).to.have.length(1)
        expect(warnings[0]).to.include({ callback: name })
        expect((warnings[0] as { fix: string }).fix).to.match(/Return /)
      }
    })

    it(`is silent with null: ${name}`, async () => {
      const { status, warnings } = await visit({ [name]: () => null })
      expect({ status, warnings }).to.deep.equal({ status: 401, warnings: [] })
    })
  }

  it('is warned of with stored sessions as well', async () => {
    const adapter = memoryAdapter()
    adapter.createUser({ id: '1815', name: 'Ada', email: 'ada@example.com', image: null, emailVerified: null })
    const { status, warnings } = await visit({ session: () => {} }, { adapter })
    expect(status).to.equal(401)
    expect(warnings).to.have.length(1)
  })

  it('is not warned of when it returns what it decides, also from an instance of a class', async () => {
    class Rules {
      signIn = () => true
      jwt: Callbacks['jwt'] = ({ token }) => token
      session: Callbacks['session'] = async ({ session }) => session
      authorized({ auth }: { auth: unknown }) {
        return auth !== null
      }
    }
    const { status, warnings } = await visit(new Rules(), { providers: [passwords] })
    expect({ status, warnings }).to.deep.equal({ status: 200, warnings: [] })
  })
})
