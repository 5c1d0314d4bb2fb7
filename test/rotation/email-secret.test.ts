import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { openMailFlow, resolved as resolvedMail } from '../support/mailbox.js'
import { STEPS } from './processes.js'

describe('the secret of an e-mail provider', () => {
  it('is exchanged in the same three steps: links of the step before and after are good', async () => {
    const adapter = memoryAdapter()
    const steps = Object.values(STEPS)
    for (const [index, made] of steps.entries()) {
      for (const read of [steps[index - 1], steps[index + 1]]) {
        if (!read) continue
        const here = openMailFlow({ adapter, options: { secret: [...made] } })
        const there = openMailFlow({ adapter, options: { secret: [...read] } })
        await here.browser().ask()
        const outcome = await there.browser().press(here.mails[0]?.url ?? '')
        expect(outcome.kind, `${made} to ${read}`).to.equal('identity')
      }
    }
  })

  it('may not be an empty list', () => {
    const mail = { id: 'email', name: 'E-mail', type: 'email', sendVerificationRequest: () => {} }
    for (const secret of ['', []]) {
      expect(() => resolvedMail({ ...mail, secret } as never), JSON.stringify(secret)).to.throw(/secret/)
    }
  })
})
