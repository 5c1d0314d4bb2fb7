import { expect } from 'chai'
import { AuthError, MissingSecretError } from '../../lib/index.js'
import { decode, encode, getToken } from '../../lib/jwt/index.js'
import { SECRET } from '../support/app.js'
import { failureOf } from '../support/failure.js'
import { SESSION } from '../support/test-app.js'
import { untyped } from '../support/untyped.js'

const req = { headers: { cookie: `${SESSION}=anything` } }
const token = 'anything'

describe('latchkey/jwt', () => {
  const { AUTH_SECRET, NODE_ENV } = process.env
  afterEach(() => {
    for (const [name, value] of Object.entries({ AUTH_SECRET, NODE_ENV })) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  const CALLS = {
    encode: (secret: unknown) => encode({ token: {}, secret: untyped(secret), salt: SESSION }),
    decode: (secret: unknown) => decode({ token, secret: untyped(secret), salt: SESSION }),
    getToken: (secret: unknown) => getToken({ req, secret: untyped(secret) }),
  }

  for (const [name, call] of Object.entries(CALLS)) {
    it(`${name} says that it has no secret, also if the environment has one: it might be another one`, async () => {
      process.env['AUTH_SECRET'] = SECRET
      for (const secret of [undefined, null, '', [], ['']]) {
        const failure = await failureOf(call(secret))
        expect(failure).to.be.instanceOf(MissingSecretError)
        expect(failure.message).to.include(name).and.include('AUTH_SECRET').and.not.include(SECRET)
      }
    })

    it(`${name} refuses secrets that are not text, and weak ones in production`, async () => {
      for (const secret of [
        [SECRET, ''],
        [SECRET, 7],
        [SECRET, undefined],
      ]) {
        expect(await failureOf(call(secret))).to.be.instanceOf(AuthError)
      }
      process.env['NODE_ENV'] = 'production'
      const failure = await failureOf(call('a short secret'))
      expect(failure).to.be.instanceOf(AuthError)
      expect(failure.message).to.include('fewer than 32 bytes').and.not.include('a short secret')
    })
  }

  it('says that the salt is missing, since the key depends on it', async () => {
    for (const salt of [undefined, null, 7]) {
      const given = { token, secret: SECRET, salt: untyped<string>(salt) }
      expect((await failureOf(encode({ ...given, token: {} }))).message).to.include('name of the session cookie')
      expect((await failureOf(decode(given))).message).to.include('name of the session cookie')
    }
  })

  it('does not make a token whose end is unknown, or that has no claims', async () => {
    for (const maxAge of [Number.NaN, Number.POSITIVE_INFINITY, '3600', null]) {
      const failure = await failureOf(encode({ token: {}, secret: SECRET, salt: SESSION, maxAge: untyped(maxAge) }))
      expect(failure.message).to.include('a number of seconds').and.not.include('3600')
    }
    for (const claims of ['a text', ['a', 'list'], 7, null, new Date()]) {
      const failure = await failureOf(encode({ token: untyped(claims), secret: SECRET, salt: SESSION }))
      expect(failure.message).to.include('an object of claims').and.not.include('a text')
    }
  })

  it('gives null without a token', async () => {
    for (const none of [undefined, null, '', 7, {}]) {
      expect(await decode({ token: untyped(none), secret: SECRET, salt: SESSION })).to.equal(null)
    }
  })

  it('says that there is no request, and shows nothing of what it got', async () => {
    for (const none of [undefined, null, 'a=secret', {}, { headers: 'a=secret' }, { headers: null }]) {
      const failure = await failureOf(getToken({ req: untyped(none), secret: SECRET }))
      expect(failure.message).to.include('getToken({ req })').and.not.include('a=secret')
      const bare = await failureOf(getToken(untyped<{ req: typeof req }>(none)))
      expect(bare.message).to.include('getToken({ req })').and.not.include('a=secret')
      const other = await failureOf(getToken(untyped<typeof req>(none), { providers: [], secret: SECRET }))
      expect(other.message).to.include('getToken(req, config)').and.not.include('a=secret')
    }
  })

  it('takes a missing configuration for a mistake, not for parameters', async () => {
    const confusing = { ...req, req, secret: SECRET }
    for (const config of [undefined, null, 'a text', req, [], confusing]) {
      expect(await failureOf(getToken(confusing, untyped(config)))).to.be.instanceOf(AuthError)
    }
  })
})
