import { expect } from 'chai'
import type { AuthConfig } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import { openTestApp, SESSION } from '../support/test-app.js'
import { claimsOf } from '../support/tokens.js'

/** The member of a token that says whose session it is, for a sign-in as each of some users. */
async function subjectsOf(users: readonly object[], provider = 'credentials', options: Partial<AuthConfig> = {}) {
  let next = 0
  const providers = [Credentials({ id: provider, credentials: {}, authorize: () => users[next++] ?? null })]
  const subjects: string[] = []
  const written: string[] = []
  for (const _ of users) {
    const { browser } = openTestApp({
      providers,
      ...options,
      jwt: {
        encode: ({ token }) => {
          written.push(JSON.stringify(token))
          return Buffer.from(JSON.stringify(token)).toString('base64url')
        },
        decode: ({ token }) => JSON.parse(Buffer.from(token ?? '', 'base64url').toString()),
      },
    })
    const somebody = browser()
    await somebody.post(`/auth/callback/${provider}`, { csrfToken: await somebody.csrfToken() })
  }
  // The claim does not repeat the subject of a user whom `sub` names.
  for (const text of written) subjects.push(JSON.parse(text).latchkey.subject ?? JSON.parse(text).sub)
  return subjects
}

const common = (left = '', right = '') => left.slice(0, 9) === right.slice(0, 9) && left[8] === '.'

describe('LOGOUT-02 the sessions of somebody to whom authorize() gives no id', () => {
  it('are recognized by their address or their name, although the id is different at each sign-in', async () => {
    const [one, again, other] = await subjectsOf([
      { name: 'M', email: 'm@x.example' },
      { name: 'N', email: 'm@x.example' },
      { name: 'M', email: 'o@x.example' },
    ])
    expect(one).to.equal(again)
    expect(one).not.to.equal(other)
    const [named, namedAgain] = await subjectsOf([{ name: 'M' }, { name: 'M', email: null }])
    expect(named).to.equal(namedAgain)
    const [nobody, nobodyAgain] = await subjectsOf([{ image: 'https://x.example/1' }, { image: 'https://x.example/2' }])
    expect(nobody).to.equal(nobodyAgain)
  })

  it('have something in common with all of that provider, in case they have many names', async () => {
    const [one, other] = await subjectsOf([{ name: 'M1' }, { name: 'M2' }])
    const [elsewhere] = await subjectsOf([{ name: 'M1' }], 'guests')
    expect([common(one, other), common(one, elsewhere)]).to.deep.equal([true, false])
  })

  it('are recognized by the id if there is one', async () => {
    const [one, again, other] = await subjectsOf([
      { id: '1', name: 'M' },
      { id: '1', name: 'N' },
      { id: '2', name: 'M' },
    ])
    expect(one).to.equal(again)
    expect([one === other, common(one, other)]).to.deep.equal([false, false])
  })

  it('still have an id that is another each time', async () => {
    const { browser } = openTestApp({ providers: [Credentials({ credentials: {}, authorize: () => ({ name: 'M' }) })] })
    const ids = new Set<unknown>()
    for (const _ of [1, 2]) {
      const somebody = browser()
      await somebody.signIn({})
      ids.add((await claimsOf(somebody.jar.get(SESSION)?.value ?? '')).sub)
    }
    expect(ids.size).to.equal(2)
  })
})
