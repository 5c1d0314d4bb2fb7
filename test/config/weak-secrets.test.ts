import { expect } from 'chai'
import { AuthError } from '../../lib/index.js'
import { SECRET } from '../support/app.js'
import { openTestApp } from '../support/test-app.js'

describe('TOK-05: a weak secret', () => {
  const WEAK = ['short', 'x'.repeat(31), 'password'] as const

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

  describe('that nobody has filled in', () => {
    for (const secret of [
      '$(openssl rand -base64 33)',
      '"$(openssl rand -base64 33)"'.slice(1, -1),
      '`openssl rand -hex 32`',
      `\${AUTH_SECRET}`,
      '$AUTH_SECRET',
      'openssl rand -base64 33',
      'your-secret-here',
      'my secret',
      'super-secret-key',
      'changeme',
      'replace-me-with-a-long-random-text-please',
      '<your secret>',
      '...',
      '…',
    ]) {
      it(`stops the start everywhere: ${secret}`, () => {
        for (const NODE_ENV of ['development', 'production', 'test']) {
          expect(() => openTestApp({ secret }, { env: { NODE_ENV } })).to.throw(
            AuthError,
            /is not a secret.*npx latchkey secret/,
          )
        }
        expect(() => openTestApp({ secret: [SECRET, secret] })).to.throw(AuthError, /is not a secret/)
      })
    }

    it('is not what a real secret looks like', () => {
      for (const secret of [
        'changes-of-the-moon-over-a-quiet-harbour',
        'your mother keeps forty-one geese in Umbria',
        'a$b$c$d$e$f$g$h$i$j$k$l$m$n$o$p$q$r',
        'secretary-bird-secretary-bird-secretary-bird',
      ]) {
        expect(openTestApp({ secret }).log.warnings, secret).to.deep.equal([])
      }
    })
  })

  it('that is missing stops the start everywhere, with the command that makes one', () => {
    for (const env of [{}, { NODE_ENV: 'development' }, { NODE_ENV: 'production' }] as Record<string, string>[]) {
      expect(() => openTestApp({ secret: [] }, { env })).to.throw(AuthError, /npx latchkey secret/)
    }
  })
})
