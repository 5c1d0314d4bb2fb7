import { expect } from 'chai'
import {
  authSession,
  expressAuth,
  InvalidConfiguration,
  type RequireAuthOptions,
  requireAuth,
} from '../../../lib/index.js'
import { testConfig } from '../../support/app.js'
import { untyped } from '../../support/untyped.js'

describe('the options of a call', () => {
  const config = testConfig()
  const guard = (options: unknown) => () => requireAuth(config, untyped<RequireAuthOptions>(options))

  for (const [what, options, says] of [
    ['maxAge for maxAuthAge', { maxAge: 1 }, 'Did you mean `maxAuthAge`?'],
    ['a misspelt name', { maxAuthage: 1 }, '`maxAuthage` is unknown. Did you mean `maxAuthAge`?'],
    ['another misspelt name', { signInURL: '/login' }, 'Did you mean `signInUrl`?'],
    ['a callback of the configuration', { authorized: () => false }, '`callbacks.authorized`'],
    ['a name that nobody knows', { realm: 'staff' }, '`realm` is unknown'],
    ['a number', 1, 'The options are a number; they must be an object'],
    ['a text', '1', 'The options are a string; they must be'],
    ['a function', () => ({ maxAuthAge: 1 }), 'The options are a function'],
    ['a list', [{ maxAuthAge: 1 }], 'The options are a list'],
    ['a promise', Promise.resolve({ maxAuthAge: 1 }), 'Await it.'],
    ['null', null, 'Leave it out'],
    ['a text for a number', { maxAuthAge: 'Infinity' }, '`maxAuthAge` is "Infinity"; it must be a number of seconds'],
    ...[Number.NaN, -1, 0, '1', null, true, 1e12, {}, Promise.resolve(1), new Date()].map(
      (maxAuthAge): [string, unknown, string] => [
        `a maxAuthAge that is ${maxAuthAge}`,
        { maxAuthAge },
        '`maxAuthAge` is',
      ],
    ),
    ...['javascript:alert(1)', '//evil.example', '/\\evil.example', 'login', '', 'ftp://a.example', 7, null].map(
      (signInUrl): [string, unknown, string] => [`a signInUrl that is ${signInUrl}`, { signInUrl }, '`signInUrl` is'],
    ),
  ] as [string, unknown, string][]) {
    it(`fail when a guard is created: ${what}`, () => {
      expect(guard(options)).to.throw(InvalidConfiguration, says)
    })
  }

  it('SESS-10: fail at the start of a guard whose limit is a variable that is not set', () => {
    const missing =
      '`maxAuthAge` is undefined, which would be no limit; it must be a number of seconds, at least 1, or Infinity'
    expect(guard({ maxAuthAge: undefined })).to.throw(InvalidConfiguration, missing)
    expect(guard(Object.create({ maxAuthAge: undefined }))).to.throw(InvalidConfiguration, missing)
  })

  it('are reported all at once, with the call that they belong to', () => {
    expect(guard({ maxAuthage: 1, signInUrl: 'login' }))
      .to.throw(InvalidConfiguration)
      .with.property('message')
      .that.contains('requireAuth(config, options)')
      .and.contains('`maxAuthage`')
      .and.contains('`signInUrl`')
  })

  it('are accepted if they are right', () => {
    for (const options of [
      ...[undefined, {}, { signInUrl: undefined }, { maxAuthAge: 1 }, { maxAuthAge: Number.POSITIVE_INFINITY }],
      ...[{ signInUrl: '/login?from=guard' }, { signInUrl: 'https://login.example/?app=1' }, Object.create(null)],
    ]) {
      expect(guard(options)).not.to.throw()
    }
  })

  it('fail if the function takes no options', () => {
    for (const make of [authSession, expressAuth] as unknown as ((...all: unknown[]) => unknown)[]) {
      expect(() => make(config, { maxAuthAge: 1 }), make.name).to.throw(
        InvalidConfiguration,
        'requireAuth(config, options)',
      )
      expect(() => make(config, undefined), make.name).not.to.throw()
    }
  })
})
