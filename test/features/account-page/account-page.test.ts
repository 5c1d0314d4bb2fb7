import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { PASSWORDS } from '../../../lib/features/password/operations.js'
import type { AuthConfig } from '../../../lib/index.js'
import GitHub from '../../../lib/providers/catalogue/github.js'
import Credentials from '../../../lib/providers/credentials.js'
import Passkey from '../../../lib/providers/passkey.js'
import Password from '../../../lib/providers/password.js'
import { PART_NAMES } from '../../../lib/sign-in/account-part.js'
import { elements, visibleText } from '../../support/html.js'
import { longestNormalized, MANY_ACCENTS } from '../../support/normalized-lengths.js'
import { requestContext } from '../../support/request-context.js'
import { openTestApp, type TestBrowser } from '../../support/test-app.js'
import { ADA, EVE, openAddressApp, PAGE } from '../address/address-app.js'

interface Reason {
  readonly reason: string
}

/** As a browser says it that a page of this origin has sent somewhere. */
const FROM_HERE = { ...PAGE, 'sec-fetch-site': 'same-origin' }
const ACCOUNT = 'http://app.example/auth/account'

const github = GitHub({ clientId: 'example', clientSecret: 'example' })

const open = (config: Partial<AuthConfig> = {}, adapter = memoryAdapter()) => ({
  ...openAddressApp(adapter, { providers: [Password(), Passkey(), github], ...config }),
  adapter,
})

/** What the page shows, part by part: the heading and everything below it. */
async function partsOf(browser: TestBrowser): Promise<Record<string, string>> {
  const { status, body } = await browser.get('/auth/account', PAGE)
  expect(status, body).to.equal(200)
  const parts = body.split('<section').slice(1)
  return Object.fromEntries(
    parts.map((part) => [
      /id="part-(\w+)"/.exec(part)?.[1] ?? '',
      visibleText(`<section${part.split('</section>')[0]}`),
    ]),
  )
}

describe('the account page', () => {
  it('shows what somebody has here: name, address, password, passkeys, accounts, and where they are signed in', async () => {
    const app = open()
    const ada = await app.signedIn()
    const id = (await app.idOf(ADA)) ?? ''
    await app.adapter.updateUser({ id, name: 'Ada Lovelace' })
    const passwords = await app.engine.config.services.get(PASSWORDS)?.()
    await passwords?.set({ userId: id, password: 'copper lantern under seven bridges' })
    await app.adapter.linkAccount({ userId: id, provider: 'github', providerAccountId: '7', type: 'oauth' })
    const phone = await app.signedIn()
    const parts = await partsOf(ada)
    expect(Object.keys(parts)).to.deep.equal([
      'profile',
      'address',
      'password',
      'passkeys',
      'accounts',
      'sessions',
      'data',
    ])
    expect(parts['profile']).to.include('Ada Lovelace')
    expect(parts['address']).to.include(ADA)
    expect(parts['password']).to.include('A password is set')
    expect(parts['passkeys']).to.include('No passkeys yet')
    expect(parts['accounts']).to.include('GitHub').and.include('Disconnect')
    expect(parts['sessions']).to.include('This browser').and.include('Sign out everywhere else')
    expect((await partsOf(phone))['sessions']).to.include('This browser')
  })

  it('offers what is missing, and leads back to itself from there', async () => {
    const app = open()
    const ada = await app.signedIn()
    const { body } = await ada.get('/auth/account', PAGE)
    const back = encodeURIComponent(ACCOUNT)
    for (const path of ['address', 'password', 'link/github']) {
      expect(body).to.include(`href="http://app.example/auth/${path}?callbackUrl=${back}"`)
    }
    expect(body).to.include('data-passkey="add"').and.include('/auth/assets/passkey-buttons.js')
  })

  it('has the parts that the configuration keeps something of, and only them', async () => {
    const app = open({ providers: [] })
    expect(Object.keys(await partsOf(await app.signedIn()))).to.deep.equal(['profile', 'address', 'sessions', 'data'])
    const tokens = open({ providers: [], session: { strategy: 'jwt' } })
    expect(Object.keys(await partsOf(await tokens.signedIn()))).to.deep.equal(['profile', 'address', 'data'])
  })

  it('warns at the start of parts that it is told to show, and never can', () => {
    const parts = PART_NAMES
    const reasonsFor = (start: typeof openTestApp | typeof open, config: Partial<AuthConfig>) => {
      const reasons: string[] = []
      const warn = (code: string, data: unknown) => code === 'unused-option' && reasons.push((data as Reason).reason)
      start({ accountPage: { parts }, ...config, logger: { warn, error() {}, debug() {} } } as never)
      return reasons.join('\n')
    }
    expect(reasonsFor(openTestApp, {})).to.match(/^`accountPage.parts` names profile, address, .*, data, deletion, and/)
    expect(reasonsFor(open, { session: { strategy: 'jwt' } })).to.match(
      /names secondFactor, sessions, tokens, language, securityEvents, and the configuration keeps nothing/,
    )
    const theme = { languages: ['en', 'de'] }
    expect(reasonsFor(open, { secondFactor: true, securityEvents: true, bearer: true, theme })).to.equal('')
    expect(reasonsFor(open, { accountPage: {} })).to.equal('')
  })

  it('shows the parts that `accountPage` names, in that order; none with false, and the page of the application', async () => {
    const some = open({ accountPage: { parts: ['sessions', 'password'] } })
    expect(Object.keys(await partsOf(await some.signedIn()))).to.deep.equal(['sessions', 'password'])
    const none = await open({ accountPage: false }).signedIn()
    expect((await none.get('/auth/account', PAGE)).status).to.equal(404)
    const own = await open({ pages: { account: '/me' } }).signedIn()
    expect((await own.get('/auth/account', PAGE)).location).to.equal('/me')
    expect(() => open({ accountPage: { parts: ['adress'] } } as never)).to.throw('accountPage.parts')
  })

  it('offers the languages of the theme, if it names several, and says so in the one that was chosen', async () => {
    const app = open({ theme: { languages: ['en', 'de'] } })
    const ada = await app.signedIn()
    expect((await partsOf(ada))['language']).to.equal('Language English Deutsch')
    const answer = await app.send(ada, 'language', { language: 'de', callbackUrl: ACCOUNT }, FROM_HERE)
    expect(answer.location).to.equal(`${ACCOUNT}?done=language`)
    const page = await ada.get('/auth/account?done=language', FROM_HERE)
    expect(visibleText(page.body)).to.include('Die Sprache wurde geändert')
    expect((await partsOf(ada))['language']).to.equal('Sprache Deutsch English')
    expect(await partsOf(await open({ theme: { languages: ['de'] } }).signedIn())).to.not.have.property('language')
    await app.send(ada, 'language', { language: 'en', callbackUrl: ACCOUNT }, FROM_HERE)
    const { body } = await ada.get('/auth/account', { ...PAGE, 'accept-language': 'de-AT,en-GB;q=0.5' })
    expect(visibleText(body), 'with the dates of the region that the browser names').to.match(/Since \d+ \w+ 20\d\d/)
    const inCairo = await open({ theme: { languages: ['ar'] } }).signedIn()
    const arabic = await inCairo.get('/auth/account', { ...PAGE, 'accept-language': 'ar-EG' })
    expect(visibleText(arabic.body), 'with the digits of the texts')
      .to.match(/\d+\D+\d+\D+20\d\d/)
      .and.not.match(/[٠-٩]/)
  })

  it('stores another name, which shows in the session at once', async () => {
    for (const session of [{ strategy: 'database' }, { strategy: 'jwt' }] as const) {
      const app = open({ session })
      const ada = await app.signedIn()
      const answer = await app.send(ada, 'account', { name: '  Ada\u00a0 King ', callbackUrl: ACCOUNT }, FROM_HERE)
      expect(answer.location).to.equal(`${ACCOUNT}?done=name`)
      const page = await ada.get('/auth/account?done=name', FROM_HERE)
      expect(visibleText(page.body)).to.include('Your name was changed').and.include('Ada King')
      expect((await ada.current())?.user?.name).to.equal('Ada King')
      expect((await app.adapter.getUserByEmail(ADA))?.name).to.equal('Ada King')
    }
  })

  it('signs out another browser, or all of them, and says so', async () => {
    const app = open()
    const ada = await app.signedIn()
    const phone = await app.signedIn()
    const { body } = await ada.get('/auth/account', PAGE)
    const id = /name="id" value="([^"]+)"/.exec(body)?.[1] ?? ''
    const ended = await app.send(ada, 'sessions/revoke', { id, callbackUrl: ACCOUNT }, FROM_HERE)
    expect(ended.location).to.equal(`${ACCOUNT}?done=session`)
    expect(await phone.current()).to.equal(null)
    const laptop = await app.signedIn()
    const all = await app.send(ada, 'sessions/revoke', { others: 'true', callbackUrl: ACCOUNT }, FROM_HERE)
    expect(
      visibleText((await ada.get(all.location?.replace('http://app.example', '') ?? '', FROM_HERE)).body),
    ).to.include('You are signed out everywhere else')
    expect([await laptop.current(), (await ada.current())?.user?.email]).to.deep.equal([null, ADA])
  })

  it('offers to disconnect an account while there is another way to sign in', async () => {
    const app = open()
    const ada = await app.signedIn()
    const id = (await app.idOf(ADA)) ?? ''
    await app.adapter.linkAccount({ userId: id, provider: 'github', providerAccountId: '7', type: 'oauth' })
    expect((await partsOf(ada))['accounts']).to.include('Disconnect')
    // Without an address, no link can be mailed.
    await app.adapter.updateUser({ id, email: null, emailVerified: null } as never)
    expect((await partsOf(ada))['accounts'])
      .to.include('no other way to sign in is known')
      .and.not.include('Disconnect')
  })
})

describe('the account page offers', () => {
  it('no way out that leads back to itself: after a sign-out it would only ask to sign in', async () => {
    const { body } = await (await open().signedIn()).get('/auth/account', PAGE)
    expect(body).to.include('href="http://app.example/auth/signout"')
  })

  it('a password by a link to the address of whoever is signed in, which is filled in', async () => {
    const ada = await open().signedIn()
    expect((await ada.get('/auth/account', PAGE)).body).to.include('/auth/password?callbackUrl')
    expect((await ada.get('/auth/password', PAGE)).body).to.include(`value="${ADA}"`)
  })

  it('one at a time, and in red only what no sign-in brings back', async () => {
    const app = open()
    const ada = await app.signedIn()
    const passwords = await app.engine.config.services.get(PASSWORDS)?.()
    const id = (await app.idOf(ADA)) ?? ''
    await passwords?.set({ userId: id, password: 'copper lantern under seven bridges' })
    await app.adapter.linkAccount({ userId: id, provider: 'github', providerAccountId: '7', type: 'oauth' })
    await app.signedIn()
    const { body } = await ada.get('/auth/account', PAGE)
    expect(new Set(body.match(/<details[^>]*>/g))).to.have.lengthOf(1)
    const red = Array.from(body.matchAll(/<(?:a|summary) class="small danger".*?<\/(?:a|summary)>/gs), ([html]) =>
      visibleText(html),
    )
    expect(red).to.deep.equal(['Remove', 'Disconnect : GitHub Cancel'])
    expect(body).to.match(/class="small danger" href="[^"]*\/password\/remove/)
  })

  it('a question before tokens for programs are revoked with all other sessions', async () => {
    const app = open({ bearer: true })
    const ada = await app.signedIn()
    await app.signedIn()
    expect((await partsOf(ada))['sessions']).to.not.include('Tokens for programs')
    const context = requestContext(ada.cookieHeader(), ada.origin)
    await app.engine.config.schemeFor(ada.origin).sessions.issueToken(context, { maxAge: 3600, name: 'Backup' })
    const parts = await partsOf(ada)
    expect(parts['sessions']).to.include('Tokens for programs are revoked, too')
    expect(parts['tokens']).to.include('Backup').and.include('Revoke')
  })

  it('that a token for a program was revoked', async () => {
    const app = open({ bearer: true })
    const ada = await app.signedIn()
    const context = requestContext(ada.cookieHeader(), ada.origin)
    await app.engine.config.schemeFor(ada.origin).sessions.issueToken(context, { maxAge: 3600, name: 'Backup' })
    const { body } = await ada.get('/auth/account', PAGE)
    const section = /<section[^>]*>(?:(?!<section).)*Backup.*?<\/section>/s.exec(body)?.[0] ?? ''
    const fields = Object.fromEntries(
      elements(section, 'input').map((each) => [each.get('name') ?? '', each.get('value') ?? '']),
    )
    const { location } = await app.send(ada, 'sessions/revoke', fields, FROM_HERE)
    const after = await ada.get(location?.replace('http://app.example', '') ?? '', FROM_HERE)
    expect(visibleText(after.body)).to.include('The token was revoked.').and.not.include('Backup')
  })

  it('only providers whose accounts can be added', async () => {
    const unchecked = { ...github, id: 'unchecked', name: 'Unchecked', checks: ['none'] as const }
    const app = open({ providers: [github, unchecked as never] })
    const parts = await partsOf(await app.signedIn())
    expect(parts['accounts']).to.include('Connect GitHub').and.not.include('Unchecked')
  })

  it('no removal of the only passkey that somebody signs in with, and each name field for its own passkey', async () => {
    const app = open()
    const ada = await app.signedIn()
    const userId = (await app.idOf(ADA)) ?? ''
    for (const credentialID of ['AAAA', 'BBBB']) {
      const account = { userId, provider: 'passkey', providerAccountId: credentialID, type: 'webauthn' } as const
      await app.adapter.linkAccount(account)
      await app.adapter.createAuthenticator({
        userId,
        credentialID,
        providerAccountId: credentialID,
        counter: 0,
        credentialPublicKey: 'pQ==',
        credentialDeviceType: 'multiDevice',
        credentialBackedUp: true,
        transports: null,
      })
    }
    const { body } = await ada.get('/auth/account', PAGE)
    expect(new Set(body.match(/ id="name-[^"]+"/g)).size).to.equal(2)
    expect((await partsOf(ada))['passkeys']).to.include('Remove')
    await app.adapter.deleteAuthenticator('BBBB')
    await app.adapter.unlinkAccount({ provider: 'passkey', providerAccountId: 'BBBB' })
    await app.adapter.updateUser({ id: userId, email: null, emailVerified: null } as never)
    expect((await partsOf(ada))['passkeys'])
      .to.include('no other way')
      .and.not.include('Remove')
  })
})

describe('the account page, misused', () => {
  it('is for people who are signed in: others are led to the sign-in page and back, and a script gets 401', async () => {
    const app = open()
    const stranger = app.browser()
    const { status, location } = await stranger.get('/auth/account', PAGE)
    expect([status, location]).to.deep.equal([
      302,
      `http://app.example/auth/signin?${new URLSearchParams({ error: 'SessionRequired', callbackUrl: `${ACCOUNT}?callbackUrl=http%3A%2F%2Fapp.example` })}`,
    ])
    expect((await stranger.get('/auth/account')).status).to.equal(401)
    expect((await app.send(stranger, 'account', { name: 'Eve' })).status).to.equal(401)
  })

  it('is in no cache and no frame', async () => {
    const ada = await open().signedIn()
    const { headers } = await ada.get('/auth/account', PAGE)
    expect(headers.get('cache-control')).to.include('no-store')
    expect(headers.get('content-security-policy')).to.include("frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).to.equal('DENY')
  })

  it('says that something was done only after it was: no link of another site can claim it', async () => {
    const ada = await open().signedIn()
    for (const site of ['cross-site', 'same-site', 'none', undefined]) {
      const page = await ada.get('/auth/account?done=session', { ...PAGE, ...(site && { 'sec-fetch-site': site }) })
      expect(visibleText(page.body)).to.not.include('has ended')
    }
    for (const name of ['nothing', '__proto__', 'constructor', '<b>']) {
      const page = await ada.get(`/auth/account?done=${encodeURIComponent(name)}`, FROM_HERE)
      expect(page.status).to.equal(200)
      expect(page.body).to.not.include('<p class="done"')
    }
  })

  it('claims nothing that waits for another sign-in', async () => {
    const app = open()
    const ada = await app.signedIn()
    await app.signedIn()
    app.clock.advance(3600)
    const answer = await app.send(ada, 'sessions/revoke', { others: 'true', callbackUrl: ACCOUNT }, FROM_HERE)
    expect(answer.location).to.include('/auth/signin?').and.not.include('done')
  })

  it('takes the forms of its own pages alone', async () => {
    const app = open()
    const ada = await app.signedIn()
    const forged = await ada.post('/auth/account', { name: 'Eve' }, PAGE)
    expect((await app.adapter.getUserByEmail(ADA))?.name ?? null).to.equal(null)
    expect(forged.status).to.be.oneOf([302, 403])
    const crossSite = { ...PAGE, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    await app.send(ada, 'account', { name: 'Eve' }, crossSite)
    await ada.get('/auth/account?name=Eve', FROM_HERE)
    expect((await app.adapter.getUserByEmail(ADA))?.name ?? null).to.equal(null)
  })

  it('refuses names that are none, too long, or in more than one line', async () => {
    const app = open()
    const ada = await app.signedIn()
    for (const name of ['', '   ', 'a'.repeat(101), 'a'.repeat(60_000), 'Ada\u0000', 'Ada\u202eevE', '\u001b[31mAda']) {
      const { status } = await app.send(ada, 'account', { name })
      expect(status, JSON.stringify(name.slice(0, 20))).to.be.oneOf([400, 422])
    }
    for (const name of ['\u200b', { first: 'Ada' }, ['Ada'], null, 1815]) {
      const { status } = await ada.postJson('/auth/account', { csrfToken: await ada.csrfToken(), name })
      expect(status, JSON.stringify(name)).to.equal(422)
    }
    expect((await app.adapter.getUserByEmail(ADA))?.name ?? null).to.equal(null)
    const page = await app.send(ada, 'account', { name: ' ' }, PAGE)
    expect(visibleText(page.body)).to.include('A name has 1 to 100 characters').and.include('Your account')
  })

  it('holds nobody up for a name with thousands of accents', async () => {
    const app = open()
    const ada = await app.signedIn()
    const longest = await longestNormalized(async () => {
      expect((await app.send(ada, 'account', { name: MANY_ACCENTS })).status).to.equal(422)
    })
    expect(longest).to.be.below(2049)
  })

  it('takes no name where it shows none, or the store keeps none', async () => {
    const app = open({ accountPage: { parts: ['sessions'] } })
    const ada = await app.signedIn()
    expect((await app.send(ada, 'account', { name: 'Ada' })).status).to.equal(404)
    const grace = Credentials({ credentials: {}, authorize: () => ({ id: '1906', name: 'Grace' }) })
    const browser = openTestApp({ providers: [grace] }).browser()
    await browser.signIn({})
    const named = await browser.post('/auth/account', { csrfToken: await browser.csrfToken(), name: 'Eve' })
    expect(named.status).to.equal(404)
  })

  it('shows texts of others as texts', async () => {
    const app = open()
    const ada = await app.signedIn()
    const html = '<img src=x onerror=alert(1)>"\'&'
    await app.adapter.updateUser({ id: (await app.idOf(ADA)) ?? '', name: html })
    const { body } = await ada.get('/auth/account', PAGE)
    expect(body).to.not.include('<img src=x').and.not.include('"\'&"')
    expect(visibleText(body)).to.include(html)
  })

  it('ends no session of somebody else', async () => {
    const app = open()
    const ada = await app.signedIn()
    const eve = await app.signedIn(EVE)
    await app.signedIn(EVE)
    const id = /name="id" value="([^"]+)"/.exec((await eve.get('/auth/account', PAGE)).body)?.[1] ?? ''
    await app.send(ada, 'sessions/revoke', { id, callbackUrl: ACCOUNT }, FROM_HERE)
    expect((await eve.get('/auth/account', PAGE)).body).to.include(`value="${id}"`)
  })

  it('shows the other parts when some fail, says so, and logs which', async () => {
    const app = open({ securityEvents: true, bearer: true, secondFactor: true })
    const ada = await app.signedIn()
    const all = Object.keys(await partsOf(ada))
    for (const method of ['getUser', 'listSessionsByUserId', 'listAuthenticatorsByUserId', 'getRecord'] as const) {
      const works = app.adapter[method]
      Object.assign(app.adapter, { [method]: async () => Promise.reject(new Error('down')) })
      app.log.errors.length = 0
      const shown = Object.keys(await partsOf(ada))
      const { body } = await ada.get('/auth/account', PAGE)
      Object.assign(app.adapter, { [method]: works })
      expect(visibleText(body)).to.include('A part of our service does not answer right now')
      const failed = all.filter((part) => !shown.includes(part))
      const logged = failed.map((part) => `The part ${part} of the account page failed. The page is shown without it.`)
      expect(
        app.log.errors.map(({ message }) => message),
        method,
      ).to.include.members(logged)
      expect([failed.length > 0, shown.length > 2], `${method}: ${failed}`).to.deep.equal([true, true])
    }
    expect(Object.keys(await partsOf(ada))).to.deep.equal(all)
    expect(visibleText((await ada.get('/auth/account', PAGE)).body)).to.not.include('does not answer')
  })
})
