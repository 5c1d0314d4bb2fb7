import { expect } from 'chai'
import { Services } from '../../lib/sign-in/config.js'
import { POINTS, pointsIn } from '../../lib/sign-in/feature.js'
import { happened } from '../../lib/sign-in/happened.js'
import { withoutRequest } from '../../lib/sign-in/visit.js'
import { createLog } from '../support/app.js'
import { openTestApp } from '../support/test-app.js'

const ADA = { kind: 'sign-out', userId: 'ada', at: { provider: 'op', subject: 'person-1', sid: 'session-1' } } as const

describe('what is told of a sign-out', () => {
  it('cannot refuse: what throws is logged, and the rest is told all the same', async () => {
    const { engine } = openTestApp()
    const { logger, errors } = createLog()
    const heard: unknown[] = []
    const services = new Services().set(POINTS, {
      ...pointsIn(engine.config),
      ended: [(_at, { message: _, ...ended }) => void heard.push(ended)],
    })
    const config = {
      ...engine.config,
      logger: { ...engine.config.logger, ...logger },
      emit: () => Promise.reject(new Error('The event could not be told.')),
      services,
    }
    const told = await happened.ended(withoutRequest(config), { message: { token: null }, ...ADA })
    expect([told, heard]).to.deep.equal([[], [ADA]])
    expect(errors.map(({ message }) => message)).to.deep.equal(['Not everything was told of a sign-in or a sign-out.'])
  })
})
