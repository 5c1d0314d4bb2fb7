import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { NAMES } from '../../lib/engine/action-names.js'
import { findRoute } from '../../lib/engine/routes.js'
import Google from '../../lib/providers/catalogue/google.js'
import Passkey from '../../lib/providers/passkey.js'
import type { Route } from '../../lib/sign-in/feature.js'
import { ADA, PAGE } from '../features/address/address-app.js'
import { openSecondFactorApp } from '../features/second-factor/second-factor-app.js'
import type { TestBrowser, TestResponse } from '../support/test-app.js'

const providers = [Passkey(), Google({ clientId: 'client', clientSecret: 'secret' })]

/** An app that serves every route, with a store that a test breaks. */
function openApp() {
  const store = memoryAdapter()
  const state = { isBroken: false }
  const adapter = Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        if (state.isBroken) throw new Error('connect ECONNREFUSED')
        return (method as (...args: unknown[]) => unknown).apply(store, args)
      },
    ]),
  ) as unknown as typeof store
  const config = {
    providers,
    accountPage: {},
    actAs: { allow: () => true },
    maxAddresses: 3,
    secondFactor: { required: () => false },
    theme: { languages: ['en', 'de'] },
  } as const
  return { ...openSecondFactorApp(config, { adapter }), state }
}

/** Every path under the mount, and those with a provider where it is part of the path. */
function pathsOf(name: string, route: Route | null): readonly string[] {
  const below = Object.entries(route?.below ?? {}).flatMap(([segment, each]) => pathsOf(`${name}/${segment}`, each))
  const ids = route?.takesProvider ? ['google', 'email', 'password', 'passkey'] : []
  return [name, ...ids.map((id) => `${name}/${id}`), ...below]
}
const PATHS = NAMES.flatMap((name) => pathsOf(name, findRoute(`/auth/${name}`, '/auth').route))

/** Where a script is led on when all goes well, as a browser is: it gets the target, if it asks for it, of a failure as well. */
const LEADS_ON =
  /^(signin|callback|link)\b|^(signout|act-as|act-as\/end|address|address\/confirm|delete|password|password\/(choose|change)|second-factor|second-factor\/remove)$/
/** What no page leads to: a browser that is sent there sees what a script gets. */
const JSON_ALONE = /^(session|csrf|providers)$|^webauthn-options\b/

const FIELDS = {
  email: ADA,
  id: 'x',
  name: 'x',
  language: 'de',
  code: '123456',
  password: 'x',
  newPassword: 'silver kettle over nine rivers',
  token: 'x',
  userId: '1',
}

describe('every route, with a store that fails', () => {
  const app = openApp()
  let ada: TestBrowser
  let csrfToken: string
  before(async () => {
    ada = await app.withPassword(ADA)
    csrfToken = await ada.csrfToken()
    app.state.isBroken = true
  })

  const SCRIPT = { accept: '*/*' }
  const send = (method: string, path: string, headers: Record<string, string>) =>
    method === 'GET'
      ? ada.copy().get(`/auth/${path}`, headers)
      : ada.copy().post(`/auth/${path}`, { csrfToken, ...FIELDS }, headers)
  const typeOf = ({ headers }: TestResponse) => headers.get('content-type')?.split(';')[0] ?? null

  it('says to scripts that lists and changes have failed, and that it will end', async () => {
    const changes = PATHS.filter((path) =>
      /^(accounts?|passkeys|sessions|export)\b|\/(primary|forget|browsers|add|codes)$|^(address|password)\/remove$/.test(
        path,
      ),
    )
    expect(changes).to.have.length(16)
    for (const path of changes) {
      for (const method of ['GET', 'POST'] as const) {
        if (!findRoute(`/auth/${path}`, '/auth').route?.[method]) continue
        const answer = await send(method, path, SCRIPT)
        expect([answer.status, answer.body], `${method} ${path}`).to.deep.equal([503, '{"error":"Configuration"}'])
        expect(answer.headers.get('retry-after'), path).to.equal('5')
      }
    }
  })

  it('asks nothing of it for HEAD of a list', async () => {
    for (const list of ['sessions', 'accounts', 'passkeys', 'second-factor/browsers'])
      expect((await ada.copy().head(`/auth/${list}`)).status, list).to.equal(200)
  })

  // Its sign-out comes late, and ends the session.
  for (const path of PATHS) {
    const { route } = findRoute(`/auth/${path}`, '/auth')
    for (const method of ['GET', 'POST'] as const) {
      if (!route?.[method]) continue
      it(`answers ${method} ${path} with JSON for scripts, and with a page for browsers`, async () => {
        const asked = await send(method, path, { ...SCRIPT, 'x-auth-return-redirect': '1' })
        if (method === 'POST') expect(typeOf(asked)).to.equal('application/json')
        const { status, location } = await send(method, path, SCRIPT)
        if (!LEADS_ON.test(path)) expect(status, String(location)).to.not.equal(302)
        const page = await send(method, path, PAGE)
        if (!JSON_ALONE.test(path)) expect(typeOf(page)).to.equal(page.status === 302 ? null : 'text/html')
      })
    }
  }
})
