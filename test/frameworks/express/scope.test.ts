import { expect } from 'chai'
import { InvalidConfiguration, type RequireAuthOptions, requireAuth } from '../../../lib/index.js'
import { covers, scopeIn, scopeShape } from '../../../lib/sessions/session.js'
import { testConfig } from '../../support/app.js'
import { type BearerApp, STRATEGIES, startBearerApp } from '../../support/bearer-app.js'
import { untyped } from '../../support/untyped.js'

for (const strategy of STRATEGIES) {
  describe(`a token with a scope, with ${strategy} sessions`, () => {
    let app: BearerApp
    let reports: string
    beforeEach(async () => {
      app = await startBearerApp(strategy)
      reports = (await app.issued({ maxAge: 600, scope: 'users:write reports:read' })).token
    })
    afterEach(() => app.close())
    const read = async (path: string, token = reports) => (await app.send(path, `Bearer ${token}`)).json()

    it('passes a guard that asks for one of its words, and the route sees its scope', async () => {
      const { guard, read: current } = await read('/reports')
      expect([guard.scope, guard.user.name]).to.deep.equal(['users:write reports:read', 'Ada'])
      expect(current).to.deep.equal(guard)
    })

    it('needs every word that the guard asks for', async () => {
      const answer = await app.send('/both', `Bearer ${reports}`)
      expect([answer.status, answer.headers.get('www-authenticate')]).to.deep.equal([
        403,
        'Bearer realm="session", error="insufficient_scope", scope="users:list reports:read"',
      ])
      const { token } = await app.issued({ maxAge: 600, scope: 'reports:read users:list' })
      expect(await (await app.send('/both', `Bearer ${token}`)).text()).to.equal('Hello Ada')
    })

    it('passes no guard that does not name a scope, also behind one that does', async () => {
      for (const path of ['/private', '/recent', '/nobody', '/nested']) {
        const answer = await app.send(path, `Bearer ${reports}`)
        expect([answer.status, answer.headers.get('www-authenticate')], path).to.deep.equal([
          403,
          'Bearer realm="session", error="insufficient_scope"',
        ])
      }
    })

    it('is nobody to code that asks for no scope', async () => {
      expect(await read('/peek')).to.equal(null)
      expect(await read('/open')).to.equal(null)
      expect((await read('/peek-reports')).scope).to.equal('users:write reports:read')
      const { token } = await app.issued({ maxAge: 600, scope: 'reports:reads' })
      expect(await read('/peek-reports', token)).to.equal(null)
    })

    it('does not restrict people, nor tokens without one', async () => {
      const ada = await app.signedIn()
      expect((await ada.get('/reports')).json().guard.user.name).to.equal('Ada')
      expect((await ada.get('/peek-reports')).json().user.name).to.equal('Ada')
      const { token } = await app.issued()
      expect((await read('/reports', token)).guard.user.name).to.equal('Ada')
    })
  })
}

describe('the option `scope` of a guard', () => {
  it('refuses what is no scope, and a variable that is not set', () => {
    for (const scope of ['', ' ', 'a  b', 'a\tb', 'a"', 'ä', undefined, null, ['a']]) {
      const options = untyped<RequireAuthOptions>({ scope })
      expect(() => requireAuth(testConfig(), options), JSON.stringify(scope)).to.throw(InvalidConfiguration, '`scope`')
    }
  })
})

describe('a scope', () => {
  it('covers its own words and no others (RFC 6749 §3.3)', () => {
    expect(covers('a b c', 'c a')).to.equal(true)
    for (const [granted, needed] of [
      ['a', 'A'],
      ['ab', 'a'],
      ['a', 'ab'],
      ['a', 'a b'],
      ['', 'a'],
      ['constructor', 'toString'],
    ] as const) {
      expect(covers(granted, needed), `${granted} for ${needed}`).to.equal(false)
    }
  })

  it('restricts to nothing if it cannot be read', () => {
    for (const value of [5, {}, [], true, '']) expect(scopeIn(value)).to.equal('')
    for (const value of [null, undefined]) expect(scopeIn(value)).to.equal(null)
    expect(scopeShape.fits('x'.repeat(501))).to.equal(false)
  })
})
