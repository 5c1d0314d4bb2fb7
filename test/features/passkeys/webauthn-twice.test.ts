import * as library from '@simplewebauthn/server'
import { expect } from 'chai'
import type { AdapterAuthenticator } from '../../../lib/adapters/adapter.js'
import Passkey from '../../../lib/providers/passkey.js'
import { FLAG, SoftAuthenticator, type Twist } from '../../support/authenticator.js'
import { whoIs } from '../../support/test-app.js'
import {
  ADDRESS,
  answer,
  ask,
  authenticate,
  type Ceremony,
  errorOf,
  openPasskeyApp,
  register,
  signedUp,
} from './ceremonies.js'

const REFUSED = 'WebAuthnVerificationError'
const EVIL = { origin: 'https://evil.example' }
const FRAMED = { crossOrigin: true, topOrigin: 'https://evil.example' }

/** A library of another version, say, that takes whatever it is given once `isLenient` is set, and notes what it was asked. */
function openLenient(origin?: string[]) {
  const asked: Record<string, unknown>[] = []
  const state = { isLenient: false }
  const simpleWebAuthn = {
    ...library,
    async verifyRegistrationResponse(options: Parameters<typeof library.verifyRegistrationResponse>[0]) {
      asked.push({ ...options })
      if (!state.isLenient) return library.verifyRegistrationResponse(options)
      return { verified: true, registrationInfo: { credential: { publicKey: new Uint8Array(77), counter: 0 } } }
    },
    async verifyAuthenticationResponse(options: Parameters<typeof library.verifyAuthenticationResponse>[0]) {
      asked.push({ ...options })
      return state.isLenient ? { verified: true } : library.verifyAuthenticationResponse(options)
    },
  }
  return { asked, state, providers: [Passkey({ simpleWebAuthn, ...(origin && { relayingParty: { origin } }) })] }
}

describe('a ceremony, where the library would take anything,', () => {
  const both: [string, Twist, RegExp][] = [
    ['WEBAUTHN-02: another type', { clientData: { type: 'payment.get' } }, /the type of the answer/],
    ['WEBAUTHN-04: another origin', { clientData: EVIL }, /origin/],
    ['WEBAUTHN-05: a frame', { clientData: FRAMED }, /frame/],
    ['WEBAUTHN-07: nobody verified', { flags: FLAG.up | FLAG.be | FLAG.bs }, /not verified/],
    ['WEBAUTHN-08: a backup of what cannot be backed up', { flags: FLAG.up | FLAG.uv | FLAG.bs }, /backed up/],
    ['WEBAUTHN-20: bytes after the end', { trailing: Buffer.from([0]) }, /bytes follow/],
  ]
  const atSignIn: [string, Twist, RegExp][] = [
    ['WEBAUTHN-07: nobody present', { flags: FLAG.uv | FLAG.be | FLAG.bs }, /present/],
    ['WEBAUTHN-16: another owner', { userHandle: Buffer.from('somebody else').toString('base64url') }, /somebody else/],
    ['WEBAUTHN-16: no owner', { userHandle: null }, /whose passkey/],
  ]
  const cases: [Ceremony, string, Twist, RegExp][] = [
    ...both.flatMap(([name, twist, reason]): [Ceremony, string, Twist, RegExp][] => [
      ['register', name, twist, reason],
      ['authenticate', name, twist, reason],
    ]),
    ...atSignIn.map(([name, twist, reason]): [Ceremony, string, Twist, RegExp] => [
      'authenticate',
      name,
      twist,
      reason,
    ]),
  ]

  for (const [ceremony, name, twist, reason] of cases) {
    it(`is refused all the same: ${name}, ${ceremony}`, async () => {
      const { state, providers } = openLenient()
      const passkeyApp = ceremony === 'register' ? openPasskeyApp({ providers }) : await signedUp({ providers })
      state.isLenient = true
      const run = ceremony === 'register' ? register : authenticate
      const refused = await run(passkeyApp, { twist, ...(ceremony === 'register' && { email: ADDRESS }) })
      expect(errorOf(refused)).to.equal(REFUSED)
      expect(passkeyApp.testApp.log.errors.at(-1)?.message).to.match(reason)
      expect(await whoIs(passkeyApp.browser)).to.equal(null)
    })
  }

  it('is refused all the same: WEBAUTHN-19, a counter that goes back', async () => {
    const { state, providers } = openLenient()
    const passkeyApp = await signedUp({ providers })
    const counting = (counter: number) =>
      authenticate({ ...passkeyApp, browser: passkeyApp.testApp.browser() }, { twist: { counter } })
    expect(errorOf(await counting(5))).to.equal(null)
    state.isLenient = true
    for (const counter of [4, 0]) {
      expect(errorOf(await counting(counter)), `${counter}`).to.equal(REFUSED)
      expect(passkeyApp.testApp.log.errors.at(-1)?.message).to.match(/counter.*went back/)
    }
    expect(errorOf(await counting(6))).to.equal(null)
  })
})

describe('the library', () => {
  it('is asked to verify the same: WEBAUTHN-02, -03, -04, -06, -07, -09, -17, -19', async () => {
    const origins = ['http://app.example', 'https://www.app.example']
    const { asked, providers } = openLenient(origins)
    const passkeyApp = openPasskeyApp({ providers })
    const { browser, device, testApp } = passkeyApp
    const made = (await ask(browser, { action: 'register', email: ADDRESS })).json().options
    expect(errorOf(await answer(browser, 'register', device.register(made)))).to.equal(null)
    expect(asked.at(-1)).to.deep.include({
      expectedType: 'webauthn.create',
      expectedChallenge: made.challenge,
      expectedOrigin: origins,
      expectedRPID: 'app.example',
      requireUserVerification: true,
      supportedAlgorithmIDs: made.pubKeyCredParams.map(({ alg }: { alg: number }) => alg),
    })
    const row = await passkeyApp.adapter.getAuthenticator(device.passkey.id.toString('base64'))
    const other = testApp.browser()
    const { options } = (await ask(other, { action: 'authenticate' })).json()
    expect(errorOf(await answer(other, 'authenticate', device.authenticate(options)))).to.equal(null)
    const given = asked.at(-1)
    expect(given).to.deep.include({
      expectedType: 'webauthn.get',
      expectedChallenge: options.challenge,
      expectedOrigin: origins,
      expectedRPID: 'app.example',
      requireUserVerification: true,
    })
    const credential = given?.['credential'] as { id: string; publicKey: Uint8Array; counter: number }
    expect(credential).to.include({ id: device.passkey.id.toString('base64url'), counter: 0 })
    expect(Buffer.from(credential.publicKey).toString('base64')).to.equal(row?.credentialPublicKey)
  })
})

describe('WEBAUTHN-16 a passkey that has changed hands since it was asked for', () => {
  it('is not taken for a passkey of the user that was named', async () => {
    const passkeyApp = await signedUp()
    const { adapter, browser, device, testApp } = passkeyApp
    const eve = { browser: testApp.browser(), device: new SoftAuthenticator(testApp.origin) }
    expect(errorOf(await register(eve, { email: 'eve@example.com' }))).to.equal(null)
    const { options } = (await ask(browser, { action: 'authenticate', email: ADDRESS })).json()

    const credentialID = device.passkey.id.toString('base64')
    const userId = (await adapter.getUserByEmail('eve@example.com'))?.id ?? ''
    const row = (await adapter.getAuthenticator(credentialID)) as AdapterAuthenticator
    const account = { provider: 'passkey', providerAccountId: credentialID }
    await adapter.unlinkAccount(account)
    await adapter.deleteAuthenticator(credentialID)
    await adapter.linkAccount({ ...account, type: 'webauthn', userId })
    await adapter.createAuthenticator({ ...row, userId })

    expect(errorOf(await answer(browser, 'authenticate', device.authenticate(options)))).to.equal(REFUSED)
    expect(testApp.log.errors.at(-1)?.message).to.match(/belongs to another user/)
    expect(await whoIs(browser)).to.equal(null)
  })
})
