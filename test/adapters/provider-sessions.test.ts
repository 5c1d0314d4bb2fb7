import { expect } from 'chai'
import type { Adapter, AdapterSession } from '../../lib/adapters/adapter.js'
import { combineAdapters } from '../../lib/adapters/combine.js'
import { openStore } from '../../lib/adapters/gateway.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'

const EXPIRES = new Date('2031-01-01')
const AT = { provider: 'acme', subject: 'ada', sid: 'one' }
const SESSION: AdapterSession = { sessionToken: 'token', userId: 'u', expires: EXPIRES, ...AT }

const callsOver = (adapter: Adapter) => {
  const warnings: unknown[] = []
  const logger = { warn: (code: string) => void warnings.push(code) }
  return { calls: openStore(adapter, { timeout: 5, logger }), warnings }
}

describe('sessions that a provider ends', () => {
  for (const name of ['listSessionsByProvider', 'listTokenSessionsByProvider'] as const) {
    it(`are none of somebody else, whatever a loose column gives: ${name}`, async () => {
      const foreign = [
        { ...SESSION, provider: 'ACME' },
        { ...SESSION, subject: 'àda' },
        { ...SESSION, sid: 'One' },
        { ...SESSION, sid: 'one ' },
        { ...SESSION, sid: null },
        { userId: 'u' },
        null,
        'one',
      ]
      const { calls, warnings } = callsOver({ [name]: async () => [SESSION, ...foreign] as never })
      expect(await calls[name](AT)).to.deep.equal([SESSION])
      expect(await calls[name]({ provider: 'acme' })).to.deep.equal([])
      expect(warnings).to.deep.equal(['inexact-adapter'])
      const exact = callsOver({ [name]: async () => [SESSION] as never })
      expect(await exact.calls[name]({ provider: 'acme', sid: 'one' })).to.deep.equal([SESSION])
      expect(exact.warnings).to.deep.equal([])
    })
  }

  it('are looked for where sessions are, and accounts are changed where accounts are', async () => {
    const [sessions, rest] = [memoryAdapter(), memoryAdapter()]
    const adapter = combineAdapters({ sessions, rest })
    const account = { userId: 'u', type: 'oidc', provider: 'acme', providerAccountId: 'ada' } as const
    rest.createUser({ id: 'u', email: 'u@x.example', emailVerified: null })
    await adapter.linkAccount?.(account)
    expect(await adapter.updateAccount?.(account, { tokenLease: 'mine' }, { tokenLease: null })).to.equal(true)
    expect(await rest.getAccount('ada', 'acme')).to.include({ tokenLease: 'mine' })
    expect(await sessions.getAccount('ada', 'acme')).to.equal(null)
    await adapter.createSession?.(SESSION)
    expect(await adapter.listSessionsByProvider?.(AT)).to.deep.equal([SESSION])
    expect(await rest.listSessionsByProvider(AT)).to.deep.equal([])
  })

  it('are not looked for in a store that has no sessions', () => {
    const { listSessionsByProvider: _, listTokenSessionsByProvider: __, ...sessions } = memoryAdapter()
    const adapter = combineAdapters({ sessions, rest: memoryAdapter() })
    expect(adapter).to.not.have.any.keys('listSessionsByProvider', 'listTokenSessionsByProvider')
  })
})
