import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { OPERATIONS } from '../../lib/compose.js'
import { webAuth } from '../../lib/frameworks/web/index.js'
import { type AuthConfig, type RecentSignInRequired, RequestRefused } from '../../lib/index.js'
import Email from '../../lib/providers/email.js'
import type { Provider } from '../../lib/providers/provider.js'
import { signInAs, testClock } from '../../lib/testing/index.js'
import type { OperationName } from '../../lib/visitor/visitor.js'
import { createLog } from '../support/app.js'
import { EDGES, type Headers_ } from '../support/edges.js'
import { failureOf } from '../support/failure.js'
import { ofFeatures } from '../support/of-features.js'
import { github, ORIGIN, OWN_PAGE, webConfig } from '../support/web-app.js'

const NAMES = Object.keys(OPERATIONS) as OperationName[]
const CHANGES = NAMES.filter((name) => OPERATIONS[name].changes)

type Arguments = (more?: object) => readonly unknown[]

/** What features let people have. */
const OF_FEATURES = await ofFeatures<{
  readonly provider?: () => Provider
  /** Gives somebody two of them; and for each operation, the arguments, which name the first. */
  readonly give: (
    adapter: Required<Adapter>,
    userId: string,
    config: AuthConfig,
  ) => Promise<Readonly<Record<string, Arguments>>>
  /** Operations that change one; and of these, those that take away a way to sign in: they need a recent sign-in. */
  readonly changes: readonly string[]
  readonly removals: readonly string[]
  readonly removeAll: (
    adapter: Required<Adapter>,
    userId: string,
    call: (name: string, given: readonly unknown[]) => Promise<unknown>,
  ) => Promise<void>
}>('own-things')
const REMOVALS = OF_FEATURES.flatMap(({ removals }) => removals)
const WITHOUT_RECENT = OF_FEATURES.flatMap(({ changes }) => changes).filter((name) => !REMOVALS.includes(name))
const WAYS = () => OF_FEATURES.flatMap(({ provider }) => provider?.() ?? [])

const mails = Email({ from: 'no-reply@app.example', sendVerificationRequest() {}, sendNotification() {} })

/** Ada and Eve, each with two accounts and two passkeys, and with two browsers. */
async function setUp(more: Partial<AuthConfig> = {}) {
  const adapter = memoryAdapter()
  const config = webConfig({
    adapter,
    bearer: true,
    session: { strategy: 'database' },
    logger: createLog().logger,
    providers: [github, ...WAYS(), mails],
    ...more,
  })
  const person = async (id: string) => {
    const user = await adapter.createUser({ id, email: `${id}@app.example`, emailVerified: new Date(), name: id })
    for (const each of ['1', '2']) {
      await adapter.linkAccount({ userId: user.id, provider: 'github', providerAccountId: id + each, type: 'oauth' })
    }
    const more = await Promise.all(OF_FEATURES.map(({ give }) => give(adapter, user.id, config)))
    const { cookie } = await signInAs(config, { id: user.id }, { origin: ORIGIN })
    const other = await signInAs(config, { id: user.id }, { origin: ORIGIN })
    const session = await webAuth(config)
      .forRequest({ headers: new Headers({ cookie: other.cookie }) })
      .getSession()
    /** What names something of theirs, for each operation. */
    const args: Readonly<Record<OperationName, Arguments>> = {
      listSessions: () => [],
      revokeSession: (more = {}) => [session?.id, more],
      revokeOtherSessions: (more = {}) => [more],
      issueToken: (more = {}) => [{ maxAge: 60, ...more }],
      listAccounts: () => [],
      unlinkAccount: (more = {}) => [{ provider: 'github', providerAccountId: `${id}1` }, more],
      linkUrl: (more = {}) => ['github', { scope: 'repo', ...more }],
      getAccessToken: (more = {}) => ['github', more],
      ...Object.assign({}, ...more),
    }
    /** What a change would take from them. */
    const left = async () => ({
      accounts: (await adapter.listAccountsByUserId(user.id))?.length,
      passkeys: (await adapter.listAuthenticatorsByUserId(user.id))?.map(({ name }) => name),
      sessions: (await adapter.listSessionsByUserId(user.id))?.length,
      password: (await adapter.listRecordsByOwner('password', user.id)).map(({ version }) => version),
    })
    return { id, cookie, args, left }
  }
  const [ada, eve] = [await person('ada'), await person('eve')]
  return { config, adapter, ada, eve }
}

for (const [edge, callerFor] of Object.entries(EDGES)) {
  describe(`what people do with what is theirs, through ${edge},`, () => {
    it('is all of the table', async () => {
      const { config, ada } = await setUp()
      const call = callerFor(config)
      for (const name of NAMES) {
        await call(name, ada.args[name](), { ...OWN_PAGE, cookie: ada.cookie })
      }
    })

    for (const name of CHANGES) {
      it(`CSRF-01, CSRF-04: ${name} is refused to a link and to a page of another site, with a good token, too`, async () => {
        const { config, ada } = await setUp()
        const call = callerFor(config)
        const before = await ada.left()
        const csrf = await webAuth(config).serve(new Request(`${ORIGIN}/auth/csrf`))
        const { csrfToken } = (await csrf.json()) as { csrfToken: string }
        const cookie = [ada.cookie, ...csrf.headers.getSetCookie().map((text) => text.split(';', 1)[0])].join('; ')
        for (const method of ['GET', 'HEAD']) {
          const error = await failureOf<RequestRefused>(
            call(name, ada.args[name]({ csrfToken }), { ...OWN_PAGE, cookie }, method),
          )
          expect([error.name, error.status]).to.deep.equal(['RequestRefused', 405])
        }
        const senders: Headers_[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]
        for (const sender of [{}, ...senders]) {
          const wrong = failureOf(call(name, ada.args[name](), { ...sender, cookie }))
          expect((await wrong).name, JSON.stringify(sender)).to.equal('MissingCSRF')
        }
        for (const sender of senders) {
          const error = await failureOf(call(name, ada.args[name]({ csrfToken }), { ...sender, cookie }))
          expect(error.name, JSON.stringify(sender)).to.equal('MissingCSRF')
        }
        const forged = await failureOf(
          call(name, ada.args[name]({ csrfToken: 'x'.repeat(64) }), { ...OWN_PAGE, cookie }),
        )
        expect(forged.name).to.equal('MissingCSRF')
        expect(await ada.left()).to.deep.equal(before)
        expect(await call(name, ada.args[name]({ csrfToken }), { cookie }), 'with the token alone').not.to.equal(null)
      })
    }

    for (const name of NAMES.filter((name) => name !== 'getAccessToken')) {
      it(`CVE-2025-61928: ${name} is 401 for nobody, also where the arguments name somebody`, async () => {
        const { config, ada } = await setUp()
        const before = await ada.left()
        const error = await failureOf<RequestRefused>(callerFor(config)(name, ada.args[name](), OWN_PAGE))
        expect([error.constructor, error.status]).to.deep.equal([RequestRefused, 401])
        expect(await ada.left()).to.deep.equal(before)
      })
    }

    it('CVE-2025-71400: takes nothing from another user, and says the same as of what does not exist', async () => {
      const { config, ada, eve } = await setUp()
      const call = callerFor(config)
      const before = await ada.left()
      const asEve = { ...OWN_PAGE, cookie: eve.cookie }
      for (const name of ['unlinkAccount', ...OF_FEATURES.flatMap(({ changes }) => changes)] as OperationName[]) {
        expect((await failureOf<RequestRefused>(call(name, ada.args[name](), asEve))).status, name).to.equal(404)
      }
      expect(await call('revokeSession', ada.args.revokeSession(), asEve)).to.deep.equal(
        edge.startsWith('defineAuth') ? false : { isRevoked: false, cookies: [] },
      )
      await call('revokeOtherSessions', [], asEve)
      expect(await ada.left()).to.deep.equal(before)
    })

    it('SESS-10, ACCT-02: is refused in the same way everywhere when the sign-in is not recent', async () => {
      const clock = testClock()
      try {
        const { config, ada } = await setUp()
        const call = callerFor(config)
        const before = await ada.left()
        clock.advance({ minutes: 16 })
        const own = { ...OWN_PAGE, cookie: ada.cookie }
        for (const name of CHANGES.filter((name) => !WITHOUT_RECENT.includes(name))) {
          const error = await failureOf<RecentSignInRequired>(call(name, ada.args[name](), own))
          expect([error.name, error.status], name).to.deep.equal(['RecentSignInRequired', 403])
        }
        expect(await ada.left()).to.deep.equal(before)
        for (const name of ['unlinkAccount', ...REMOVALS, 'revokeSession'] as OperationName[]) {
          const maxAuthAge = Number.POSITIVE_INFINITY
          await call(name, ada.args[name]({ maxAuthAge }), own)
        }
      } finally {
        clock.restore()
      }
    })

    it('is nothing for a token with a scope, where no guard has asked for the scope', async () => {
      const { config, ada } = await setUp()
      const call = callerFor(config)
      const own = { ...OWN_PAGE, cookie: ada.cookie }
      const { token } = (await call('issueToken', [{ maxAge: 600, scope: 'reports:read' }], own)) as { token: string }
      const before = await ada.left()
      for (const name of NAMES.filter((name) => !['getAccessToken', 'issueToken'].includes(name))) {
        const error = await failureOf<RequestRefused>(
          call(name, ada.args[name]({}), { authorization: `Bearer ${token}` }),
        )
        expect(error.status, name).to.equal(401)
      }
      expect(await ada.left()).to.deep.equal(before)
    })

    it('ACCT-03: leaves the last way in', async () => {
      const { config, adapter, ada } = await setUp({
        providers: [github, ...WAYS().filter((each) => !('password' in each))],
      })
      const call = callerFor(config)
      const own = { ...OWN_PAGE, cookie: ada.cookie }
      for (const { removeAll } of OF_FEATURES)
        await removeAll(adapter, 'ada', (name, given) => call(name as OperationName, given, own))
      await call('unlinkAccount', ada.args.unlinkAccount(), own)
      const last = [{ provider: 'github', providerAccountId: 'ada2' }]
      expect((await failureOf<RequestRefused>(call('unlinkAccount', last, own))).status).to.equal(409)
      expect((await ada.left()).accounts).to.equal(1)
    })
  })
}
