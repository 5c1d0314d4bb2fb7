import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { JWTSessionError } from '../../lib/kernel/errors.js'
import type { SessionCallback } from '../../lib/sessions/session-callback.js'
import { ADA } from '../support/app.js'
import { createPause } from '../support/pause.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { openTestAppWithStore } from '../support/test-app-with-store.js'

/** That the previous session ends is SESS-02, in test/security/token-sessions.test.ts and stored-sessions.test.ts. */
/** A codec of the application that can be made to fail. */
function createFailingCodec() {
  const fault = { isOn: false }
  const codec: AuthConfig['jwt'] = {
    encode: ({ token }) => Buffer.from(JSON.stringify(token)).toString('base64url'),
    decode: ({ token }) => {
      if (fault.isOn) throw new Error('The key service is down.')
      return JSON.parse(Buffer.from(token ?? '', 'base64url').toString())
    },
  }
  return { codec, fault }
}

describe('a sign-in in a browser that has a session cookie', () => {
  for (const strategy of ['jwt', 'database'] as const) {
    const open = (options: Partial<AuthConfig> = {}) =>
      openTestAppWithStore({ ...options, session: { strategy, updateAge: 0 } })

    it(`is not undone by an answer to the old cookie that arrives late, with ${strategy} sessions`, async () => {
      const { signedIn } = open()
      const ada = await signedIn()
      const tab = ada.copy()
      await ada.signIn()
      const late = await tab.get('/auth/session')
      expect([late.json(), sessionCookies(late)]).to.deep.equal([null, []])
    })

    it(`is not undone by a renewal of the old session that is answered late, with ${strategy} sessions`, async () => {
      const pause = createPause()
      const session: SessionCallback = async ({ session: { user, expires } }) => {
        await pause.wait()
        return { user: { name: user.name }, expires: new Date(expires).toISOString() }
      }
      const { signedIn, clock } = open({ callbacks: { session } })
      const ada = await signedIn()
      clock.advance(10)
      const tab = ada.copy()
      pause.start()
      const renewing = tab.get('/auth/session')
      await pause.reached
      await ada.signIn()
      pause.end()
      const late = await renewing
      expect([late.json(), sessionCookies(late)]).to.deep.equal([null, []])
      expect((await ada.session())?.user?.name).to.equal('Ada')
    })
  }

  const refusals = {
    'gives null': () => null,
    'throws the error of a JWT library': () => {
      throw Object.assign(new Error('invalid signature'), { name: 'JsonWebTokenError' })
    },
  }
  for (const [how, decode] of Object.entries({ ...refusals, 'is the built-in one': undefined })) {
    it(`works if the codec refuses the session cookie: it ${how}`, async () => {
      const ada = openTestApp(decode ? { jwt: { decode } } : {}).browser()
      ada.plant(SESSION, 'from another time')
      const answer = await ada.signIn({ ...ADA, callbackUrl: '/next' })
      expect(answer.location).to.equal('http://app.example/next')
      expect(ada.jar.get(SESSION)?.value).not.to.equal('from another time')
    })
  }

  it('SESS-02: is refused if the codec fails, since copies of the previous session would stay valid', async () => {
    const { codec, fault } = createFailingCodec()
    const { signedIn, log } = openTestApp({ jwt: codec })
    const ada = await signedIn()
    const copy = ada.copy()
    const before = ada.jar.get(SESSION)?.value
    fault.isOn = true
    const answer = await ada.signIn()
    fault.isOn = false
    expect(answer.location).to.equal('http://app.example/auth/error?error=Configuration')
    expect(log.errors.at(-1)).to.include({ name: 'JWTSessionError' })
    expect(sessionCookies(answer), 'the fault may be over in a moment').to.deep.equal([])
    expect(ada.jar.get(SESSION)?.value).to.equal(before)

    await ada.signIn()
    expect((await ada.session())?.user?.name).to.equal('Ada')
    expect(await copy.session()).to.equal(null)
  })

  it('SESS-14: that adds an account gives no session if the codec fails', async () => {
    const { codec, fault } = createFailingCodec()
    const { signedIn, engine, origin } = openTestApp({ jwt: codec })
    const ada = await signedIn()
    const { sessions } = engine.config.schemeFor(origin)
    const request = requestContext(new Map([[SESSION, ada.jar.get(SESSION)?.value ?? '']]), origin)
    const account = { provider: 'acme', type: 'oidc', providerAccountId: 'of the thief' } as const
    const add = () => sessions.addAccount(request, { user: { id: '1815' }, account })
    await ada.signOut()
    fault.isOn = true
    const failure = await add().catch((error: Error) => error)
    expect(failure).to.be.instanceOf(JWTSessionError)
    fault.isOn = false
    expect((await add()).map(({ value }) => value).join('')).to.equal('')
  })

  it('that fails does not change the previous session', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const answer = await ada.signIn({ username: 'ada', password: 'wrong' })
    expect(answer.location).to.equal('http://app.example/auth/signin?error=CredentialsSignin&code=credentials')
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })

  it('replaces the CSRF token and the planted return target', async () => {
    const { browser } = openTestApp()
    const victim = browser()
    const planted = await victim.csrfToken()
    victim.plant('authjs.callback-url', 'http://app.example/planted')
    await victim.signIn({ ...ADA, callbackUrl: '/chosen' })
    expect(await victim.csrfToken()).not.to.equal(planted)
    expect(decodeURIComponent(victim.jar.get('authjs.callback-url')?.value ?? '')).to.equal('http://app.example/chosen')
  })
})
