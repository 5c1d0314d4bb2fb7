import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { AuthConfig } from '../../../lib/index.js'
import Credentials from '../../../lib/providers/credentials.js'
import Passkey from '../../../lib/providers/passkey.js'
import { CborMap, cbor, coseKey, FLAG, SoftAuthenticator, type Twist } from '../../support/authenticator.js'
import type { TestResponse } from '../../support/test-app.js'
import { whoIs } from '../../support/test-app.js'
import {
  ADDRESS,
  answer,
  ask,
  authenticate,
  type Ceremony,
  challengesOf,
  errorOf,
  openPasskeyApp,
  type PasskeyApp,
  register,
  signedUp,
} from './ceremonies.js'

const REFUSED = 'WebAuthnVerificationError'

/** That a twisted sign-up and a twisted sign-in are both refused, and for the reason that is meant. */
async function expectRefused(twist: Twist, reason: RegExp, options: Partial<AuthConfig> = {}): Promise<void> {
  for (const ceremony of ['register', 'authenticate'] as const)
    await expectCeremonyRefused(ceremony, twist, reason, options)
}

async function expectCeremonyRefused(
  ceremony: Ceremony,
  twist: Twist,
  reason: RegExp,
  options: Partial<AuthConfig> = {},
): Promise<void> {
  const passkeyApp = ceremony === 'register' ? openPasskeyApp(options) : await signedUp(options)
  const refused =
    ceremony === 'register'
      ? await register(passkeyApp, { email: ADDRESS, twist })
      : await authenticate(passkeyApp, { twist })
  await expectNobody(passkeyApp, refused, reason)
  if (ceremony === 'register') expect(await passkeyApp.adapter.getUserByEmail(ADDRESS)).to.equal(null)
}

async function expectNobody({ testApp, browser }: PasskeyApp, refused: TestResponse, reason: RegExp): Promise<void> {
  expect(errorOf(refused)).to.equal(REFUSED)
  expect(testApp.log.errors.at(-1)?.message).to.match(reason)
  expect(await whoIs(browser)).to.equal(null)
  expect(challengesOf(browser)).to.deep.equal([])
}

describe('WEBAUTHN-01 a challenge', () => {
  it('is long, random, and made by the server', async () => {
    const { browser } = openPasskeyApp()
    const asked = [await ask(browser, {}), await ask(browser, {}), await ask(browser, { email: ADDRESS })]
    const challenges = asked.map(({ json }) => Buffer.from(json().options.challenge, 'base64url'))
    expect(challenges.map(({ length }) => length)).to.deep.equal([32, 32, 32])
    expect(new Set(challenges.map((bytes) => bytes.toString('hex'))).size).to.equal(3)
  })

  it('is used once, also when the cookie comes back', async () => {
    const { browser, device, testApp } = await signedUp()
    const { options } = (await ask(browser, {})).json()
    const [data, thief] = [device.authenticate(options), browser.copy()]
    expect(errorOf(await answer(browser, 'authenticate', data))).to.equal(null)
    expect(errorOf(await answer(thief, 'authenticate', data))).to.equal(REFUSED)
    expect(testApp.log.errors.at(-1)?.message).to.match(/answered already/)
  })

  it('is used up by an answer that is wrong', async () => {
    const { browser, device } = await signedUp()
    const { options } = (await ask(browser, {})).json()
    const kept = browser.copy()
    expect(errorOf(await answer(browser, 'authenticate', device.authenticate(options, { flags: 0 })))).to.equal(REFUSED)
    expect(challengesOf(browser)).to.deep.equal([])
    expect(errorOf(await answer(kept, 'authenticate', device.authenticate(options)))).to.equal(REFUSED)
  })

  it('lives ten minutes', async () => {
    const { browser, device, testApp } = await signedUp()
    const asked = await ask(browser, {})
    const { options } = asked.json()
    expect(asked.setCookies.find(({ name }) => name.includes('challenge'))).to.include({ maxAge: 600, httpOnly: true })
    testApp.clock.advance(601)
    expect(errorOf(await answer(browser, 'authenticate', device.authenticate(options)))).to.equal(REFUSED)
    expect(testApp.log.errors.at(-1)?.message).to.match(/longer than 10 minutes/)
  })

  it('belongs to a browser', async () => {
    const { browser, device, testApp } = await signedUp()
    const { options } = (await ask(browser, {})).json()
    expect(errorOf(await answer(testApp.browser(), 'authenticate', device.authenticate(options)))).to.equal(REFUSED)
  })

  it('belongs to a kind of ceremony', async () => {
    const { browser, device, testApp } = await signedUp()
    const { options } = (await ask(browser, {})).json()
    const made = device.register({ ...options, user: { id: 'AAAA' }, rp: { id: options.rpId } })
    expect(errorOf(await answer(browser, 'register', made))).to.equal(REFUSED)
    expect(testApp.log.errors.at(-1)?.message).to.match(/another kind/)
  })

  it('belongs to a provider', async () => {
    const providers = [Passkey(), Passkey({ id: 'other', enableConditionalUI: false })]
    const { browser, device } = await signedUp({ providers })
    const { options } = (await ask(browser, {})).json()
    expect(errorOf(await answer(browser, 'authenticate', device.authenticate(options), 'other'))).to.equal(REFUSED)
  })

  it('belongs to the user who was signed in', async () => {
    const { signedIn, device, testApp, adapter } = await signedUp()
    const eve = { browser: testApp.browser(), device: new SoftAuthenticator(testApp.origin) }
    await register(eve, { email: 'eve@example.com' })
    const { options } = (await ask(signedIn, { action: 'register' })).json()
    // Eve brings what Ada's browser was asked, cookie and all.
    for (const name of challengesOf(signedIn)) eve.browser.plant(name, signedIn.jar.get(name)?.value ?? '')
    expect(errorOf(await answer(eve.browser, 'register', device.register(options)))).to.equal('AccountNotLinked')
    const user = await adapter.getUserByEmail('eve@example.com')
    expect(await adapter.listAuthenticatorsByUserId(user?.id ?? '')).to.have.lengthOf(1)
  })

  it('adds no passkey once its user has signed out', async () => {
    const { signedIn, device } = await signedUp()
    const { options } = (await ask(signedIn, { action: 'register' })).json()
    const kept = signedIn.copy()
    await signedIn.signOut()
    const data = device.register(options)
    expect(errorOf(await answer(signedIn, 'register', data))).to.equal(REFUSED)
    // The challenge is gone; and one that was kept belongs to whoever began it.
    for (const name of challengesOf(kept)) signedIn.plant(name, kept.jar.get(name)?.value ?? '')
    expect(errorOf(await answer(signedIn, 'register', data))).to.equal('AccountNotLinked')
  })
})

describe('WEBAUTHN-02 the type', () => {
  it('is that of the ceremony', async () => {
    await expectCeremonyRefused('register', { clientData: { type: 'webauthn.get' } }, /type/)
    await expectCeremonyRefused('authenticate', { clientData: { type: 'webauthn.create' } }, /type/)
    await expectRefused({ clientData: { type: 'payment.get' } }, /type/)
  })
})

describe('WEBAUTHN-03 the challenge of the answer', () => {
  it('is the one that was sent', async () => {
    for (const ceremony of ['register', 'authenticate'] as const) {
      const passkeyApp = ceremony === 'register' ? openPasskeyApp() : await signedUp()
      const twist = { clientData: { challenge: Buffer.alloc(32).toString('base64url') } }
      const refused = await (ceremony === 'register'
        ? register(passkeyApp, { email: ADDRESS, twist })
        : authenticate(passkeyApp, { twist }))
      expect(errorOf(refused)).to.equal(REFUSED)
      expect(passkeyApp.testApp.log.errors.at(-1)?.message).to.match(/not begun in this browser/)
    }
  })
})

describe('WEBAUTHN-04 the origin', () => {
  it('is exactly one of those configured', async () => {
    for (const origin of [
      'https://app.example',
      'http://app.example.evil.example',
      'http://app.example:81',
      'http://App.example',
      'null',
    ]) {
      await expectRefused({ clientData: { origin } }, /origin/)
    }
  })

  it('may be one of several', async () => {
    const origin = ['http://app.example', 'https://shop.example']
    const passkeyApp = await signedUp({ providers: [Passkey({ relayingParty: { origin } })] })
    const there = { clientData: { origin: 'https://shop.example' } }
    expect(errorOf(await authenticate(passkeyApp, { twist: there }))).to.equal(null)
    await expectRefused({ clientData: { origin: 'https://other.example' } }, /origin/, {
      providers: [Passkey({ relayingParty: { origin } })],
    })
  })
})

describe('WEBAUTHN-05 a frame within another site', () => {
  it('is refused', async () => {
    await expectRefused({ clientData: { crossOrigin: true } }, /frame/)
    await expectRefused({ clientData: { crossOrigin: true, topOrigin: 'https://evil.example' } }, /frame/)
    await expectRefused({ clientData: { topOrigin: 'https://evil.example' } }, /frame/)
  })

  it('is taken where it is configured', async () => {
    const verifyAuthenticationOptions = { expectedTopOrigin: ['https://portal.example'] }
    const providers = [Passkey({ verifyAuthenticationOptions })]
    const passkeyApp = await signedUp({ providers })
    const portal = { clientData: { crossOrigin: true, topOrigin: 'https://portal.example' } }
    expect(errorOf(await authenticate(passkeyApp, { twist: portal }))).to.equal(null)
    const evil = { clientData: { crossOrigin: true, topOrigin: 'https://evil.example' } }
    await expectCeremonyRefused('authenticate', evil, /frame/, { providers })
  })
})

describe('WEBAUTHN-06 the relying party', () => {
  it('is the one whose digest was signed', async () => {
    await expectRefused({ rpId: 'evil.example' }, /RP ID/i)
  })
})

describe('WEBAUTHN-07 the person', () => {
  it('is present', async () => {
    await expectRefused({ flags: FLAG.uv | FLAG.be | FLAG.bs }, /present/)
  })

  it('is verified where the ceremony demands it', async () => {
    await expectRefused({ flags: FLAG.up | FLAG.be | FLAG.bs }, /verified/)
  })

  it('is verified because the ceremony said so, whatever the provider says by then', async () => {
    const lax = { requireUserVerification: false }
    const provider = Passkey({ verifyAuthenticationOptions: lax, verifyRegistrationOptions: lax })
    await expectRefused({ flags: FLAG.up | FLAG.be | FLAG.bs }, /verified/, { providers: [provider] })
  })
})

describe('WEBAUTHN-07 a passkey that a password manager makes without a dialog (conditional create)', () => {
  const NOBODY_THERE = { flags: FLAG.be | FLAG.bs }

  it('needs nobody to be present or verified, once, for somebody who is signed in', async () => {
    const { testApp, signedIn, browser, adapter } = await signedUp()
    const device = new SoftAuthenticator(testApp.origin)
    const { options } = (await ask(signedIn, { action: 'register', mediation: 'conditional' })).json()
    expect(options.authenticatorSelection.userVerification).to.equal('preferred')
    expect(errorOf(await answer(signedIn, 'register', device.register(options, NOBODY_THERE)))).to.equal(null)
    const row = await adapter.getAuthenticator(device.passkey.id.toString('base64'))
    expect(row).to.include({ userVerified: false })
    expect(errorOf(await authenticate({ browser, device }, { twist: NOBODY_THERE })), 'a sign-in').to.equal(REFUSED)
    expect(errorOf(await authenticate({ browser, device }))).to.equal(null)
  })

  it('is refused where no such passkey was asked for', async () => {
    const { testApp, signedIn } = await signedUp()
    const device = new SoftAuthenticator(testApp.origin)
    for (const flags of [FLAG.be | FLAG.bs, FLAG.uv | FLAG.be | FLAG.bs, FLAG.up | FLAG.be | FLAG.bs]) {
      const refused = await register({ browser: signedIn, device }, { twist: { flags } })
      expect(errorOf(refused)).to.equal(REFUSED)
    }
  })

  it('signs nobody up, and is made for nobody whose sign-in is old', async () => {
    const { testApp, signedIn } = await signedUp()
    const query = { action: 'register', mediation: 'conditional' }
    expect((await ask(testApp.browser(), { ...query, email: 'new@example.com' })).status).to.equal(400)
    testApp.clock.advance(60 * 60)
    expect((await ask(signedIn, query)).status).to.equal(403)
  })
})

describe('WEBAUTHN-04 related origins', () => {
  it('are those that are configured, on any domain, and no others', async () => {
    const origin = ['https://app.example', 'https://app.example.net']
    const providers = [Passkey({ relayingParty: { id: 'app.example', origin } })]
    const { testApp, device, browser } = openPasskeyApp({ providers })
    const at = (place: string) => ({ rpId: 'app.example', clientData: { origin: place } })
    expect(errorOf(await register({ browser, device }, { email: ADDRESS, twist: at(origin[1] ?? '') }))).to.equal(null)
    for (const place of [...origin, 'https://app.example.org', 'https://www.app.example.net']) {
      const other = testApp.browser()
      await authenticate({ browser: other, device }, { twist: at(place) })
      expect(await whoIs(other), place).to.equal(origin.includes(place) ? ADDRESS : null)
    }
  })
})

describe('WEBAUTHN-08 a passkey that is backed up and cannot be', () => {
  it('is refused', async () => {
    await expectRefused({ flags: FLAG.up | FLAG.uv | FLAG.bs }, /backed up/)
  })
})

describe('WEBAUTHN-09 the algorithm', () => {
  it('is one of those offered', async () => {
    await expectCeremonyRefused('register', { alg: -47 }, /alg/)
    const providers = [Passkey({ registrationOptions: { supportedAlgorithmIDs: [-8] } })]
    await expectCeremonyRefused('register', {}, /alg/, { providers })
  })
})

describe('WEBAUTHN-10 an attestation', () => {
  it('of an unknown format is refused', async () => {
    await expectCeremonyRefused('register', { format: 'home-made' }, /format/i)
  })

  it('that says none must be empty', async () => {
    await expectCeremonyRefused('register', { statement: new CborMap([['x', 1]]) }, /attestation/i)
  })

  it('must come, with certificates, where the provider asks for one', async () => {
    const providers = [Passkey({ registrationOptions: { attestationType: 'direct' } })]
    await expectCeremonyRefused('register', {}, /without certificates/, { providers })
  })

  it('must end at a configured root', async () => {
    const providers = [Passkey({ registrationOptions: { attestationType: 'direct' } })]
    const statement = new CborMap([
      ['alg', -7],
      ['sig', Buffer.alloc(64)],
      ['x5c', [Buffer.alloc(16)]],
    ])
    await expectCeremonyRefused('register', { format: 'packed', statement }, /root certificates/, { providers })
  })
})

describe('WEBAUTHN-11 the id of a passkey', () => {
  it('has 1023 bytes at most', async () => {
    const longest = openPasskeyApp()
    const twist = { credentialId: Buffer.alloc(1023, 7) }
    expect(errorOf(await register(longest, { email: ADDRESS, twist }))).to.equal(null)
    expect(errorOf(await authenticate({ ...longest, browser: longest.testApp.browser() }))).to.equal(null)
    await expectCeremonyRefused('register', { credentialId: Buffer.alloc(1024, 7), id: 'AAAA' }, /1023/)
    const { browser, device } = openPasskeyApp()
    const { options } = (await ask(browser, { email: ADDRESS })).json()
    const data = device.register(options, { credentialId: Buffer.alloc(1024, 7) })
    expect(errorOf(await answer(browser, 'register', data))).to.equal(REFUSED)
  })

  it('is that of the attestation', async () => {
    await expectCeremonyRefused('register', { id: Buffer.alloc(20, 1).toString('base64url') }, /another passkey/)
  })

  it('is nobody’s yet: a new passkey under a known id makes nobody its owner', async () => {
    const { device, testApp, adapter } = await signedUp()
    const eve = { browser: testApp.browser(), device: new SoftAuthenticator(testApp.origin) }
    const twist = { credentialId: device.passkey.id }
    expect(errorOf(await register(eve, { email: 'eve@example.com', twist }))).to.equal('AccountNotLinked')
    expect(await whoIs(eve.browser)).to.equal(null)
    expect(await adapter.getUserByEmail('eve@example.com')).to.equal(null)
    await register(eve, { email: 'eve@example.com' })
    expect(errorOf(await register(eve, { twist }))).to.equal('AccountNotLinked')
    // Ada's key still opens Ada's door, and Eve's does not.
    expect(errorOf(await authenticate({ browser: testApp.browser(), device }))).to.equal(null)
    const intruder = { browser: testApp.browser(), device: eve.device }
    expect(errorOf(await authenticate(intruder))).to.equal(REFUSED)
  })

  it('is nobody’s, also when its account is gone', async () => {
    const { device, testApp, adapter } = await signedUp()
    const providerAccountId = device.passkey.id.toString('base64')
    await adapter.unlinkAccount({ provider: 'passkey', providerAccountId })
    const eve = { browser: testApp.browser(), device: new SoftAuthenticator(testApp.origin) }
    const twist = { credentialId: device.passkey.id }
    expect(errorOf(await register(eve, { email: 'eve@example.com', twist }))).to.equal('AccountNotLinked')
  })
})

describe('WEBAUTHN-12 what is stored', () => {
  it('is all that a later look may need', async () => {
    const { adapter, testApp, device } = await signedUp()
    const row = await adapter.getAuthenticator(device.passkey.id.toString('base64'))
    expect(row).to.deep.include({
      counter: 0,
      credentialBackedUp: true,
      credentialDeviceType: 'multiDevice',
      transports: 'internal,hybrid',
      name: 'Passkey',
      createdAt: new Date(testApp.clock.ms),
      userHandle: Buffer.from(device.passkey.userHandle, 'base64url').toString('base64'),
      aaguid: '00000000-0000-0000-0000-000000000000',
      userVerified: true,
    })
    expect(row?.credentialPublicKey).to.equal(cbor(coseKey(device.passkey)).toString('base64'))
  })
})

describe('WEBAUTHN-13 the user handle', () => {
  const handleOf = async (passkeyApp: PasskeyApp, query: Record<string, string>) =>
    Buffer.from((await ask(passkeyApp.browser, query)).json().options.user.id, 'base64url')

  it('is random, and says nothing of the person', async () => {
    const passkeyApp = openPasskeyApp()
    const [one, two] = [await handleOf(passkeyApp, { email: ADDRESS }), await handleOf(passkeyApp, { email: ADDRESS })]
    expect([one.length, two.length]).to.deep.equal([32, 32])
    expect(one.equals(two)).to.equal(false)
  })

  it('is the same for every passkey of one user', async () => {
    const { signedIn, device, ...passkeyApp } = await signedUp()
    const handle = await handleOf({ ...passkeyApp, device, browser: signedIn }, { action: 'register' })
    expect(handle.toString('base64url')).to.equal(device.passkey.userHandle)
  })

  it('is never an address or a number that the store counts up', async () => {
    for (const id of ['ada@example.com', '42']) {
      const adapter = memoryAdapter()
      await adapter.createUser({ id, email: ADDRESS, emailVerified: null })
      const credentials = Credentials({ authorize: () => ({ id, email: ADDRESS }) })
      const passkeyApp = openPasskeyApp({ providers: [Passkey(), credentials] }, adapter)
      await passkeyApp.browser.signIn({})
      const handle = await handleOf(passkeyApp, { action: 'register' })
      expect(handle.length).to.equal(32)
      expect(handle.includes(id)).to.equal(false)
    }
  })
})

describe('WEBAUTHN-14 a passkey for an account that exists', () => {
  it('is added by its owner only, and not twice to one authenticator', async () => {
    const { browser, signedIn, device } = await signedUp()
    expect((await ask(browser, { action: 'register', email: ADDRESS })).status).to.equal(400)
    expect((await ask(browser, { action: 'register', email: ' ADA@example.com' })).status).to.equal(400)
    const { excludeCredentials } = (await ask(signedIn, { action: 'register' })).json().options
    expect(excludeCredentials.map(({ id }: { id: string }) => id)).to.deep.equal([
      device.passkey.id.toString('base64url'),
    ])
  })

  it('is not made by a sign-up that was begun before the account', async () => {
    const passkeyApp = openPasskeyApp()
    const early = passkeyApp.testApp.browser()
    const { options } = (await ask(early, { action: 'register', email: ADDRESS })).json()
    await register(passkeyApp, { email: ADDRESS })
    const eve = new SoftAuthenticator(passkeyApp.testApp.origin)
    expect(errorOf(await answer(early, 'register', eve.register(options)))).to.equal('AccountNotLinked')
    expect(await whoIs(early)).to.equal(null)
  })
})

describe('WEBAUTHN-15 the passkey that answers', () => {
  it('is one of those that were asked for', async () => {
    const { browser, testApp } = await signedUp()
    const eve = new SoftAuthenticator(testApp.origin)
    await register({ browser: testApp.browser(), device: eve }, { email: 'eve@example.com' })
    const { options } = (await ask(browser, { action: 'authenticate', email: ADDRESS })).json()
    const data = eve.authenticate(options, {}, eve.passkey)
    expect(errorOf(await answer(browser, 'authenticate', data))).to.equal(REFUSED)
    expect(testApp.log.errors.at(-1)?.message).to.match(/not one of those asked for/)
  })

  it('is one of those, also where nobody has them', async () => {
    const { browser, device, testApp } = await signedUp()
    const { options } = (await ask(browser, { action: 'authenticate', email: 'nobody@example.com' })).json()
    expect(errorOf(await answer(browser, 'authenticate', device.authenticate(options, {}, device.passkey)))).to.equal(
      REFUSED,
    )
    expect(testApp.log.errors.at(-1)?.message).to.match(/not one of those asked for/)
  })
})

describe('WEBAUTHN-16 the owner of a passkey', () => {
  it('is named by it when nobody was asked for', async () => {
    await expectCeremonyRefused('authenticate', { userHandle: null }, /whose passkey/)
  })

  it('is the one that it names', async () => {
    const userHandle = Buffer.alloc(32, 9).toString('base64url')
    await expectCeremonyRefused('authenticate', { userHandle }, /somebody else/)
  })

  it('is not signed in over somebody else', async () => {
    const { testApp, device } = await signedUp()
    const eve = { browser: testApp.browser(), device: new SoftAuthenticator(testApp.origin) }
    const { options } = (await ask(eve.browser, {})).json()
    await register(eve, { email: 'eve@example.com' })
    const data = device.authenticate(options)
    expect(errorOf(await answer(eve.browser, 'authenticate', data))).to.equal('AccountNotLinked')
    expect(await whoIs(eve.browser)).to.equal('eve@example.com')
  })

  it('must exist', async () => {
    const { browser, device, adapter, testApp } = await signedUp()
    const user = await adapter.getUserByEmail(ADDRESS)
    const deleted = { ...(await adapter.getAuthenticator(device.passkey.id.toString('base64'))) }
    await adapter.deleteUser(user?.id ?? '')
    expect(errorOf(await authenticate({ browser, device }))).to.equal(REFUSED)
    expect(testApp.log.errors.at(-1)?.message).to.match(/not known/)
    // A store without foreign keys may keep the passkey.
    await adapter.createAuthenticator(deleted as Parameters<typeof adapter.createAuthenticator>[0])
    expect(errorOf(await authenticate({ browser, device }))).to.equal(REFUSED)
    expect(testApp.log.errors.at(-1)?.message).to.match(/no account/)
  })
})

describe('WEBAUTHN-17 the signature', () => {
  it('is that of the stored key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const signature = sign('sha256', createHash('sha256').update('something').digest(), privateKey)
    await expectCeremonyRefused('authenticate', { signature }, /did not verify|signature/i)
    await expectCeremonyRefused('authenticate', { signature: Buffer.from('not one') }, /refused/)
  })
})

describe('WEBAUTHN-18 what can be backed up', () => {
  for (const [what, made, later] of [
    ['may be copied from now on', FLAG.up | FLAG.uv, FLAG.up | FLAG.uv | FLAG.be | FLAG.bs],
    ['may not be copied any more', FLAG.up | FLAG.uv | FLAG.be, FLAG.up | FLAG.uv],
  ] as const) {
    it(`locks nobody out when it changes, is warned of and stored: ${what}`, async () => {
      const passkeyApp = openPasskeyApp()
      const { device, adapter, testApp } = passkeyApp
      await register(passkeyApp, { email: ADDRESS, twist: { flags: made } })
      for (const signIn of [1, 2]) {
        const browser = testApp.browser()
        await authenticate({ browser, device }, { twist: { flags: later } })
        expect(await whoIs(browser), `sign-in ${signIn}`).to.equal(ADDRESS)
      }
      const isSynced = (later & FLAG.be) !== 0
      expect(testApp.log.warnings.filter((code) => code === 'passkey-backup-changed')).to.have.length(1)
      expect(await adapter.getAuthenticator(device.passkey.id.toString('base64'))).to.include({
        credentialDeviceType: isSynced ? 'multiDevice' : 'singleDevice',
      })
    })
  }

  it('is stored when it has been', async () => {
    const { browser, device, adapter } = await signedUp()
    const id = device.passkey.id.toString('base64')
    await authenticate({ browser, device }, { twist: { flags: FLAG.up | FLAG.uv | FLAG.be } })
    expect(await adapter.getAuthenticator(id)).to.include({ credentialBackedUp: false })
  })
})

describe('WEBAUTHN-19 the counter', () => {
  /** Ada with an authenticator that has counted to 10. */
  const counting = async () => {
    const { testApp, device, ...passkeyApp } = await signedUp()
    device.step = 1
    device.passkey.counter = 9
    expect(errorOf(await authenticate({ browser: testApp.browser(), device }))).to.equal(null)
    return { ...passkeyApp, testApp, device, browser: testApp.browser() }
  }

  it('goes up', async () => {
    const { adapter, device } = await counting()
    expect(await adapter.getAuthenticator(device.passkey.id.toString('base64'))).to.include({ counter: 10 })
  })

  it('never goes back, nor stands still, nor returns to zero', async () => {
    for (const counter of [9, 10, 0]) {
      const passkeyApp = await counting()
      await expectNobody(passkeyApp, await authenticate(passkeyApp, { twist: { counter } }), /counter/)
    }
  })

  it('that two answers show at once lets one in', async () => {
    const { testApp, device } = await counting()
    const browsers = [testApp.browser(), testApp.browser()]
    const outcomes = await Promise.all(
      browsers.map((browser) => authenticate({ browser, device }, { twist: { counter: 42 } })),
    )
    expect(outcomes.map(errorOf).sort()).to.deep.equal([REFUSED, null])
  })

  it('that was raised meanwhile lets nobody in', async () => {
    const passkeyApp = await counting()
    const { updateAuthenticatorCounter } = passkeyApp.adapter
    passkeyApp.adapter.updateAuthenticatorCounter = async (id, counter) => {
      await updateAuthenticatorCounter(id, 99)
      return updateAuthenticatorCounter(id, counter)
    }
    await expectNobody(passkeyApp, await authenticate(passkeyApp), /higher counter/)
  })

  it('that cannot be stored lets nobody in', async () => {
    const passkeyApp = await counting()
    passkeyApp.adapter.updateAuthenticatorCounter = () => {
      throw new Error('the store is down')
    }
    expect(errorOf(await authenticate(passkeyApp))).to.equal('Configuration')
    expect(await whoIs(passkeyApp.browser)).to.equal(null)
  })
})

describe('WEBAUTHN-20 what is not asked for', () => {
  it('is ignored: extension outputs', async () => {
    const passkeyApp = await signedUp()
    const clientExtensionResults = { appid: true, prf: { results: { first: 'AAAA' } } }
    expect(errorOf(await authenticate(passkeyApp, { twist: { members: { clientExtensionResults } } }))).to.equal(null)
    const outputs = {
      flags: FLAG.up | FLAG.uv | FLAG.be | FLAG.bs | FLAG.ed,
      trailing: cbor(new CborMap([['x', 'y']])),
    }
    expect(
      errorOf(await authenticate({ ...passkeyApp, browser: passkeyApp.testApp.browser() }, { twist: outputs })),
    ).to.equal(null)
  })

  it('is refused: malformed CBOR', async () => {
    const repeated =
      (at: number): Twist['attestationObject'] =>
      (object) => {
        // One more member than there is, a copy of the first.
        const copy = Buffer.concat([object, cbor('fmt'), cbor('none')])
        copy[0] = (copy[0] ?? 0) + at
        return copy
      }
    const bad: [Twist, RegExp][] = [
      [{ attestationObject: (object) => Buffer.concat([object, Buffer.from([0])]) }, /follow/],
      [{ attestationObject: repeated(1) }, /twice/],
      [{ attestationObject: (object) => object.subarray(0, -1) }, /ends too early/],
      [{ attestationObject: () => Buffer.from('bf61610161620fff', 'hex') }, /indefinite/],
      [{ attestationObject: () => Buffer.alloc(2000, 0x81) }, /deep/],
      [{ attestationObject: () => Buffer.from('5bffffffffffffffff', 'hex') }, /large/],
      [{ attestationObject: () => Buffer.from('9affffffff', 'hex') }, /early/],
      [{ trailing: Buffer.from([0]) }, /follow/],
      [
        {
          coseKey: new CborMap([
            [1, 2],
            [3, -7],
            [3, -7],
            [-1, 1],
          ]),
        },
        /twice/,
      ],
    ]
    for (const [twist, reason] of bad) await expectCeremonyRefused('register', twist, reason)
    await expectCeremonyRefused('authenticate', { trailing: Buffer.from([0]) }, /follow/)
    const flags = FLAG.up | FLAG.uv | FLAG.be | FLAG.bs | FLAG.ed
    await expectCeremonyRefused('authenticate', { flags, trailing: Buffer.from('a26161016161', 'hex') }, /twice|early/)
  })
})

describe('WEBAUTHN-21 options for somebody unknown', () => {
  it('look like those for somebody known, also when asked for again', async () => {
    const { browser, adapter } = await signedUp()
    await adapter.createUser({ id: 'bob', email: 'bob@example.com', emailVerified: null })
    const shapeOf = (options: Record<string, unknown>) => ({ ...options, challenge: 'x', allowCredentials: 'y' })
    const optionsFor = async (email: string) => (await ask(browser, { action: 'authenticate', email })).json().options
    const known = await optionsFor(ADDRESS)
    for (const email of ['bob@example.com', 'eve@example.com', 'mallory@example.com']) {
      const [unknown, again] = [await optionsFor(email), await optionsFor(email.toUpperCase())]
      expect(shapeOf(unknown)).to.deep.equal(shapeOf(known))
      expect(unknown.allowCredentials).to.deep.equal(again.allowCredentials)
      expect(unknown.allowCredentials.length).to.be.within(1, 2)
      for (const { id, type, transports, ...more } of unknown.allowCredentials) {
        expect(Buffer.from(id, 'base64url').length).to.be.oneOf([16, 20, 32])
        expect([type, more]).to.deep.equal(['public-key', {}])
        expect(transports).to.include('internal')
      }
    }
    const ids = new Set(
      (await Promise.all(['a@x.example', 'b@x.example'].map(optionsFor))).map((o) => o.allowCredentials[0].id),
    )
    expect(ids.size).to.equal(2)
  })

  it('are of one length, and so are their cookies, for people who have passkeys, who have none, and who do not exist', async () => {
    const { browser, adapter } = await signedUp()
    const known = ['bob@example.com', 'long@example.com']
    await adapter.createUser({ id: 'b', email: 'bob@example.com', emailVerified: null })
    await adapter.createUser({ id: 'x'.repeat(300), email: 'long@example.com', emailVerified: null })
    const unknown = Array.from({ length: 40 }, (_, index) => `nobody-${index}@example.com`)
    /** Lengths that were seen, by how many passkeys the answer names: that many there may be. */
    const seen = new Map<number, Set<string>>()
    for (const email of [ADDRESS, ...known, ...unknown]) {
      const asked = await ask(browser, { action: 'authenticate', email })
      const { options } = asked.json()
      const body = asked.body.length - JSON.stringify(options.allowCredentials).length
      const cookies = asked.setCookies.flatMap(({ name, value, maxAge }) =>
        maxAge === 0 ? [] : [name.length + (value ?? '').length],
      )
      const lengths = seen.get(options.allowCredentials.length) ?? new Set()
      seen.set(options.allowCredentials.length, lengths.add(`${body} ${cookies}`))
    }
    expect([...seen.keys()].sort()).to.deep.equal([1, 2])
    for (const [count, lengths] of seen) expect([...lengths], `with ${count}`).to.have.length(1)
  })

  it('take as many calls of the store, which would say by their time who has an account', async () => {
    let calls = 0
    const store = memoryAdapter()
    const counted = Object.entries(store).map(([name, call]) => [
      name,
      (...given: never[]) => {
        calls += 1
        return (call as (...given: never[]) => unknown)(...given)
      },
    ])
    const { browser } = await signedUp({ adapter: Object.fromEntries(counted) })
    await store.createUser({ id: 'bob', email: 'bob@example.com', emailVerified: null })
    const seen = new Set<number>()
    for (const email of [ADDRESS, 'bob@example.com', 'eve@example.com']) {
      const before = calls
      await ask(browser, { action: 'authenticate', email })
      seen.add(calls - before)
    }
    expect([...seen]).to.have.lengthOf(1)
  })
})

describe('WEBAUTHN-23 inputs', () => {
  it('are limited in size and form before anything is decoded', async () => {
    const { browser, device, testApp } = await signedUp()
    const { options } = (await ask(browser, {})).json()
    const sound = JSON.parse(device.authenticate(options))
    const { response } = sound
    const bad: unknown[] = [
      undefined,
      '',
      'null',
      '[]',
      '{',
      'x'.repeat(50_000),
      JSON.stringify({ ...sound, response: undefined }),
      JSON.stringify({ ...sound, id: 'A'.repeat(1366), rawId: 'A'.repeat(1366) }),
      JSON.stringify({ ...sound, id: `${sound.id}=`, rawId: `${sound.id}=` }),
      JSON.stringify({ ...sound, rawId: 'AAAA' }),
      JSON.stringify({ ...sound, type: 'password' }),
      JSON.stringify({ ...sound, response: { ...response, clientDataJSON: 'A'.repeat(8196) } }),
      JSON.stringify({ ...sound, response: { ...response, clientDataJSON: 'bm90IEpTT04' } }),
      JSON.stringify({ ...sound, response: { ...response, authenticatorData: 'A'.repeat(4100) } }),
      JSON.stringify({ ...sound, response: { ...response, signature: 'A'.repeat(8196) } }),
      JSON.stringify({ ...sound, response: { ...response, signature: ['AAAA'] } }),
      JSON.stringify({ ...sound, response: { ...response, userHandle: 'A'.repeat(88) } }),
    ]
    for (const data of bad) {
      const fields = { action: 'authenticate', ...(data !== undefined && { data: String(data) }) }
      const refused = await browser.post('/auth/callback/passkey', fields)
      expect(errorOf(refused), String(data).slice(0, 80)).to.equal(REFUSED)
    }
    const refused = await browser.postJson('/auth/callback/passkey', { action: 'authenticate', data: sound })
    expect(errorOf(refused)).to.equal(REFUSED)
    expect(
      errorOf(await browser.post('/auth/callback/passkey', { action: 'delete', data: JSON.stringify(sound) })),
    ).to.equal(REFUSED)
    expect(await whoIs(browser)).to.equal(null)
    expect(testApp.log.errors.map(({ name }) => name)).to.satisfy((names: string[]) =>
      names.every((name) => name === REFUSED),
    )
  })

  it('with a comma in a transport do not make two', async () => {
    const { browser, device, adapter } = openPasskeyApp()
    const { options } = (await ask(browser, { email: ADDRESS })).json()
    const data = JSON.parse(device.register(options))
    data.response.transports = ['usb', 'usb,nfc', 7, 'x'.repeat(40), 'ble']
    await answer(browser, 'register', JSON.stringify(data))
    const row = await adapter.getAuthenticator(device.passkey.id.toString('base64'))
    expect(row?.transports).to.equal('usb,ble')
  })
})
