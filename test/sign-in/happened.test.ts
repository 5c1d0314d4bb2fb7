import { expect } from 'chai'
import { happened } from '../../lib/sign-in/happened.js'
import { createLog } from '../support/app.js'
import { openTestApp } from '../support/test-app.js'

describe('what is told of a sign-out', () => {
  it('cannot refuse: what throws is logged, and the rest is told all the same', async () => {
    const { engine } = openTestApp()
    const { logger, errors } = createLog()
    const revoked: string[] = []
    const config = {
      ...engine.config,
      logger: { ...engine.config.logger, ...logger },
      emit: () => Promise.reject(new Error('The event could not be told.')),
      accountTokens: { ...engine.config.accountTokens, revokeAllOf: async (id: string) => void revoked.push(id) },
    }
    const told = await happened.ended(
      { config, source: undefined },
      { message: { token: null }, revokesTokensOf: 'ada' },
    )
    expect([told, revoked]).to.deep.equal([[], ['ada']])
    expect(errors.map(({ message }) => message)).to.deep.equal(['Not everything was told of a sign-in or a sign-out.'])
  })
})
