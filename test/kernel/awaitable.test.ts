import { expect } from 'chai'
import { whenReady, within } from '../../lib/kernel/awaitable.js'
import { requestContext } from '../support/request-context.js'
import { openTestApp } from '../support/test-app.js'

/** A promise of another library: it can be awaited, and is no native one. */
const foreign = <T>(value: T): PromiseLike<T> => {
  const promise = Promise.resolve(value)
  // biome-ignore lint/suspicious/noThenProperty: that is what makes it one
  return { then: (done, failed) => promise.then(done, failed) }
}

describe('a value or the promise of one', () => {
  it('goes on at once with what is there, and later with what is promised', async () => {
    expect(whenReady(1, (value) => value + 1)).to.equal(2)
    const later = whenReady(Promise.resolve(1), (value) => value + 1)
    expect(later).to.be.instanceOf(Promise)
    expect(await later).to.equal(2)
  })
})

describe('callbacks that give the promises of another library', () => {
  it('are waited for', async () => {
    const testApp = openTestApp({
      callbacks: {
        jwt: ({ token, trigger }) => foreign(trigger === undefined ? token : { ...token, team: 'engines' }),
        session: ({ session, token }) => foreign({ ...session, team: token['team'] }),
      },
    })
    const ada = await testApp.signedIn()
    const { session } = await testApp.engine.renewSession(requestContext(ada.cookieHeader(), testApp.origin))
    expect(session).to.include({ team: 'engines' })
  })
})

describe('a limit of time', () => {
  it('makes no error for an answer that came at the last moment, since making one may end a connection', async () => {
    let [made, answer] = [0, (_: string) => {}]
    const asked = new Promise<string>((resolve) => {
      answer = resolve
    })
    const limited = within(asked, 5, () => {
      made += 1
      return new Error('late')
    })
    setTimeout(() => answer('in time'), 5)
    expect(await limited).to.equal('in time')
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(made).to.equal(0)
  })
})
