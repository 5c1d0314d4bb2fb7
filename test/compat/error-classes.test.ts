import * as theirs from '@auth/core/errors'
import { expect } from 'chai'
import * as ours from '../../lib/index.js'

describe('what an application of Auth.js imports', () => {
  it('has every class of @auth/core/errors, with its type', () => {
    const classes = Object.entries(theirs).filter(([, value]) => value.prototype instanceof Error)
    expect(classes).to.have.length.above(20)
    for (const [name, { type = name }] of classes as [string, { type?: string }][]) {
      expect(ours, name).to.have.property(name).that.has.property('type', type)
    }
  })

  it('may throw each of them, and match on it', () => {
    for (const [Class, type] of [
      [ours.MissingSecret, 'MissingSecret'],
      [ours.InvalidCallbackUrl, 'InvalidCallbackUrl'],
      [ours.ErrorPageLoop, 'ErrorPageLoop'],
    ] as const) {
      const error = new Class('mine')
      expect(error).to.be.instanceOf(ours.AuthError).and.to.include({ type, message: 'mine' })
    }
  })

  it('makes the URL of an action with https where the framework does not say the protocol', () => {
    const headers = new Headers({ host: 'app.example' })
    for (const protocol of [undefined, 'https', 'https:']) {
      const url = ours.createActionURL('callback', protocol, headers, {}, { basePath: '/auth' })
      expect(String(url)).to.equal('https://app.example/auth/callback')
    }
    const forwarded = new Headers({ host: 'app.example', 'x-forwarded-proto': 'http' })
    const url = ours.createActionURL('signin', undefined, forwarded, {}, { basePath: '/auth' })
    expect(String(url)).to.equal('http://app.example/auth/signin')
  })
})
