import { expect } from 'chai'
import type { FlowQuestion, FlowResult } from '../../lib/flows/flow.js'
import { FlowFailure, finishAndClear } from '../../lib/flows/flow-failure.js'
import { type CookieChange, clearCookie, cookieSpecs } from '../../lib/http/cookies.js'

const cookies: readonly CookieChange[] = [clearCookie(cookieSpecs(true).state)]

describe('finishAndClear', () => {
  it('gives the cookies to clear with the result', async () => {
    const result: FlowResult = { kind: 'forward', url: 'https://preview.example/auth/callback/acme' }
    expect(await finishAndClear(cookies, async () => result)).to.deep.equal({ ...result, cookies })
  })

  it('clears nothing with a question', async () => {
    const question: FlowQuestion = { kind: 'confirm', identifier: null, fields: {} }
    expect(await finishAndClear(cookies, async () => question)).to.equal(question)
  })

  it('throws a failure that has the error and the cookies', async () => {
    const error = new Error('refused')
    const thrown: unknown = await finishAndClear(cookies, () => Promise.reject(error)).catch((thrown) => thrown)
    expect(thrown).to.be.instanceOf(FlowFailure)
    expect(thrown).to.include({ cause: error, cookies })
  })

  it('throws the error itself where there is nothing to clear', async () => {
    const error = new Error('refused')
    expect(await finishAndClear([], () => Promise.reject(error)).catch((thrown: unknown) => thrown)).to.equal(error)
  })
})
