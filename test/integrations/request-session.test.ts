import { expect } from 'chai'
import { createRequestSession } from '../../lib/integrations/request-session.js'
import { type CookieChange, webAuth } from '../../lib/web/index.js'
import { ADA } from '../support/app.js'
import { failureOf } from '../support/failure.js'
import { OWN_PAGE, webConfig } from '../support/web-app.js'

const TOO_LATE = 'The answer has been made.'

/** The session of a request of somebody who signs in, in a framework whose answer can be made at any time. */
function requestSession() {
  const auth = webAuth(webConfig())
  const cookies: CookieChange[] = []
  let isAnswered = false
  const session = createRequestSession({
    requestAuth: () => auth.forRequest({ headers: new Headers(OWN_PAGE) }),
    canSetCookies: () => !isAnswered,
    renews: true,
    setCookie: (cookie) => cookies.push(cookie),
    tooLate: TOO_LATE,
  })
  return {
    cookies,
    session,
    signIn: () => session.change((each) => each.signIn({ provider: 'credentials', fields: ADA })),
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
})
