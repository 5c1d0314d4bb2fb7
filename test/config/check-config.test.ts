import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import {
  type AuthConfig,
  AuthError,
  expressAuth,
  InvalidConfiguration,
  MissingAdapter,
  MissingAdapterMethods,
  MissingSecretError,
} from '../../lib/index.js'
import Email from '../../lib/providers/email.js'
import { createLog, SECRET, testConfig } from '../support/app.js'

const resolve = (more: Partial<AuthConfig>, variables: Record<string, string> = {}) =>
  resolveConfig(testConfig(more), { env: readEnv(variables), now: Date.now })

/** The error that a configuration is refused with. */
function refusal(more: Partial<AuthConfig>, variables?: Record<string, string>): AuthError {
  try {
    resolve(more, variables)
  } catch (error) {
    expect(error).to.be.instanceOf(AuthError)
    return error as AuthError
  }
  throw new Error(`accepted: ${JSON.stringify(more)}`)
}

describe('checking a configuration', () => {
  it('refuses a logger of pino, which would lose the reasons of faults', () => {
    const write = () => undefined
    const pino = { error: write, warn: write, info: write, debug: write, child: write, bindings: write, level: 'info' }
    expect(refusal({ logger: pino as never }).message).to.match(
      /`logger` is a logger of pino.*docs\/guides\/logging\.md/,
    )
    const { child, bindings, ...others } = pino
    expect(() => resolve({ logger: { ...others, child } as never })).not.to.throw()
  })

  it('lists every finding in one error, each with its fix', () => {
    const { message } = refusal({
      secret: '',
      session: { maxAge: 0, updateAge: -1 },
      jwt: { maxAge: Number.NaN },
      pages: { signIn: 'login', error: 'javascript:alert(1)' },
      basePath: 'auth',
      url: 'app.example',
      redirectProxyUrl: '/auth',
      cookies: { sessionToken: { name: 'a b' }, csrfToken: { name: '__Host-x', options: { domain: 'x.example' } } },
    })
    expect(message).to.match(/for 11 reasons:\n- /)
    for (const part of [
      /There is no secret\. Set AUTH_SECRET, or `secret`/,
      /`session\.maxAge` is 0; it must be a number of seconds, at least 1/,
      /`session\.updateAge` is -1/,
      /`jwt\.maxAge` is NaN/,
      /`pages\.signIn` is neither a path that begins with \/ nor an http\(s\) URL/,
      /`pages\.error`/,
      /`basePath` must be a path that begins with \//,
      /`url \(AUTH_URL\)` is not a full http\(s\) URL, such as https:\/\/app\.example\./,
      /`redirectProxyUrl`/,
      /`cookies\.sessionToken` has a name with a character/,
      /`cookies\.csrfToken` begins with __Host-/,
    ]) {
      expect(message).to.match(part)
    }
  })

  it('fails where the app is made, not at the first visitor', () => {
    const logger = createLog().logger
    expect(() => expressAuth({ providers: [], secret: SECRET, pages: { signIn: 'x' }, logger })).to.throw(
      InvalidConfiguration,
    )
  })

  it('names the command that makes a secret, in development too', () => {
    for (const NODE_ENV of ['development', 'production', 'test']) {
      const error = refusal({ secret: '' }, { NODE_ENV })
      expect(error).to.be.instanceOf(MissingSecretError)
      expect([error.type, error.name]).to.deep.equal(['MissingSecret', 'MissingSecretError'])
      expect(error.message).to.contain('AUTH_SECRET').and.to.contain('npx latchkey secret')
    }
    expect(refusal({ secret: [] })).to.be.instanceOf(MissingSecretError)
    expect(refusal({ secret: [SECRET, ''] })).to.be.instanceOf(MissingSecretError)
  })

  it('refuses a weak secret in production and warns of it elsewhere', () => {
    expect(refusal({ secret: 'short' }, { NODE_ENV: 'production' }).message).to.match(/fewer than 32 bytes/)
    const log = createLog()
    resolve({ secret: 'short', logger: log.logger })
    expect(log.warnings).to.deep.equal(['weak-secret'])
  })

  describe('TOK-05: wherever a secret comes in', () => {
    const mailing = (secret: string) => ({
      adapter: memoryAdapter(),
      url: 'https://app.example',
      providers: [Email({ secret, from: 'no-reply@app.example', sendVerificationRequest() {} })],
    })
    const WEAK: Readonly<Record<string, [(weak: string) => Partial<AuthConfig>, RegExp]>> = {
      secret: [(weak) => ({ secret: weak }), /secret in `secret` has fewer than 32 bytes/],
      'a list': [(weak) => ({ secret: [SECRET, weak] }), /secret in `secret` has fewer/],
      'jwt.secret': [(weak) => ({ jwt: { secret: weak } }), /secret in `jwt\.secret` has fewer/],
      'a list in jwt.secret': [(weak) => ({ jwt: { secret: [SECRET, weak] } }), /secret in `jwt\.secret` has fewer/],
      'the secret of an e-mail provider': [mailing, /secret in `the e-mail provider "email", secret` has fewer/],
    }

    for (const [where, [configured, message]] of Object.entries(WEAK)) {
      for (const weak of ['abc', 'x'.repeat(40), '😀'.repeat(40), '\n'.repeat(40)]) {
        it(`a weak one is refused in production, and warned of elsewhere: ${where}, ${JSON.stringify(weak)}`, () => {
          expect(refusal(configured(weak), { NODE_ENV: 'production' }).message)
            .to.match(message)
            .and.to.not.contain(weak)
          const log = createLog()
          resolve({ ...configured(weak), logger: log.logger })
          expect(log.warnings.filter((code) => code === 'weak-secret')).to.have.lengthOf(1)
        })
      }

      it(`a good one is not: ${where}`, () => {
        const good = `${SECRET} and another`
        expect(() => resolve(configured(good), { NODE_ENV: 'production' })).to.not.throw()
        const log = createLog()
        resolve({ ...configured(good), logger: log.logger })
        expect(log.warnings).to.not.include('weak-secret')
      })
    }

    it('one from the environment as well', () => {
      for (const name of ['AUTH_SECRET', 'AUTH_SECRET_1', 'NEXTAUTH_SECRET']) {
        const { message } = refusal({ secret: [] }, { [name]: 'abc', NODE_ENV: 'production' })
        expect(message).to.match(/A secret in `AUTH_SECRET` has fewer than 32/)
      }
    })

    it('an empty one in the list of jwt.secret is refused', () => {
      expect(refusal({ jwt: { secret: [SECRET, ''] } }).message).to.match(/secret in `jwt\.secret` is empty/)
    })
  })

  it('names both ways to send a link where Email() has neither', () => {
    const { message } = refusal({ adapter: memoryAdapter(), url: 'https://app.example', providers: [Email()] })
    expect(message).to.match(/"email" has neither `sendVerificationRequest` nor `server`\. Give one of them/)
  })

  it('never shows a secret in an error', () => {
    expect(refusal({ secret: ['marked-secret', ''] }, { NODE_ENV: 'production' }).message).to.not.contain('marked')
  })

  it('is of the kind of the first finding, so that programs can tell', () => {
    expect(refusal({ session: { strategy: 'database' } })).to.be.instanceOf(MissingAdapter)
    expect(refusal({ adapter: {} })).to.be.instanceOf(MissingAdapterMethods)
    expect(refusal({ basePath: '/auth?x' })).to.be.instanceOf(InvalidConfiguration)
  })

  it('says who would never be read again, or what would never be called (session.refreshUser)', () => {
    const refreshUser = () => null
    const { getUser: _, ...withoutUsers } = memoryAdapter()
    const tokens = { strategy: 'jwt', refreshUser: 60 } as const
    expect(refusal({ session: tokens })).to.be.instanceOf(MissingAdapter)
    expect(refusal({ session: tokens, adapter: withoutUsers })).to.be.instanceOf(MissingAdapterMethods)
    expect(refusal({ callbacks: { refreshUser } }).message).to.include('never called without `session.refreshUser`')
    expect(
      refusal({ session: { refreshUser: 60 }, adapter: memoryAdapter(), callbacks: { refreshUser } }).message,
    ).to.include('never called with stored sessions')
    for (const sound of [
      { session: tokens, callbacks: { refreshUser } },
      { session: tokens, adapter: withoutUsers, callbacks: { refreshUser } },
      { session: tokens, adapter: memoryAdapter() },
      { session: { refreshUser: 0 }, adapter: memoryAdapter() },
    ]) {
      expect(() => resolve(sound)).not.to.throw()
    }
    expect(refusal({ session: { ...tokens, refreshUser: -1 } }).message).to.include('at least 0')
  })

  it('judges each configuration alone (wire contract 16, 12)', () => {
    refusal({ session: { strategy: 'database' } })
    expect(() => resolve({})).to.not.throw()
  })

  it('refuses cookies that could not be sent, before anybody signs in (COOKIE-13)', () => {
    for (const [options, part] of [
      [{ path: '/;x' }, /`cookies\.sessionToken` .*path/],
      [{ domain: 'a b' }, /`cookies\.sessionToken` .*domain/],
      [{ maxAge: 1.5 }, /`cookies\.sessionToken` .*maxAge/],
      [{ maxAge: -1 }, /`cookies\.sessionToken\.options\.maxAge` is -1/],
      [{ sameSite: 'loose' as 'lax' }, /`cookies\.sessionToken\.options\.sameSite` is "loose"/],
    ] as const) {
      expect(refusal({ cookies: { sessionToken: { options } } }).message).to.match(part)
    }
    expect(refusal({ cookies: { state: { name: '__Secure-x', options: { secure: false } } } }).message).to.match(
      /must be secure/,
    )
    for (const name of ['', 'a;b', 'a=b', 'ü', 'a\r\nb']) {
      expect(refusal({ cookies: { state: { name } } }).message, name).to.match(/`cookies\.state`/)
    }
  })

  it('refuses a malformed list of hosts, or patterns that would match hosts of anybody (WEB-04)', () => {
    for (const hosts of [[], 'app.example', {}, null, 7] as unknown as string[][]) {
      expect(refusal({ hosts }).message, JSON.stringify(hosts)).to.match(
        /`hosts` is (empty|.*; it must be a list of strings)/,
      )
    }
    const { message } = refusal({ hosts: ['app.example', '*', 'https://app.example'] })
    expect(message).to.match(/`hosts` has "\*": .*anybody/)
    expect(message).to.match(/`hosts` has "https:\/\/app\.example": .*scheme/)
    expect(refusal({ hosts: [7 as unknown as string] }).message).to.match(/`hosts\[0\]` is a number/)
    expect(message).to.not.match(/`hosts` has "app\.example"/)
  })

  it('refuses origins that are none, that anybody can have, and http in production (WEB-02)', () => {
    for (const origins of ['https://app.example', {}, null, [7]] as unknown as string[][])
      expect(refusal({ origins }).message, JSON.stringify(origins)).to.match(/`origins(\[0\])?` is/)
    const { message } = refusal({ origins: ['https://app.example', '*', 'https://app.example/', 'https://*.com'] })
    expect(message).to.match(/`origins` has "\*": .*every page/)
    expect(message).to.match(/`origins` has "https:\/\/app\.example\/": .*write "https:\/\/app\.example"/)
    expect(message).to.match(/`origins` has "https:\/\/\*\.com": .*anybody/)
    expect(message).to.not.match(/has "https:\/\/app\.example":/)
  })

  it('takes what is sound', () => {
    for (const more of [
      { session: { maxAge: 1, updateAge: 0 } },
      { pages: { signIn: '/login?x=1', error: 'https://login.example/oops' } },
      { basePath: '/' },
      { basePath: '/a/b' },
      { url: 'http://localhost:3000' },
      { hosts: ['app.example', '*.app.example', 'localhost:3000', '[::1]'] },
      { origins: ['http://localhost:5173', 'http://app.example', 'https://*.app.example'] },
      { redirectProxyUrl: 'https://proxy.example/auth' },
      { cookies: { sessionToken: { name: '__Host-sid', options: { sameSite: 'strict', partitioned: true } } } },
      { secret: [SECRET, 'a secret of before, also long enough'] },
    ] as Partial<AuthConfig>[]) {
      expect(() => resolve(more), JSON.stringify(more)).to.not.throw()
    }
  })

  describe('of session.revocation', () => {
    const AUTHJS = {
      createSession: () => {},
      getSessionAndUser: () => null,
      updateSession: () => {},
      deleteSession: () => {},
    }

    it('refuses an adapter made for Auth.js, with every method that it lacks', () => {
      const error = refusal({ session: { revocation: { store: AUTHJS as never } } })
      expect(error).to.be.instanceOf(MissingAdapterMethods)
      for (const name of [
        'createTokenSession',
        'getTokenSession',
        'updateTokenSession',
        'revokeTokenSession',
        'listTokenSessionsByUserId',
        'made for Auth.js',
      ]) {
        expect(error.message).to.contain(name)
      }
      const { revokeTokenSession: _, ...others } = memoryAdapter()
      expect(refusal({ session: { revocation: { store: others } } }).message).to.contain('lacks revokeTokenSession.')
    })

    it('refuses it for stored sessions, which can be revoked without it', () => {
      const adapter = memoryAdapter()
      for (const session of [{ strategy: 'database' as const }, {}]) {
        const error = refusal({ adapter, session: { ...session, revocation: { store: adapter } } })
        expect(error).to.be.instanceOf(InvalidConfiguration)
        expect(error.message).to.contain('they are revocable without it')
      }
      expect(() => resolve({ adapter, session: { strategy: 'jwt', revocation: { store: adapter } } })).not.to.throw()
    })

    it('refuses to go without a store that is not there, or with an interval that is none', () => {
      const store = memoryAdapter()
      for (const revocation of [{}, { store: undefined }, { store: null }, null, true, { store, checkEvery: -1 }]) {
        expect(refusal({ session: { revocation: revocation as never } }), JSON.stringify(revocation)).to.be.instanceOf(
          InvalidConfiguration,
        )
      }
      for (const checkEvery of [Number.NaN, Number.POSITIVE_INFINITY, '30', null]) {
        expect(refusal({ session: { revocation: { store, checkEvery: checkEvery as never } } }).message).to.contain(
          '`session.revocation.checkEvery`',
        )
      }
      for (const checkEvery of [0, 0.5, 30]) {
        expect(() => resolve({ session: { revocation: { store, checkEvery } } })).not.to.throw()
      }
    })
  })
})
