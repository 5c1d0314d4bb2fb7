import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { storedForm } from '../../lib/sessions/stored-token.js'
import { requestContext } from '../support/request-context.js'
import { newPerson, registering } from '../support/sign-ins.js'
import { asAuthjsHasIt, STORES } from '../support/stores.js'
import { openTestApp, SESSION, whoIs } from '../support/test-app.js'

/*
 * Somebody has a copy of a session cookie, and adds an account while the session ends. What is added is in
 * additions.test.ts.
 */

const KINDS = [
  ...STORES,
  {
    name: 'an adapter of Auth.js',
    requireServer: async () => {},
    open: async () => ({ adapter: asAuthjsHasIt(memoryAdapter()), close: async () => {} }),
  },
]

for (const kind of KINDS) {
  describe(`SESS-14, with stored sessions in ${kind.name}: the session to which something is added`, () => {
    let store: { readonly adapter: Adapter; close(): Promise<void> }
    before(async function () {
      await kind.requireServer.call(this)
      store = await kind.open()
    })
    after(() => store?.close())

    /** Somebody who is signed in, and what the session manager needs to tell of an account. */
    async function setUp() {
      const adapter = store.adapter as Required<Adapter>
      const { browser, engine, origin } = openTestApp({ adapter, providers: [registering(adapter)] })
      const { sessions } = engine.config.schemeFor(origin)
      const ada = browser()
      await ada.signIn({ email: newPerson().email ?? '' })
      const token = ada.jar.get(SESSION)?.value ?? ''
      const request = requestContext(new Map([[SESSION, token]]), origin)
      const { userId } = await sessions.read(request)
      const account = { provider: 'acme', type: 'oidc', providerAccountId: 'added' } as const
      const add = () => sessions.addAccount(request, { user: { id: userId ?? '' }, account })
      return { sessions, request, ada, token, add, row: () => adapter.getSessionAndUser(storedForm(token)) }
    }

    it('stays as it is: the same row, and the same cookie', async () => {
      const { add, ada, row } = await setUp()
      const before = await row()
      expect(before).not.to.equal(null)
      expect(await Promise.all([add(), add()])).to.deep.equal([[], []])
      expect(await row()).to.deep.equal(before)
      expect(await whoIs(ada)).not.to.equal(null)
    })

    it('does not come back after a sign-out', async () => {
      const { sessions, request, add, row, ada } = await setUp()
      expect((await sessions.revoke(request)).fault).to.equal(undefined)
      expect((await add()).filter(({ value }) => value !== '')).to.deep.equal([])
      expect([await row(), await whoIs(ada)]).to.deep.equal([null, null])
    })
  })
}
