import { expect } from 'chai'
import fc from 'fast-check'
import { endOf, openTestApp, SESSION, sessionCookies } from '../support/test-app.js'
import { openTestAppWithStore } from '../support/test-app-with-store.js'
import { claimsOf } from '../support/tokens.js'

const DAY = 24 * 60 * 60
const HOUR = 60 * 60

const tokenIn = (browser: { jar: Map<string, { value: string }> }) => browser.jar.get(SESSION)?.value ?? ''

describe('the expiry of a token session', () => {
  it('ends thirty days after the sign-in, in cookie, token and answer alike', async () => {
    const { clock, browser } = openTestApp()
    const ada = browser()
    const [cookie] = sessionCookies(await ada.signIn())
    const end = clock.seconds + 30 * DAY
    expect(cookie?.expires?.getTime()).to.equal(end * 1000)
    expect((await claimsOf(tokenIn(ada))).exp).to.equal(end)
    expect(endOf(await ada.session())).to.equal(end)
  })

  it('is over for a visitor who stayed away too long', async () => {
    const { clock, signedIn } = openTestApp({ session: { maxAge: HOUR } })
    const ada = await signedIn()
    clock.advance(HOUR + 16)
    expect(ada.sessionNames(), 'the browser drops the cookie').to.deep.equal([])
    ada.plant(SESSION, tokenIn(ada))
    const answer = await ada.get('/auth/session')
    expect(answer.json(), 'and a browser that kept it gets nothing for it').to.equal(null)
    expect(sessionCookies(answer).map(({ name, value, maxAge }) => [name, value, maxAge])).to.deep.equal([
      [SESSION, '', 0],
    ])
  })

  for (const [session, jwt] of [
    [DAY, 2 * HOUR],
    [2 * HOUR, DAY],
  ]) {
    it(`lives as long as the shorter of session.maxAge and jwt.maxAge says: ${session} and ${jwt}`, async () => {
      const { clock, browser } = openTestApp({ jwt: { maxAge: jwt }, session: { maxAge: session } })
      const ada = browser()
      const [cookie] = sessionCookies(await ada.signIn())
      for (const _ of [1, 2]) {
        const end = clock.seconds + 2 * HOUR
        expect((cookie?.expires?.getTime() ?? 0) / 1000).to.be.at.most(end)
        expect(endOf(await ada.session())).to.equal(end)
        expect((await claimsOf(tokenIn(ada))).exp).to.equal(end)
        clock.advance(HOUR)
      }
      clock.advance(HOUR)
      expect(await ada.session()).to.equal(null)
    })
  }

  it('has one end in cookie, token and answer, at any age and setting', async () => {
    const seconds = (min: number) => fc.integer({ min, max: 100 * DAY })
    await fc.assert(
      fc.asyncProperty(
        seconds(60),
        seconds(0),
        fc.array(seconds(0), { maxLength: 6 }),
        async (maxAge, updateAge, waits) => {
          const { clock, signedIn } = openTestApp({ session: { maxAge, updateAge } })
          const ada = await signedIn()
          let last = clock.seconds
          for (const wait of waits) {
            clock.advance(wait % maxAge)
            const answer = await ada.get('/auth/session')
            if (answer.json() === null) return
            const end = endOf(answer.json())
            expect((await claimsOf(tokenIn(ada))).exp).to.equal(end)
            expect(ada.jar.get(SESSION)?.expires?.getTime()).to.equal(end * 1000)
            expect(end).to.be.within(clock.seconds, clock.seconds + maxAge)
            if (sessionCookies(answer).length > 0) {
              if (updateAge < maxAge) expect(clock.seconds - last).to.be.at.least(updateAge)
              last = clock.seconds
            }
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('SESS-03: a session ends on the server, whatever the cookie says', async () => {
    const { clock, signedIn } = openTestApp({ session: { maxAge: HOUR } })
    const ada = await signedIn()
    ada.plant(SESSION, ada.jar.get(SESSION)?.value ?? '')
    clock.advance(HOUR + 15)
    expect(ada.sessionNames(), 'the cookie is still there').to.deep.equal([SESSION])
    expect(await ada.session()).to.equal(null)
  })
})

describe('the expiry of a stored session', () => {
  it('is deleted when it is found expired, and nobody is signed in', async () => {
    const { clock, signedIn, calls } = openTestAppWithStore()
    const ada = await signedIn()
    const copy = ada.copy()
    copy.plant(SESSION, tokenIn(ada))
    clock.advance(30 * DAY)
    expect(await copy.session()).to.equal(null)
    expect(calls).to.include('deleteSession')
    expect(copy.sessionNames()).to.deep.equal([])
  })
})
