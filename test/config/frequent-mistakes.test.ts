import { generateKeyPairSync } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { type AuthConfig, csrfToken, InvalidConfiguration } from '../../lib/index.js'
import Apple from '../../lib/providers/catalogue/apple.js'
import Google from '../../lib/providers/catalogue/google.js'
import Nodemailer from '../../lib/providers/mail/nodemailer.js'
import { oidcProvider } from '../../lib/providers/oauth-provider.js'
import { noProvider } from '../../lib/sign-in/sign-in-form.js'
import { createLog, testConfig } from '../support/app.js'
import { failureOf } from '../support/failure.js'
import { resolved } from '../support/oauth-driver.js'

const resolve = (more: Partial<AuthConfig>) => resolveConfig(testConfig(more), { env: readEnv({}), now: Date.now })

/** The message that a configuration is refused with. */
function refusal(more: Partial<AuthConfig>): string {
  try {
    resolve(more)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('accepted')
}

const CLIENT = { clientId: 'client', clientSecret: 'secret' }
const acme = (more: object = {}) =>
  ({ id: 'acme', name: 'Acme', type: 'oidc', issuer: 'https://op.example', ...CLIENT, ...more }) as never

describe('a frequent mistake is refused with the words to write instead:', () => {
  it('a scope that is a list', () => {
    const scope = ['openid', 'email']
    for (const provider of [
      Google({ ...CLIENT, scope: scope as never }),
      acme({ authorization: { params: { scope } } }),
    ]) {
      expect(refusal({ providers: [provider] }))
        .to.include('scope is a list;')
        .and.include('scope: "openid email"')
    }
    expect(refusal({ providers: [acme({ authorization: { params: { scope: 7 } } })] })).to.include('scope is a number')
    for (const sound of [undefined, null, 'openid', () => 'openid'])
      expect(() => resolve({ providers: [acme({ authorization: { params: { scope: sound } } })] })).not.to.throw()
  })

  it('a URL of a server whose password has characters that end it', () => {
    const nodemailer = (server: string) => Nodemailer({ server, from: 'no-reply@example.com' })
    const mails = (server: string) => ({ adapter: memoryAdapter(), providers: [nodemailer(server)] })
    for (const password of ['pa#ss', 'pa/ss', 'pa?ss', '12#34', '12/34', '12?34', '100%', 'a%zz']) {
      const message = refusal(mails(`smtp://user:${password}@127.0.0.1:2525`))
      expect(message, password)
        .to.match(/`server`.*%23 for #/)
        .and.not.to.include(password)
      expect(() => redisAdapter({ url: `redis://user:${password}@127.0.0.1:6379` }), password).to.throw(/%23 for #/)
      expect(() => sqlAdapter({ url: `postgres://user:${password}@127.0.0.1/app` }), password).to.throw(/%23 for #/)
    }
    for (const sound of [
      'smtp://localhost',
      'smtps://user:p%23ss@mail.example:465',
      'smtp://u%40x.example:p@h/?pool=true',
    ])
      expect(() => resolve(mails(sound)), sound).not.to.throw()
  })

  it('an issuer without its scheme, told once', () => {
    for (const issuer of ['localhost:8080/realms/main', 'id.example.com', 'ftp://id.example.com'])
      expect(refusal({ providers: [acme({ issuer })] })).to.match(
        /^Provider "acme": issuer is not an absolute URL. Write it with its scheme: https:\/\/…$/,
      )
  })

  it('a domain for the cookie that shows who signed in here', () => {
    for (const options of [{ domain: 'app.example' }, { path: '/app' }, { secure: false }])
      expect(refusal({ cookies: { ownSignIn: { options } } })).to.match(/cookies\.ownSignIn.*no domain/)
    for (const cookies of [
      { ownSignIn: { options: { path: '/' } } },
      { csrfToken: { options: { domain: 'app.example' } } },
    ])
      expect(() => resolve({ cookies })).not.to.throw()
  })

  it('a cookie for other sites that is not secure', () => {
    const sessionToken = { options: { sameSite: 'none' as const, secure: false } }
    expect(refusal({ cookies: { sessionToken } })).to.match(/sessionToken.*sameSite "none".*secure: true/)
    expect(() => resolve({ cookies: { sessionToken: { options: { sameSite: 'none', secure: true } } } })).not.to.throw()
  })

  describe('the key of Apple', () => {
    const pem = String(
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    )
    const apple = (privateKey: string) => ({
      providers: [Apple({ clientId: 'client', teamId: 'TEAM123456', keyId: 'KEY1234567', privateKey })],
    })

    it('that an environment variable has changed is read all the same', async () => {
      const base64 = pem.replace(/-----[^-]+-----|\s/g, '')
      for (const text of [
        pem,
        pem.replaceAll('\n', '\\n'),
        pem.replaceAll('\n', ' '),
        pem.replaceAll('\n', '\r\n'),
        base64,
      ]) {
        const [entry] = apple(text).providers.map((provider) => resolved(provider))
        expect(await entry?.makeClientSecret?.({ clientId: 'client' })).to.match(/^ey/)
      }
    })

    it('that is none is refused, and no part of it is repeated', () => {
      const rsa = String(
        generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
      )
      for (const text of ['AuthKey_KEY1234567.p8', pem.slice(0, 120), rsa]) {
        expect(refusal(apple(text)))
          .to.include('its privateKey cannot be read')
          .and.not.to.include(text.slice(30, 60) || text)
      }
    })
  })

  it('scopes of an entry that are a string', () => {
    const Acme = oidcProvider({
      id: 'acme',
      name: 'Acme',
      issuer: 'https://op.example',
      scopes: 'openid email' as never,
    })
    const message = refusal({ providers: [Acme] })
    expect(message)
      .to.include('scopes is a string; it must be a list')
      .and.not.to.match(/threw|Call it yourself/)
    expect(() => Acme(CLIENT)).to.throw(/scopes is a string/)
  })

  it('a client or a pool in place of an adapter', () => {
    const store = new EventEmitter() as never
    for (const mistaken of [{ adapter: store }, { session: { revocation: { store } } }])
      expect(refusal(mistaken)).to.include('instance of EventEmitter').and.include('redisAdapter(client) or sqlAdapter')
  })

  it('paths in place of a certificate and its key', () => {
    const message = refusal({ providers: [acme({ tls: { cert: '/etc/app/client.pem', key: 'client.key' } })] })
    expect(message)
      .to.include('tls.cert is the path of a file')
      .and.include('tls.key is the path')
      .and.include('Give what you read from the file')
  })

  it('a KeyObject in place of a JWK', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const client = { token_endpoint_auth_method: 'private_key_jwt' }
    const message = refusal({ providers: [acme({ client, token: { clientPrivateKey: privateKey } })] })
    expect(message).to.include('is a KeyObject').and.include('export({ format: "jwk" })')
  })

  it('a key that signs nothing, with a warning', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const token = { clientPrivateKey: privateKey.export({ format: 'jwk' }) }
    const warned = (more: object) => {
      const log = createLog()
      resolve({ providers: [acme({ token, ...more })], logger: log.logger })
      return log.warnings.join(' ')
    }
    expect(warned({})).to.include('unused-option')
    expect(warned({ client: { token_endpoint_auth_method: 'private_key_jwt' } })).not.to.include('unused-option')
    expect(warned({ requestObjects: true })).not.to.include('unused-option')
  })

  it('tokens of providers without stored users', () => {
    for (const accountTokens of [{ encrypt: false }, { store: memoryAdapter() }])
      expect(refusal({ accountTokens })).to.match(
        /there is no adapter.*Set `adapter`, and `session: { strategy: "jwt" }`/,
      )
  })

  it('an adapter that cannot do what the configuration promises', () => {
    const { updateAccount: _, ...old } = memoryAdapter()
    expect(refusal({ adapter: old, accountTokens: { revokeAtSignOut: true } })).to.match(
      /lacks updateAccount, which `accountTokens\.revokeAtSignOut` needs/,
    )
    expect(() => resolve({ adapter: old, accountTokens: {} })).not.to.throw()
  })

  it('the CSRF token without the answer', async () => {
    const lost = csrfToken as unknown as (...given: unknown[]) => Promise<string>
    for (const given of [[{ headers: {} }], [{ headers: {} }, testConfig()]]) {
      const failure = await failureOf(lost(...given))
      expect(failure).to.be.instanceOf(InvalidConfiguration)
      expect(failure).to.have.property('message').that.includes('without the answer')
    }
  })

  it('the id of a provider', () => {
    const { providers } = resolve({ providers: [Google(CLIENT), acme()] })
    expect(noProvider('gogle', providers).message).to.equal('There is no provider "gogle". Did you mean "google"?')
    expect(noProvider('nothing', providers).message).to.include('The ids are: "google", "acme".')
  })
})
