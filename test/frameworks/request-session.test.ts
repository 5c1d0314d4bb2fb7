import { expect } from 'chai'
import { createRequestSession } from '../../lib/frameworks/web/framework-session.js'
import { cookieHeaderAfter } from '../../lib/frameworks/web/headers.js'
import { type CookieChange, webAuth } from '../../lib/frameworks/web/index.js'
import type { AuthConfig } from '../../lib/index.js'
import { ADA } from '../support/app.js'
import { failureOf } from '../support/failure.js'
import { enteredBy, LISTING_STRATEGIES, storeWithPeople } from '../support/people-app.js'
import { OWN_PAGE, webConfig } from '../support/web-app.js'

const TOO_LATE = 'The answer has been made.'

/** The session of a request of somebody who signs in, in a framework whose answer can be made at any time. */
function requestSession(more: Partial<AuthConfig> = {}, fields: Readonly<Record<string, string>> = ADA) {
  const auth = webAuth(webConfig(more))
  const cookies: CookieChange[] = []
  let isAnswered = false
  const session = createRequestSession({
    requestAuth: () =>
      auth.forRequest({ headers: new Headers(OWN_PAGE) }, { cookies: cookieHeaderAfter(null, cookies) }),
    canSetCookies: () => !isAnswered,
    renews: true,
    setCookie: (cookie) => cookies.push(cookie),
    tooLate: TOO_LATE,
  })
  return {
    cookies,
    session,
    signIn: () => session.change((each) => each.signIn({ provider: 'credentials', fields })),
    answer: () => {
      isAnswered = true
    },
  }
}

describe('the session of a request', () => {
  it('is changed, and the answer gets the cookies', async () => {
    const { cookies, session, signIn } = requestSession()
    await signIn()
    expect(cookies.map(({ name }) => name)).to.include('__Secure-authjs.session-token')
    expect([...session.cookies.values()]).to.deep.equal(cookies)
  })

  it('is not changed if the answer was made while the change waited', async () => {
    const { cookies, signIn, answer } = requestSession()
    const waiting = signIn()
    answer()
    expect((await failureOf(waiting)).message).to.include(TOO_LATE)
    expect(cookies).to.deep.equal([])
  })

  it('has what its visitor does with what is theirs; the answer gets the cookies of a sign-out', async () => {
    const more = LISTING_STRATEGIES.database(await storeWithPeople())
    const { cookies, session, signIn, answer } = requestSession(more, enteredBy('ada'))
    await signIn()
    const [own] = await session.visitor().listSessions()
    cookies.splice(0, cookies.length, ...cookies.filter(({ options }) => options.maxAge !== 0))
    expect(await session.visitor().revokeSession(own?.id ?? '')).to.include({ isRevoked: true })
    const last = cookies.findLast(({ name }) => name === '__Secure-authjs.session-token')
    expect(last?.options.maxAge).to.equal(0)
    answer()
    expect((await failureOf(session.visitor().revokeSession(own?.id ?? ''))).message).to.include(TOO_LATE)
  })
})
