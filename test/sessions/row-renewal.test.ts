import { expect } from 'chai'
import type { LoggerInstance } from '../../lib/kernel/logger.js'
import { createRowRenewal } from '../../lib/sessions/row-changes.js'

describe('the extension of a session that several requests wait for', () => {
  it('is made once, and when it fails it is logged once and on behalf of nobody', async () => {
    let calls = 0
    const logged: unknown[] = []
    const renew = createRowRenewal({
      store: {
        updateSession: async () => {
          calls += 1
          throw new Error('down')
        },
      },
      logger: { error: (...given: unknown[]) => void logged.push(given[1]) } as unknown as LoggerInstance,
    })
    const row = { sessionToken: 'sha256:a', expires: new Date(1) }
    const ask = () => renew(row, new Date(2))
    expect(await Promise.all([ask(), ask()])).to.deep.equal([null, null])
    expect([calls, logged]).to.deep.equal([1, [undefined]])
  })
})
