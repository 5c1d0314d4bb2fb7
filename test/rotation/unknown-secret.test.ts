import { expect } from 'chai'
import { requestContext } from '../support/request-context.js'
import { SESSION, sessionCookies } from '../support/test-app.js'
import { forge, forgeBytes } from '../support/tokens.js'
import { atProcess, NEW, OLD, startAt } from './processes.js'

const DAY = 24 * 60 * 60
const CSRF = 'authjs.csrf-token'

const headerOf = (members: object) => Buffer.from(JSON.stringify(members)).toString('base64url')

describe('TOK-04: a session cookie that was made with a secret which this process does not know', () => {
  const newer = () => startAt('drop')
  const older = (options = {}) => startAt('before', options)

  it('is no session here, is not deleted, and is a session again where the secret is known', async () => {
    const there = newer()
    const ada = await there.signedIn()
    const here = atProcess(older(), ada)
    const cookie = ada.jar.get(SESSION)
    for (const answer of [await here.get('/auth/session'), await here.update({})]) {
      expect([answer.json(), sessionCookies(answer)]).to.deep.equal([null, []])
    }
    const { session, cookies } = await here.engine.renewSession(requestContext(here.cookieHeader(), here.origin))
    expect([session, cookies]).to.deep.equal([null, []])
    expect(ada.jar.get(SESSION)).to.deep.equal(cookie)
    expect((await ada.session())?.user?.name).to.equal('Ada')
  })

  it('is not deleted, nor is one of its pieces', async () => {
    const large = { callbacks: { jwt: ({ token }: { token: object }) => ({ ...token, weight: 'x'.repeat(6000) }) } }
    const ada = await startAt('drop', large).signedIn()
    expect(ada.sessionNames()).to.have.length(3)
    const here = atProcess(older(), ada)
    expect((await here.get('/auth/session')).setCookies).to.deep.equal([])
    expect(ada.sessionNames()).to.have.length(3)
    expect((await ada.session())?.user?.name).to.equal('Ada')
    // A sign-in here replaces it, and none of its pieces stays.
    await here.signIn()
    expect([here.sessionNames(), (await here.session())?.user?.name]).to.deep.equal([[SESSION], 'Ada'])
  })

  it('is replaced by a sign-in', async () => {
    const ada = await newer().signedIn()
    const here = atProcess(older(), ada)
    await here.signIn()
    expect((await here.session())?.user?.name).to.equal('Ada')
    expect(await ada.session()).to.equal(null)
  })

  it('is deleted when its visitor signs out here, who learns that a copy may stay valid (LOGOUT-02)', async () => {
    const emitted: unknown[] = []
    const there = newer()
    const ada = await there.signedIn()
    const copy = ada.copy()
    const process = older({ events: { signOut: (message: unknown) => void emitted.push(message) } })
    const here = atProcess(process, ada)
    const answer = await here.signOut()
    expect([answer.status, answer.location]).to.deep.equal([302, 'http://app.example/auth/error?error=SignOut'])
    expect([here.sessionNames(), emitted]).to.deep.equal([[], []])
    expect(process.log.errors.map(({ name }) => name)).to.deep.equal(['SignOutError'])
    expect(process.log.errors[0]?.message).to.match(/not tried again/)
    expect(await copy.session()).not.to.equal(null)
    // A script learns this from the status.
    const script = atProcess(process, copy)
    const csrfToken = await script.csrfToken()
    const refused = await script.post('/auth/signout', { csrfToken }, { 'x-auth-return-redirect': '1' })
    expect([refused.status, refused.json().error, script.sessionNames()]).to.deep.equal([503, 'SignOut', []])
  })

  const broken: Record<string, () => Promise<string> | string> = {
    'no token': () => 'rubbish',
    'three parts': () => `${headerOf({ alg: 'none' })}.e30.`,
    'a header that is no JSON': () => 'AAAA..AAAA.AAAA.AAAA',
    'another algorithm': () => `${headerOf({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: 'x' })}..AAAA.AAAA.AAAA`,
    'another content encryption': () => `${headerOf({ alg: 'dir', enc: 'A128GCM', kid: 'x' })}..AAAA.AAAA.AAAA`,
    'a kid that is no text': () => `${headerOf({ alg: 'dir', enc: 'A256GCM', kid: 7 })}..AAAA.AAAA.AAAA`,
    compression: () => `${headerOf({ alg: 'dir', enc: 'A256GCM', kid: 'x', zip: 'DEF' })}..AAAA.AAAA.AAAA`,
    'an encrypted key': () => `${headerOf({ alg: 'dir', enc: 'A256GCM', kid: 'x' })}.AAAA.AAAA.AAAA.AAAA`,
    'a sixth part': () => `${headerOf({ alg: 'dir', enc: 'A256GCM', kid: 'x' })}..AAAA.AAAA.AAAA.`,
    'a tag that does not fit, under a key of ours': async () =>
      (await forge({ sub: '1' }, { secret: OLD })).replace(/.{8}$/, 'AAAAAAAA'),
    'one that is cut off, under a key of ours': async () => (await forge({ sub: '1' }, { secret: OLD })).slice(0, -40),
    'an end that has passed': () => forge({ sub: '1', exp: 7 }, { secret: OLD }),
    'an end that has passed, by the other content encryption': () =>
      forge({ sub: '1', exp: 7 }, { secret: OLD, enc: 'A256GCM' }),
    'more than a token may have': () =>
      `${headerOf({ alg: 'dir', enc: 'A256GCM', kid: 'x' })}..AAAA.${'A'.repeat(70000)}.AAAA`,
  }
  for (const [what, make] of Object.entries(broken)) {
    it(`is kept, but a cookie that no process can read is deleted: ${what}`, async () => {
      const here = older().browser()
      here.plant(SESSION, await make())
      const answer = await here.get('/auth/session')
      expect([answer.status, answer.json()]).to.deep.equal([200, null])
      expect(sessionCookies(answer).map(({ name, maxAge }) => [name, maxAge])).to.deep.equal([[SESSION, 0]])
    })

    it(`at a sign-out is not confused with a cookie that no process can read: ${what}`, async () => {
      const here = older().browser()
      here.plant(SESSION, await make())
      expect((await here.signOut()).location).to.equal('http://app.example')
      expect(here.sessionNames()).to.deep.equal([])
    })
  }

  it('TOK-06: gets the very answer of one that is good nowhere, but for the cookie', async () => {
    const seen: unknown[] = []
    for (const token of [
      await forge({ sub: '1' }, { secret: NEW }),
      await forge({ sub: '1', exp: 7 }, { secret: OLD }),
      (await forge({ sub: '1' }, { secret: OLD })).replace(/.{8}$/, 'AAAAAAAA'),
      await forgeBytes('no claims'),
    ]) {
      const here = older().browser()
      here.plant(SESSION, token)
      const { status, location, body } = await here.get('/auth/session')
      seen.push(JSON.stringify([status, location, body]))
    }
    expect(new Set(seen).size).to.equal(1)
  })

  it('goes when it has outlived its limits', async () => {
    const { signedIn, clock } = older({ session: { maxLifetime: DAY } })
    const ada = await signedIn()
    clock.advance(2 * DAY)
    ada.plant(SESSION, ada.jar.get(SESSION)?.value ?? '')
    const answer = await ada.get('/auth/session')
    expect(sessionCookies(answer).map(({ maxAge }) => maxAge)).to.deep.equal([0])
  })
})

describe('CSRF-01: a form’s cookie that was signed with a secret which this process does not know', () => {
  it('is left alone; forms of both processes are good', async () => {
    const there = startAt('drop').browser()
    const form = await there.csrfToken()
    const cookie = there.jar.get(CSRF)
    const here = atProcess(startAt('before'), there)
    const own = await here.csrfToken()
    expect(there.jar.get(CSRF)).to.deep.equal(cookie)
    // The same token for every form, and not a cookie more for each.
    expect(await here.csrfToken()).to.equal(own)
    expect([...here.jar.keys()].filter((name) => name.startsWith(CSRF))).to.have.length(3)
    const signedIn = await here.post('/auth/callback/credentials', {
      csrfToken: own,
      username: 'ada',
      password: 'lovelace',
    })
    expect(signedIn.location).to.equal('http://app.example')
    const other = startAt('drop')
    const again = atProcess(other, other.browser())
    for (const [name, value] of [[CSRF, cookie?.value ?? '']] as const) again.plant(name, value)
    const update = await again.postJson('/auth/session', { csrfToken: form })
    expect(update.status).to.equal(200)
  })

  it('opens no form with a token of the attacker’s own', async () => {
    const here = startAt('before').browser()
    const token = 'ab'.repeat(32)
    here.plant(CSRF, `${token}%7C${'0'.repeat(64)}`)
    here.plant(`${CSRF}.${token.slice(0, 8)}`, `${token}%7C${'0'.repeat(64)}`)
    expect(await here.csrfToken()).not.to.equal(token)
    expect((await here.postJson('/auth/session', { csrfToken: token })).status).to.equal(400)
  })

  it('is replaced where it is no such cookie', async () => {
    for (const rubbish of ['x', 'ab|cd', '|', `${'ab'.repeat(32)}%7C`]) {
      const here = startAt('before').browser()
      here.plant(CSRF, rubbish)
      const token = await here.csrfToken()
      expect(decodeURIComponent(here.jar.get(CSRF)?.value ?? '').split('|')[0]).to.equal(token)
    }
  })
})
