import { expect } from 'chai'
import type { AuthConfig, JWT } from '../../lib/index.js'
import { JWTSessionError } from '../../lib/index.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp, type TestBrowser } from '../support/test-app.js'

const DAY = 24 * 60 * 60

/** Somebody who is signed in with a token, and a `jwt` callback that changes its mind afterwards. */
async function signedInWith(later: (token: JWT) => JWT | null, more: Partial<AuthConfig> = {}) {
  const asked: unknown[] = []
  const testApp = openTestApp({
    ...more,
    callbacks: {
      jwt({ token, trigger, ...rest }) {
        if (trigger === 'signIn') return token
        asked.push({ trigger, ...rest })
        return later(token)
      },
    },
  })
  const ada = await testApp.signedIn()
  return { ...testApp, ada, asked }
}

const principalOf = ({ engine, origin }: ReturnType<typeof openTestApp>, { jar }: TestBrowser) =>
  engine.config
    .schemeFor(origin)
    .sessions.readPrincipal(requestContext(new Map([...jar].map(([name, { value }]) => [name, value]))))

describe('the principal of a token session', () => {
  it('is the user whom the token of the jwt callback names', async () => {
    const same = await signedInWith((token) => token)
    expect(await principalOf(same, same.ada)).to.include({ id: '1815', authenticatedAt: same.clock.ms })
    const other = await signedInWith((token) => ({ ...token, sub: 'another' }))
    expect((await principalOf(other, other.ada))?.id).to.equal('another')
  })

  for (const [what, sub] of Object.entries({ 'no id': undefined, 'an empty id': '', null: null, 'an object': {} })) {
    it(`is null if the token has ${what}`, async () => {
      const testApp = await signedInWith((token) => ({ ...token, sub: sub as never }))
      expect(await principalOf(testApp, testApp.ada)).to.equal(null)
    })
  }

  it('is asked of the callback once, as any other reading is, and of no event', async () => {
    const emitted: unknown[] = []
    const testApp = await signedInWith((token) => token, {
      events: { session: (message) => void emitted.push(message) },
    })
    await principalOf(testApp, testApp.ada)
    expect(testApp.asked).to.deep.equal([{ trigger: undefined }])
    expect(emitted).to.deep.equal([])
  })

  it('is no reason to extend the session', async () => {
    const testApp = await signedInWith((token) => token)
    testApp.clock.advance(2 * DAY)
    const before = testApp.ada.cookieHeader()
    await principalOf(testApp, testApp.ada)
    expect(testApp.ada.cookieHeader()).to.equal(before)
  })

  it('is unknown while the callback fails: that is a fault, and not a signed-out request', async () => {
    const testApp = await signedInWith(() => {
      throw new Error('the database is down')
    })
    const fault = await principalOf(testApp, testApp.ada).then(
      () => null,
      (error: unknown) => error,
    )
    expect(fault).to.be.instanceOf(JWTSessionError)
  })
})
