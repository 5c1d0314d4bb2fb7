import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AccountAppOptions, openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { goToLink } from '../support/links.js'
import { newPerson, setProviderUser } from '../support/sign-ins.js'
import { type TestBrowser, type TestResponse, whoIs } from '../support/test-app.js'
import { inAHurry } from '../support/timers.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

const pathOf = ({ location }: TestResponse) => {
  const { pathname, search } = new URL(location ?? '', 'http://app.example')
  return pathname + search
}

describe('a sign-in whose address another user has', () => {
  inAHurry()
  /** An app where a person has signed in with "other", and comes with "acme" and the same address. */
  const setUp = async (verified: boolean, options: AccountAppOptions = {}) => {
    const app = openAccountApp(idp, { methods: ['email'], provider: { name: 'Acme' }, ...options })
    const ada = { ...newPerson(), emailVerified: true }
    await app.signIn(app.browser(), ada, 'other')
    const again = { ...ada, sub: newPerson().sub, emailVerified: verified }
    const browser = app.browser()
    const refused = await app.signIn(browser, again, 'acme')
    return { ...app, ada, again, visitor: browser, refused }
  }

  it('is told the ways of that user if the provider verified the address, and is led to connect', async () => {
    const { visitor, refused, ada, again, signIn, clock, ownerOf } = await setUp(true)
    expect(new URL(refused.location ?? '').searchParams.get('error')).to.equal('OAuthAccountNotLinked')
    const page = await visitor.get(pathOf(refused))
    expect(page.body).to.include('You have an account here already')
    expect(page.body).to.include('/auth/signin/other').and.to.include('/auth/signin/email')
    expect(page.body, 'no way that the user does not have').not.to.include('/auth/signin/acme')
    const target = /name="callbackUrl" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    expect(new URL(target).pathname).to.equal('/auth/link/acme')
    await signIn(visitor, ada, 'other')
    const connect = await visitor.get(new URL(target).pathname)
    expect(connect.body).to.include('Connect Acme')
    setProviderUser(idp, clock, again)
    await visitor.get(await goToLink(visitor, idp, 'acme'))
    expect(await ownerOf(again)).to.equal(await ownerOf(ada, 'other'))
    expect(await whoIs(visitor)).to.equal(ada.email)
  })

  /** An app where a person has signed in with "acme", and comes again with another id there. */
  const madeAgain = async (verified: boolean, options: AccountAppOptions = {}) => {
    const logged: string[] = []
    const logger = { info: (error: Error) => void logged.push(error.message) }
    const app = openAccountApp(idp, {
      methods: ['email'],
      provider: { name: 'Acme' },
      config: { logger },
      ...options,
    })
    const before = { ...newPerson(), emailVerified: true }
    await app.signIn(app.browser(), before)
    const now = { ...before, sub: newPerson().sub, emailVerified: verified }
    const visitor = app.browser()
    const refused = await app.signIn(visitor, now)
    const { body } = await visitor.get(pathOf(refused))
    return { ...app, before, now, body, logged: logged.join('\n') }
  }

  it('ACCT-01: and who has another id at the same provider than before, is told so, and so is the log', async () => {
    const { body, logged, before, now, ownerOf } = await madeAgain(true)
    expect(body).to.include('Acme had another id for you before').and.not.include('the way that you used before')
    expect(logged).to.match(/an account there with another id \(sub\)/)
    for (const secret of [before.sub, now.sub, String(before.email)]) expect(logged).not.to.include(secret)
    expect(await ownerOf(now)).to.equal(undefined)
  })

  it('a stranger is not told that the owner has an account at the same provider, and the log is', async () => {
    const { body, logged } = await madeAgain(false)
    const { visitor, refused } = await setUp(false)
    const elsewhere = await visitor.get(pathOf(refused))
    const plain = (page: string) =>
      page.replaceAll(/nonce="[^"]+"|name="csrfToken" value="[^"]+"|[\w.-]+@example.com/g, '')
    expect(plain(body)).to.equal(plain(elsewhere.body))
    expect(logged).to.match(/another id/)
  })

  it('without mailed links, the page says what to do if the way that was used before is this one', async () => {
    const { body } = await madeAgain(false, { methods: [] })
    expect(body).to.include('If it was this way, please contact us.')
  })

  it('the application can give the account its new id, as the guide says', async () => {
    const { before, now, store, signIn, browser, ownerOf } = await madeAgain(true)
    const user = await store.getUserByAccount({ provider: 'acme', providerAccountId: before.sub })
    const account = { userId: String(user?.id), type: 'oidc', provider: 'acme', providerAccountId: now.sub } as const
    await store.linkAccount(account)
    await store.unlinkAccount({ provider: 'acme', providerAccountId: before.sub })
    await signIn(browser(), now)
    expect([await ownerOf(now), await ownerOf(before)]).to.deep.equal([user?.id, undefined])
  })

  it('ACCT-01: the refusal stands where the store cannot list accounts, or fails to', async () => {
    const failing = async () => Promise.reject(new Error('down'))
    for (const listAccountsByUserId of [undefined, failing]) {
      const { now, ownerOf } = await madeAgain(true, { change: { listAccountsByUserId } as never })
      expect(await ownerOf(now)).to.equal(undefined)
    }
  })

  it('tells who is signed in meanwhile in that browser', async () => {
    const { visitor, refused, signIn } = await setUp(true)
    const bob = newPerson()
    const { searchParams } = new URL(refused.location ?? '')
    const other = visitor.copy()
    await signIn(other, bob, 'acme')
    for (const [name, cookie] of other.jar) if (name.includes('session-token')) visitor.jar.set(name, cookie)
    const { body } = await visitor.get(`/auth/signin?${searchParams}`)
    expect(body)
      .to.include('You have an account here already')
      .and.to.include('You are signed in as')
      .and.include(bob.email)
  })

  it('strangers, whose provider verified nothing, are told no way, and are offered a link to the address', async () => {
    const { visitor, refused, ada } = await setUp(false)
    const page = await visitor.get(pathOf(refused))
    expect(page.body).to.include('with a link that we e-mail to you').and.to.include(`value="${ada.email}"`)
    expect(page.body, 'every way of the configuration')
      .to.include('/auth/signin/acme')
      .and.to.include('/auth/signin/other')
  })

  it('the page is the same for every stranger, whichever ways the user has', async () => {
    const shown = async (provider: string) => {
      const app = openAccountApp(idp, { methods: ['email'] })
      const ada = newPerson()
      await app.signIn(app.browser(), { ...ada, emailVerified: true }, provider)
      const visitor = app.browser()
      const refused = await app.signIn(visitor, { ...ada, sub: newPerson().sub }, 'acme')
      const { body } = await visitor.get(pathOf(refused))
      return body
        .replaceAll(/nonce="[^"]+"|name="csrfToken" value="[^"]+"/g, '')
        .replaceAll(String(ada.email), 'the address')
    }
    expect(await shown('other')).to.equal(await shown('acme'))
  })

  it('without mailed links, a stranger gets what they always got', async () => {
    const { refused } = await setUp(false, { methods: [] })
    expect(refused.location).to.equal('http://app.example/auth/signin?error=OAuthAccountNotLinked')
  })

  it('a sign-in page of the application gets what it always got', async () => {
    const { refused } = await setUp(true, { config: { pages: { signIn: '/login' } } })
    expect(refused.location).to.equal('http://app.example/login?error=OAuthAccountNotLinked')
  })

  const NOTE = 'authjs.note'
  const noteOf = ({ jar }: TestBrowser): string => jar.get(NOTE)?.value ?? ''
  const USUAL = 'You signed in with this e-mail address in another way before.'

  it('says nothing in the URL, to other instances, in another text, or after two minutes', async () => {
    const store = memoryAdapter()
    const { visitor, refused, ada, clock, ...app } = await setUp(true, { store, config: { instance: 'north' } })
    expect(refused.location).to.equal('http://app.example/auth/signin?error=OAuthAccountNotLinked')
    const note = noteOf(visitor)
    expect(note).to.match(/^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/)
    const parts = note.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    expect(parts.join()).not.to.include(ada.email)
    const south = openAccountApp(idp, { store, methods: ['email'], config: { instance: 'south' } })
    const seen = async (browser: typeof visitor, cookie: string) => {
      browser.plant(NOTE, cookie)
      return (await browser.get(pathOf(refused))).body
    }
    expect(await seen(south.browser(), note)).to.include(USUAL)
    expect(await seen(app.browser(), `${note.slice(0, -3)}AAA`)).to.include(USUAL)
    const asRequest = await app.browser().get(`/auth/link/acme?request=${note}`)
    expect(asRequest.status, 'it is no link request').to.equal(400)
    clock.advance(2 * 60 + 61)
    expect((await visitor.get(pathOf(refused))).body).to.include(USUAL)
  })

  it('counts only in the browser that was refused, once, and about this error', async () => {
    const { visitor, refused, ada, ...app } = await setUp(true)
    const other = await app.browser().get(pathOf(refused))
    expect(other.body).to.include(USUAL).and.not.include(ada.email)
    const note = noteOf(visitor)
    for (const path of ['/auth/signin', '/auth/signin?error=CredentialsSignin']) {
      const { body } = await visitor.get(path)
      expect(body).not.to.include('You have an account here already').and.not.include(ada.email)
      expect(visitor.jar.has(NOTE)).to.equal(false)
      visitor.plant(NOTE, note)
    }
    expect((await visitor.get(pathOf(refused))).body).to.include('You have an account here already')
    expect((await visitor.get(pathOf(refused))).body).to.include(USUAL)
  })

  it('a store that fails at the look-up of the ways changes nothing about the refusal', async () => {
    const store = memoryAdapter()
    const change = { listAccountsByUserId: () => Promise.reject(new Error('down')) }
    const { refused, visitor } = await setUp(true, { store, change, methods: [] })
    expect(refused.location).to.equal('http://app.example/auth/signin?error=OAuthAccountNotLinked')
    expect(visitor.sessionNames()).to.deep.equal([])
  })

  it('no log line has the address', async () => {
    const { log, ada } = await setUp(true)
    expect(log.errors.map((error) => JSON.stringify({ ...error, message: error.message })).join()).not.to.include(
      ada.email,
    )
  })
})
