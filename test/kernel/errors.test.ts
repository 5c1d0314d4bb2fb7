import { expect } from 'chai'
import { withoutDetails } from '../../lib/kernel/errors.js'

const unreadable = (member: string) =>
  Object.defineProperty(new Error('x'), member, {
    get: () => {
      throw new Error('no access')
    },
  })

describe('an error that is handed on without its details', () => {
  it('is made of any that an application or a library throws, and making it never throws', () => {
    const odd: unknown[] = [
      Object.assign(new Error('x'), { message: { access_token: 'secret' } }),
      Object.assign(new Error('x'), {
        message: Symbol('x'),
        name: Symbol('x'),
        stack: 7,
        code: { access_token: 'secret' },
      }),
      ...['message', 'name', 'stack', 'code', 'cause'].map(unreadable),
      Object.assign(new Error('x'), { cause: unreadable('message') }),
      null,
      Symbol('x'),
    ]
    for (const thrown of odd) {
      const bare = withoutDetails(thrown)
      expect(bare).to.be.an('error')
      for (const text of [bare.name, bare.message]) expect(text).to.be.a('string')
      expect(JSON.stringify(Object.getOwnPropertyDescriptors(bare))).to.not.contain('access_token')
    }
  })

  it('keeps name, message, code, stack and causes', () => {
    const cause = Object.assign(new TypeError('refused'), { code: 'ECONNREFUSED', response: 'secret' })
    const bare = withoutDetails(new RangeError('down', { cause }))
    expect([bare.name, bare.message, bare.stack]).to.satisfy(
      ([name, message, stack]: string[]) =>
        name === 'RangeError' && message === 'down' && stack?.includes('errors.test'),
    )
    expect(bare.cause).to.include({ name: 'TypeError', message: 'refused', code: 'ECONNREFUSED' })
    expect(bare.cause).to.not.have.property('response')
  })
})
