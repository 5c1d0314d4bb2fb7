import { readFileSync } from 'node:fs'
import * as library from '@simplewebauthn/server'
import { expect } from 'chai'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import Passkey from '../../../lib/providers/passkey.js'
import { SoftAuthenticator } from '../../support/authenticator.js'
import { type Call, recording } from '../../support/recorder.js'
import type { TestBrowser } from '../../support/test-app.js'
import { ADDRESS, ask, type Ceremony, errorOf, openPasskeyApp } from './ceremonies.js'

/** What the guide says of a passkey, step by step, without the words around a name. */
function promised(): string[] {
  const guide = readFileSync(new URL('../../../docs/guides/callbacks.md', import.meta.url), 'utf8')
  const row = guide.split('\n').find((line) => line.startsWith('| sign-up or sign-in with a passkey |'))
  return (row?.split('|')[2] ?? '').split('·').map((step) => step.replaceAll('`', '').trim())
}

const VERIFIED = 'the passkey is verified'

/** A passkeyApp that writes down, in one list, what the application, the library and the store are asked. */
function openWatched(strategy: 'jwt' | 'database') {
  const calls: Call[] = []
  const noting =
    <Args extends unknown[], Result>(name: string, work: (...args: Args) => Result) =>
    (...args: Args): Result => {
      calls.push([name, null])
      return work(...args)
    }
  const memory = memoryAdapter()
  const adapter: Required<Adapter> = { ...memory, createSession: noting('createSession', memory.createSession) }
  const simpleWebAuthn = {
    ...library,
    verifyRegistrationResponse: noting(VERIFIED, library.verifyRegistrationResponse),
    verifyAuthenticationResponse: noting(VERIFIED, library.verifyAuthenticationResponse),
  }
  const { callbacks, events } = recording(calls)
  const passkeyApp = openPasskeyApp(
    { providers: [Passkey({ simpleWebAuthn })], callbacks, events, session: { strategy } },
    adapter,
  )
  const { browser, device } = passkeyApp

  /** One ceremony from its options on: what was called by the callback's end, and with what. */
  const run = async (who: TestBrowser, ceremony: Ceremony, query: Record<string, string> = {}, from = device) => {
    const { options } = (await ask(who, { action: ceremony, ...query })).json()
    const data = ceremony === 'register' ? from.register(options) : from.authenticate(options)
    calls.length = 0
    const answer = await who.post('/auth/callback/passkey', { action: ceremony, data, callbackUrl: '/account' })
    expect(errorOf(answer)).to.equal(null)
    expect(answer.location).to.equal(`${passkeyApp.testApp.origin}/account`)
    const names = calls.map(([name]) => name)
    const given = Object.fromEntries(calls) as Record<string, Record<string, unknown>>
    return { names, given }
  }
  return { passkeyApp, browser, run }
}

describe('docs/guides/callbacks.md keeps its word: the order of a sign-in with a passkey', () => {
  it('with token sessions: sign-in is the row, a sign-up and a further passkey tell of it between signIn and jwt', async () => {
    const order = promised()
    expect(order, 'the row').to.include.members(['redirect', VERIFIED, 'signIn', 'jwt', 'event signIn'])
    const { passkeyApp, browser, run } = openWatched('jwt')
    const at = order.indexOf('jwt')
    const with_ = (...events: string[]) => order.toSpliced(at, 0, ...events)
    const made = await run(browser, 'register', { email: ADDRESS })
    expect(made.names).to.deep.equal(with_('event createUser', 'event linkAccount'))
    expect((await run(passkeyApp.testApp.browser(), 'authenticate')).names).to.deep.equal(order)
    const added = await run(browser, 'register', {}, new SoftAuthenticator(passkeyApp.testApp.origin))
    // Whose it becomes is for the session to say, which both callbacks have a say in; and whether it still goes on.
    expect(added.names).to.deep.equal(
      order.toSpliced(at, 2, 'jwt', 'session', 'jwt', 'session', 'event linkAccount', 'event signIn', 'jwt'),
    )
  })

  it('with stored sessions: no jwt, and the session is stored in its place', async () => {
    const order = promised().map((step) => (step === 'jwt' ? 'createSession' : step))
    const { passkeyApp, browser, run } = openWatched('database')
    const made = await run(browser, 'register', { email: ADDRESS })
    expect(made.names).to.deep.equal(
      order.toSpliced(order.indexOf('createSession'), 0, 'event createUser', 'event linkAccount'),
    )
    expect((await run(passkeyApp.testApp.browser(), 'authenticate')).names).to.deep.equal(order)
  })

  it('hands each what the guide says', async () => {
    const { passkeyApp, browser, run } = openWatched('jwt')
    const { given: made } = await run(browser, 'register', { email: ADDRESS })
    const account = { provider: 'passkey', type: 'webauthn' }
    expect(made['redirect']).to.deep.equal({ url: '/account', baseUrl: passkeyApp.testApp.origin })
    expect(made['signIn']?.['user'], 'who signs up').to.include({ email: ADDRESS })
    expect(made['signIn']?.['account']).to.include(account)
    expect(made['signIn']).not.to.have.any.keys('profile', 'credentials', 'email')
    expect(made['event createUser']?.['user']).to.include({ email: ADDRESS, id: '<id>' })
    expect(made['event linkAccount']).to.have.all.keys('user', 'account', 'profile')
    expect(made['event linkAccount']?.['account']).to.include(account)
    expect(made['jwt']).to.include({ trigger: 'signUp', isNewUser: true })
    expect(made['event signIn']).to.include({ isNewUser: true })
    const { given: back } = await run(passkeyApp.testApp.browser(), 'authenticate')
    expect(back['signIn']?.['user'], 'the stored user').to.include({ email: ADDRESS, id: '<id>' })
    expect(back['jwt']).to.include({ trigger: 'signIn' })
    expect(back['event signIn']).to.include({ isNewUser: false })
  })
})
