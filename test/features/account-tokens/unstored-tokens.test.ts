import { expect } from 'chai'
import type { AccountChanges, AdapterAccount } from '../../../lib/adapters/adapter.js'
import type { HeldTokens } from '../../../lib/features/account-tokens/token-rows.js'
import { createUnstoredTokens } from '../../../lib/features/account-tokens/unstored-tokens.js'
import { aMoment, hurryTimers } from '../../support/timers.js'

const before: AdapterAccount = {
  userId: 'ada',
  type: 'oidc',
  provider: 'op',
  providerAccountId: 'ada',
  access_token: 'access-1',
  refresh_token: 'refresh-1',
}
const changes = { access_token: 'access-2', refresh_token: 'refresh-2', tokenLease: null } as AccountChanges

/** A sign-in without a refresh token changes the row between the read and the write. */
describe('OAUTH-15: rotated tokens that wait for the store', () => {
  const open = () => {
    let row: AdapterAccount = { ...before }
    const state = { signInsToCome: 0, revoked: 0 }
    const held = () => ({ row: { ...row } }) as HeldTokens
    const rows = {
      reload: async () => held(),
      change: async (_: unknown, changed: AccountChanges, expected: object = {}) => {
        if (state.signInsToCome > 0) {
          state.signInsToCome -= 1
          row = { ...row, access_token: `access-of-a-sign-in-${state.signInsToCome}` }
        }
        const isAsExpected = Object.entries(expected).every(([name, value]) => row[name as keyof typeof row] === value)
        if (isAsExpected) row = { ...row, ...changed } as AdapterAccount
        return isAsExpected
      },
    }
    const unstored = createUnstoredTokens(rows, async () => {
      state.revoked += 1
    })
    return { unstored, state, held }
  }

  it('stay after a lost race, and the next call stores the refresh token beside the access token of the sign-in', async () => {
    const { unstored, state, held } = open()
    unstored.keep(before, changes)
    state.signInsToCome = 1
    expect(await unstored.flush(held()), 'the row must be read again').to.equal(true)
    expect(held().row.refresh_token).to.equal('refresh-1')
    expect(await unstored.flush(held())).to.equal(true)
    expect(held().row).to.include({ refresh_token: 'refresh-2', access_token: 'access-of-a-sign-in-0' })
    expect(await unstored.flush(held()), 'nothing waits any more').to.equal(false)
  })

  it('stay after a race that was lost in the background', async () => {
    const takeTime = hurryTimers(2000)
    const { unstored, state, held } = open()
    unstored.keep(before, changes)
    state.signInsToCome = 1
    await aMoment()
    takeTime()
    expect(held().row).to.include({ refresh_token: 'refresh-2', access_token: 'access-of-a-sign-in-0' })
    expect(state.revoked).to.equal(0)
  })

  it('are not kept without a new refresh token, or where a thousand wait already, and the caller learns it', () => {
    const { unstored } = open()
    expect(unstored.keep(before, { access_token: 'access-2' })).to.equal(false)
    for (let count = 0; count < 1000; count += 1)
      expect(unstored.keep({ ...before, refresh_token: `refresh-of-${count}` }, changes)).to.equal(true)
    expect(unstored.keep(before, changes)).to.equal(false)
  })
})
