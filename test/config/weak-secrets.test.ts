import { expect } from 'chai'
import { AuthError } from '../../lib/index.js'
import { SECRET } from '../support/app.js'
import { openTestApp } from '../support/test-app.js'

describe('TOK-05: a weak secret', () => {
  const WEAK = ['short', 'x'.repeat(31), 'changeme'] as const

  for (const secret of WEAK) {
    it(`stops the start in production: ${secret.length} characters`, () => {
      expect(() => openTestApp({ secret }, { env: { NODE_ENV: 'production' } })).to.throw(
        AuthError,
        /fewer than 32 bytes/,
      )
      expect(() => openTestApp({ secret: [SECRET, secret] }, { env: { NODE_ENV: 'production' } })).to.throw(AuthError)
    })

    it(`is warned of elsewhere: ${secret.length} characters`, () => {
      expect(openTestApp({ secret }).log.warnings).to.deep.equal(['weak-secret'])
    })
  }

  it('is never repeated in the message', () => {
    expect(() => openTestApp({ secret: 'marked-secret' }, { env: { NODE_ENV: 'production' } }))
      .to.throw(AuthError)
      .with.property('message')
      .that.does.not.contain('marked-secret')
  })

  it('that is missing stops the start everywhere, with the command that makes one', () => {
    for (const env of [{}, { NODE_ENV: 'development' }, { NODE_ENV: 'production' }] as Record<string, string>[]) {
      expect(() => openTestApp({ secret: [] }, { env })).to.throw(AuthError, /openssl rand -base64 33/)
    }
  })
})
