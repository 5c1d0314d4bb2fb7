import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { webAuth } from '../../../lib/frameworks/web/index.js'
import type { AuthConfig } from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import Password from '../../../lib/providers/password.js'
import { testConfig } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { elements, visibleText } from '../../support/html.js'
import { openTestApp, sendForm as send, whoIs } from '../../support/test-app.js'

const ADA = 'ada@example.com'
const GOOD = 'copper lantern under seven bridges'
const OTHER = 'nine quiet windows facing the harbour'
const PAGE = { accept: 'text/html' }

async function open(more: Partial<AuthConfig> = {}) {
  const adapter = memoryAdapter()
  const links: string[] = []
  const told: string[] = []
  const mail = Email({
    sendVerificationRequest() {},
    sendNotification({ kind, url }) {
      if (kind === 'password-link') links.push(new URL(url).searchParams.get('token') ?? '')
      else told.push(kind)
    },
  })
  const session = { strategy: 'database' } as const
  const options: Partial<AuthConfig> = {
    adapter,
    providers: [Password(), mail],
    limits: false,
    session,
    ...more,
  }
  const app = openTestApp(options)
  const linkFor = async () => {
    const before = links.length
    await send(app.browser(), 'password', { email: ADA })
    const token = links[before]
    if (!token) throw new Error('no link was mailed')
    return token
  }
  const choose = (token: string, newPassword: string, browser = app.browser()) =>
    send(browser, 'password/choose', { token, newPassword })
  const signIn = async (password: string) => {
    const browser = app.browser()
    await send(browser, 'callback/password', { email: ADA, password })
    return browser
  }
  const ada = app.browser()
  const unused = await linkFor()
  await choose(await linkFor(), GOOD, ada)
  return { ...app, config: testConfig(options), adapter, told, send, linkFor, choose, signIn, ada, unused }
}

describe('the removal of a password', () => {
  it('ACCT-03, PWD-11: asks, removes it, ends other sessions and the links of before, and tells the owner', async () => {
    const app = await open()
    const { ada } = app
    const phone = await app.signIn(GOOD)
    expect(await whoIs(phone)).to.equal(ADA)
    const stale = await app.linkFor()
    expect(visibleText((await ada.get('/auth/password/remove', PAGE)).body)).to.include('Remove your password')
    const done = await app.send(ada, 'password/remove', { callbackUrl: '/account' }, PAGE)
    expect(done.status).to.equal(200)
    expect(visibleText(done.body)).to.include('Your password was removed')
    expect(elements(done.body, 'a').map((link) => link.get('href'))).to.deep.equal(['http://app.example/account'])
    expect([await whoIs(ada), await whoIs(phone), await whoIs(await app.signIn(GOOD))]).to.deep.equal([ADA, null, null])
    expect(app.told).to.deep.equal(['password-removed'])
    for (const path of ['remove', 'change']) {
      expect((await ada.get(`/auth/password/${path}`, PAGE)).location).to.equal(
        'http://app.example/auth/password?callbackUrl=http%3A%2F%2Fapp.example',
      )
    }
    expect((await app.send(ada, 'password/remove')).status).to.equal(404)
    for (const token of [stale, app.unused]) expect((await app.choose(token, OTHER)).status).to.equal(400)
    expect((await app.choose(await app.linkFor(), OTHER)).status).to.equal(302)
    for (const token of [stale, app.unused]) expect((await app.choose(token, GOOD)).status).to.equal(400)
    expect(await whoIs(await app.signIn(OTHER))).to.equal(ADA)
  })

  it('removes one that cannot be read any more', async () => {
    const app = await open()
    const { adapter, ada } = app
    const id = (await adapter.getUserByEmail(ADA))?.id ?? ''
    for (const record of await adapter.listRecordsByOwner('password', id))
      await adapter.updateRecord({ ...record, value: 'of a lost secret', version: record.version + 1 })
    expect(visibleText((await ada.get('/auth/password/remove', PAGE)).body)).to.include('Remove your password')
    const done = await app.send(ada, 'password/remove', {}, PAGE)
    expect(visibleText(done.body)).to.include('Your password was removed')
    expect((await app.send(ada, 'password/remove')).status).to.equal(404)
    await app.choose(await app.linkFor(), OTHER)
    expect(await whoIs(await app.signIn(OTHER))).to.equal(ADA)
  })

  it('ACCT-03: is refused where no other way to sign in is left', async () => {
    const app = await open()
    const id = (await app.adapter.getUserByEmail(ADA))?.id ?? ''
    await app.adapter.updateUser({ id, email: '' })
    expect((await app.send(app.ada, 'password/remove')).status).to.equal(409)
    await app.adapter.updateUser({ id, email: ADA })
    expect(await whoIs(await app.signIn(GOOD))).to.equal(ADA)
    expect(app.told).to.deep.equal([])
  })

  it('is refused to a page of another site, a stranger at an open browser, a link, nobody, and a bearer token', async () => {
    const app = await open({ bearer: true })
    const { ada } = app
    const forged = await ada.post('/auth/password/remove', {})
    expect([forged.status, forged.json()]).to.deep.equal([403, { error: 'MissingCSRF' }])
    await ada.get('/auth/password/remove', PAGE)
    await ada.head('/auth/password/remove')
    expect((await app.send(app.browser(), 'password/remove')).status).to.equal(401)
    const token = ada.jar.get(ada.sessionNames()[0] ?? '')?.value
    const bearer = { authorization: `Bearer ${token}` }
    expect((await app.browser().post('/auth/password/remove', {}, bearer)).status).to.equal(403)
    const visitor = webAuth({ ...app.config, url: app.origin }).forRequest({
      method: 'POST',
      headers: new Headers(bearer),
    })
    const failure = await failureOf(visitor.removePassword({ maxAuthAge: Number.POSITIVE_INFINITY }))
    expect(failure).to.include({ name: 'RequestRefused', status: 403 })
    expect(await whoIs(await app.signIn(GOOD)), 'code of the application removed nothing').to.equal(ADA)
    expect(app.told).to.deep.equal([])
    app.clock.advance(901)
    const old = await app.send(ada, 'password/remove', {}, PAGE)
    expect(old.location).to.include('RecentSignInRequired').and.include('password%2Fremove')
    const toScript = await app.send(ada, 'password/remove')
    expect([toScript.status, toScript.json()]).to.deep.equal([403, { error: 'RecentSignInRequired' }])
    expect(await whoIs(await app.signIn(GOOD))).to.equal(ADA)
  })
})

describe('a password that its owner chooses while one is removed', () => {
  const work = async (inBetween: 'before' | 'after', headers?: typeof PAGE) => {
    const app = await open()
    const { adapter, ada } = app
    const id = (await adapter.getUserByEmail(ADA))?.id ?? ''
    const token = await app.linkFor()
    const { listAccountsByUserId, updateRecord } = adapter
    let asked = 0
    adapter.listAccountsByUserId = async (userId) => {
      asked += 1
      if (inBetween === 'before' && asked === 1) await app.choose(token, OTHER)
      return listAccountsByUserId(userId)
    }
    // No other way in is left once the password is removed, and it is to be put back.
    adapter.updateRecord = async (record) => {
      const isRemoval = inBetween === 'after' && record.kind === 'password'
      const done = await updateRecord(record)
      if (isRemoval) {
        adapter.updateRecord = updateRecord
        await app.choose(await app.linkFor(), OTHER)
        await adapter.updateUser({ id, email: '' })
      }
      return done
    }
    const answer = await app.send(ada, 'password/remove', {}, headers)
    await adapter.updateUser({ id, email: ADA })
    return {
      status: answer.status,
      says: headers ? visibleText(answer.body).includes('It has changed meanwhile') : answer.json().reason,
      old: await whoIs(await app.signIn(GOOD)),
      next: await whoIs(await app.signIn(OTHER)),
    }
  }

  it('stays, and the removal is refused', async () => {
    expect(await work('before', PAGE)).to.deep.equal({ status: 409, says: true, old: null, next: ADA })
    expect(await work('before')).to.deep.equal({ status: 409, says: 'changed', old: null, next: ADA })
  })

  it('stays where the old one would be put back', async () => {
    expect(await work('after', PAGE)).to.deep.equal({ status: 409, says: false, old: null, next: ADA })
    // What the client calls the last way in.
    expect(await work('after')).to.deep.equal({ status: 409, says: undefined, old: null, next: ADA })
  })
})
