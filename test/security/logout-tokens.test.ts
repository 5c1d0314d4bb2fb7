import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { Adapter, LoggerInstance } from '../../lib/index.js'
import { createUsedLogoutTokens } from '../../lib/sessions/used-logout-tokens.js'
import { createLog } from '../support/app.js'
import { Clock } from '../support/test-app.js'

describe('LOGOUT-07 a used logout token', () => {
  const MINUTE = 60_000
  const remember = (store: Adapter, secret: string) => {
    const clock = new Clock()
    const logger = createLog().logger as LoggerInstance
    return {
      clock,
      used: createUsedLogoutTokens({ store, secrets: [secret], instance: undefined, logger, now: clock.now }),
    }
  }
  const idOf = (tokenId: string | number) => ({ provider: 'op', tokenId: `${tokenId}` })

  it('counts as used also where it made room for others and no store knows it', async () => {
    const { clock, used } = remember({}, 'no store')
    const until = clock.ms + MINUTE
    await used.add(idOf('used'), until)
    for (let n = 0; n < 100_001; n += 1) await used.add(idOf(n), until)
    expect(await used.has(idOf('used'), until)).to.equal(true)
    expect(await used.has(idOf('later'), until + 1)).to.equal(false)
  })

  it('is known to a store, which refuses no other', async () => {
    const { clock, used } = remember(memoryAdapter(), 'a store')
    const until = clock.ms + MINUTE
    await used.add(idOf('used'), until)
    expect(await Promise.all(['used', 'another'].map((id) => used.has(idOf(id), until)))).to.deep.equal([true, false])
  })
})
