import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { AuthConfig } from '../../lib/index.js'
import { ADA, type Running, testConfig } from '../support/app.js'
import {
  type CallingOptions,
  FOREIGN_FORM,
  FOREIGN_LINK,
  follow,
  OWN_LINK,
  ownForm,
  startCallingApp,
} from '../support/calling-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { sendRaw } from '../support/raw-http.js'
import { Mailbox, newPerson, oauth } from '../support/sign-ins.js'
import type { Visitor } from '../support/visitor.js'

const TRANSACTION = /\.(?:state|code_verifier|nonce)\./
const openIn = ({ jar }: Visitor) =>
  new Set([...jar.keys()].filter((name) => TRANSACTION.test(name)).map((name) => name.slice(-8)))

describe('sign-ins and sign-outs that routes of the application make (SESS-12, CSRF-04, CSRF-06, LOGOUT-01)', () => {
  let idp: FakeProvider
  let app: Running
  before(async () => {
    idp = await FakeProvider.start()
  })
  after(() => idp.stop())
  afterEach(() => app?.close())

  const setUp = async (more: Partial<AuthConfig> = {}, options: CallingOptions = {}) => {
    const store = memoryAdapter()
    const mailbox = new Mailbox()
    const providers = [...testConfig().providers, oauth(idp), oauth(idp, 'oidc', { id: 'evil' }), mailbox.provider()]
    const session = { strategy: 'jwt' } as const
    app = await startCallingApp(testConfig({ adapter: store, session, providers, ...more }), options)
    return { store, mailbox, visitor: app.visitor() }
  }
  const setProviderUser = (sub: string, email: string) => {
    idp.profile = { sub, name: 'Somebody', email }
  }
  const comeBack = (visitor: Visitor, location: URL | null, id = 'oidc') =>
    follow(visitor, `/auth/callback/${id}?${idp.authorize(location?.href ?? '')}`, FOREIGN_LINK)

  describe('a page of another site', () => {
    const SENDERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'another site': FOREIGN_LINK,
      'a sibling host': { ...OWN_LINK, 'sec-fetch-site': 'same-site' },
      'a bookmark, or a link in a mail program': { ...OWN_LINK, 'sec-fetch-site': 'none' },
      'a browser that says nothing': { accept: 'text/html' },
    }
    for (const [sender, headers] of Object.entries(SENDERS)) {
      it(`begins no sign-in at a provider by a link: ${sender}`, async () => {
        const { visitor } = await setUp()
        const answer = await follow(visitor, '/login/evil', headers)
        expect([answer.location?.origin, answer.location?.pathname]).to.deep.equal([app.origin, '/auth/signin'])
        expect(answer.setCookie).to.deep.equal([])
      })
    }

    const FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'another site': FOREIGN_FORM,
      'a sibling host': { ...FOREIGN_FORM, 'sec-fetch-site': 'same-site' },
      'another site, in an old browser': { origin: 'https://evil.example' },
      'a page without an origin': { origin: 'null' },
      'a program that says nothing': {},
    }
    for (const [sender, headers] of Object.entries(FORMS)) {
      it(`neither signs in nor out, nor sends a mail, by a form: ${sender}`, async () => {
        const { visitor, mailbox } = await setUp({}, { fromAnywhere: true })
        await visitor.signIn(ADA)
        const before = new Map(visitor.jar)
        for (const path of [
          '/login/oidc',
          '/login/credentials',
          '/login/email',
          '/logout?to=/bye',
          '/logout-quietly',
        ]) {
          const body = new URLSearchParams({ ...ADA, email: 'ada@example.com' }).toString()
          const type = 'application/x-www-form-urlencoded'
          const all = {
            ...headers,
            cookie: visitor.cookieHeader(),
            'content-type': type,
            'content-length': `${body.length}`,
          }
          const answer = await sendRaw(app.origin, path, { method: 'POST', headers: all, body })
          expect(JSON.parse(answer.body).type, path).to.equal('MissingCSRF')
          expect(
            answer.setCookie.filter((cookie) => !cookie.startsWith('authjs.session-token')),
            path,
          ).to.deep.equal([])
        }
        expect(visitor.jar).to.deep.equal(before)
        expect((await visitor.session()).user.name).to.equal('Ada')
        expect(mailbox.links.size).to.equal(0)
      })
    }

    const PARTS = ['image', 'script', 'style', 'iframe', 'empty', 'embed', 'object']
    for (const dest of PARTS) {
      it(`neither begins a sign-in nor signs out as a part of a page: ${dest}`, async () => {
        const { visitor } = await setUp({}, { fromAnywhere: true })
        await visitor.signIn(ADA)
        for (const site of ['cross-site', 'same-origin']) {
          const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': dest }
          expect((await follow(visitor, '/login/oidc', headers)).location?.pathname).to.equal('/auth/signin')
          expect((await follow(visitor, '/logout?to=/bye', headers)).status).to.equal(405)
        }
        expect(openIn(visitor).size).to.equal(0)
        expect((await visitor.session()).user.name).to.equal('Ada')
      })
    }
  })

  for (const header of ['sec-purpose', 'purpose', 'x-moz']) {
    it(`begins nothing for a browser that fetches ahead: ${header}`, async () => {
      const { visitor } = await setUp({}, { fromAnywhere: true })
      const answer = await follow(visitor, '/login/oidc', { ...OWN_LINK, [header]: 'prefetch' })
      expect([answer.location?.pathname, answer.setCookie]).to.deep.equal(['/auth/signin', []])
    })
  }

  it('begins nothing for HEAD', async () => {
    const { visitor } = await setUp({}, { fromAnywhere: true })
    const answer = await follow(visitor, '/login/oidc', OWN_LINK, 'HEAD')
    expect([answer.location?.pathname, answer.setCookie]).to.deep.equal(['/auth/signin', []])
  })

  it('neither signs in with the credentials of a link nor sends the mail of one, also in a page of the application', async () => {
    const { visitor, mailbox } = await setUp({}, { fromAnywhere: true })
    for (const headers of [OWN_LINK, FOREIGN_LINK]) {
      for (const path of ['/login/credentials?username=ada&password=lovelace', '/login/email?email=ada@example.com']) {
        expect((await follow(visitor, path, headers)).status).to.equal(405)
      }
    }
    expect([visitor.jar.size, mailbox.links.size]).to.deep.equal([0, 0])
  })

  describe('somebody who is signed in', () => {
    /** Ada, and a stranger who is signed in at the provider in her browser. */
    const withStranger = async (options: CallingOptions) => {
      const { store, visitor } = await setUp({}, options)
      const ada = newPerson()
      setProviderUser(ada.sub, ada.email ?? '')
      await comeBack(visitor, (await visitor.post('/login/oidc', {}, ownForm(app.origin))).location)
      const id = (await store.getUserByAccount({ provider: 'oidc', providerAccountId: ada.sub }))?.id
      expect(id).to.be.a('string')
      const stranger = newPerson()
      setProviderUser(stranger.sub, stranger.email ?? '')
      const owner = async () =>
        (await store.getUserByAccount({ provider: 'evil', providerAccountId: stranger.sub }))?.id
      return { visitor, id, owner }
    }

    for (const [name, headers, options] of [
      ['a page of the application', OWN_LINK, {}],
      ['another site, where the route accepts it', FOREIGN_LINK, { fromAnywhere: true }],
    ] as const) {
      it(`gets no account added by a link: ${name}`, async () => {
        const { visitor, id, owner } = await withStranger(options)
        await comeBack(visitor, (await follow(visitor, '/login/evil', headers)).location, 'evil')
        expect(await owner())
          .to.be.a('string')
          .and.not.equal(id)
      })
    }

    it('adds an account by a form of the application', async () => {
      const { visitor, id, owner } = await withStranger({})
      await comeBack(visitor, (await visitor.post('/login/evil', {}, ownForm(app.origin))).location, 'evil')
      expect(await owner()).to.equal(id)
    })
  })

  it('keeps the sign-in that a visitor began, however many links of another site are followed', async () => {
    const { visitor } = await setUp()
    const begun = await follow(visitor, '/login/oidc?to=/private', OWN_LINK)
    for (let count = 0; count < 8; count += 1) await follow(visitor, '/login/oidc', FOREIGN_LINK)
    expect(openIn(visitor).size).to.equal(1)
    expect((await comeBack(visitor, begun.location)).location?.pathname).to.equal('/private')
  })

  it('keeps five sign-ins open at most, and the newest of them', async () => {
    const { visitor } = await setUp()
    const begun = []
    for (let count = 0; count < 7; count += 1) begun.push(await follow(visitor, `/login/oidc?to=/p${count}`, OWN_LINK))
    expect(openIn(visitor).size).to.equal(5)
    expect(visitor.cookieHeader().length).to.be.lessThan(8000)
    expect((await comeBack(visitor, begun.at(-1)?.location ?? null)).location?.pathname).to.equal('/p6')
  })

  it('refuses the callback in another browser than the one that began', async () => {
    const { visitor } = await setUp({}, { fromAnywhere: true })
    const begun = await follow(app.visitor(), '/login/oidc', OWN_LINK)
    const answer = await comeBack(visitor, begun.location)
    expect([answer.location?.searchParams.has('error'), await visitor.session()]).to.deep.equal([true, null])
  })
})
