import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import { ADA } from '../support/app.js'
import { openTestApp, SESSION, sessionCookies } from '../support/test-app.js'

/** That the previous session ends is SESS-02, in test/security/token-sessions.test.ts and stored-sessions.test.ts. */
describe('a sign-in in a browser that has a session cookie', () => {
  it('is not undone by an answer to the old cookie that arrives late', async () => {
    const { signedIn } = openTestApp()
    const ada = await signedIn()
    const tab = ada.copy()
    await ada.signIn()
    expect(sessionCookies(await tab.get('/auth/session'))).to.deep.equal([])
  })

  it('works if nobody can read the session cookie', async () => {
    const config: Partial<AuthConfig> = {
      jwt: {
        decode: () => {
          throw new Error('no such key')
        },
      },
    }
    const ada = openTestApp(config).browser()
    ada.plant(SESSION, 'from another time')
    const answer = await ada.signIn({ ...ADA, callbackUrl: '/next' })
    expect(answer.location).to.equal('http://app.example/next')
    expect(ada.jar.get(SESSION)?.value).not.to.equal('from another time')
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
