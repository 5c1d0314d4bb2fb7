import { expect } from 'chai'
import { AuthError } from '../../lib/kernel/errors.js'
import { openAccountApp } from '../support/account-app.js'
import { FakeProvider } from '../support/fake-provider.js'
import { newPerson } from '../support/sign-ins.js'

let idp: FakeProvider
before(async () => {
  idp = await FakeProvider.start()
})
after(() => idp.stop())

describe('OIDC-13: a subject that OpenID Connect Core 1.0 §2 forbids', () => {
  const signIn = async (sub: unknown) => {
    const errors: AuthError[] = []
    const logger = { error: (error: Error) => void (error instanceof AuthError && errors.push(error)) }
    const app = openAccountApp(idp, { config: { logger } })
    const visitor = app.browser()
    const answer = await app.signIn(visitor, newPerson(), 'acme', { sub })
    return { ...app, answer, visitor, errors }
  }

  for (const [what, sub, said] of [
    ['with an umlaut', 'zo\u00eb@example.com', /one of 15 characters/],
    ['with a combining mark', 'zoe\u0308@example.com', /one of 16 characters/],
    ['of 256 characters', 'x'.repeat(256), /one of 256 characters/],
    ['of a megabyte of combining marks', `e${'\u0301'.repeat(100_000)}`, /one of 100001 characters/],
    ['that is a number', 12_345, /a number/],
    ['that is a list', ['ada', 'victim'], /a list/],
    ['that is empty', '', /one of 0 characters/],
  ] as const) {
    it(`signs nobody in, and page and log say why: one ${what}`, async () => {
      const { answer, visitor, errors, calls } = await signIn(sub)
      expect(answer.location).to.equal('http://app.example/auth/error?error=AccessDenied&code=UnusableId')
      const page = await visitor.get('/auth/error?error=AccessDenied&code=UnusableId')
      expect(page.status).to.equal(403)
      expect(page.body)
        .to.include('Your id at the other site is too long')
        .and.not.match(/our side|cancelled/)
      expect(errors.map(({ message }) => message).join()).to.match(said)
      expect(JSON.stringify(errors.map(({ message }) => message))).not.to.include(String(sub).slice(0, 50) || 'ada')
      expect(
        errors.every(({ cause }) => cause?.isFault),
        'the operator learns of it',
      ).to.equal(true)
      expect(calls.filter((name) => /create|link/.test(name))).to.deep.equal([])
      expect(visitor.sessionNames()).to.deep.equal([])
    })
  }

  it('is none of 255 ASCII characters, and each of these is another person', async () => {
    const app = openAccountApp(idp)
    const owners = new Set<unknown>()
    for (const sub of ['x'.repeat(255), `${'x'.repeat(254)}y`, `${'x'.repeat(254)}X`, ' ada', 'ada', 'ada ', 'Ada']) {
      await app.signIn(app.browser(), newPerson(), 'acme', { sub })
      owners.add(await app.ownerOf({ ...newPerson(), sub }))
    }
    expect(owners.size).to.equal(7)
    expect(owners.has(undefined)).to.equal(false)
  })
})
