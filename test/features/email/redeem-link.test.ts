import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { Verification } from '../../../lib/features/email/errors.js'
import type { BodyFields } from '../../../lib/kernel/body.js'
import { AdapterError } from '../../../lib/kernel/errors.js'
import { failureOf } from '../../support/failure.js'
import { ADDRESS, ORIGIN, openMailFlow, slowAdapter } from '../../support/mailbox.js'
import { asAuthjsHasIt } from '../../support/stores.js'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The same link with one part of it changed. */
function changed(link: string, changes: Record<string, string | null>): string {
  const url = new URL(link)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url.href
}

/** A test app at which Ada has asked for a link. */
async function withLink(options: Parameters<typeof openMailFlow>[0] = {}) {
  const testApp = openMailFlow(options)
  const ada = testApp.browser()
  await ada.ask()
  return { ...testApp, ada, link: testApp.mails[0]?.url ?? '', token: testApp.mails[0]?.token ?? '' }
}

describe('GET callback/:email provider', () => {
  it('signs in at once in the browser that asked', async () => {
    const { ada, link } = await withLink()
    const outcome = await ada.open(link)
    if (outcome.kind !== 'identity') return expect.fail(outcome.kind)
    const { user, account } = outcome.identity
    expect(user).to.include({ email: ADDRESS, emailVerified: null })
    expect(user.id).to.match(/^[0-9a-f-]{36}$/)
    expect(account).to.deep.equal({ provider: 'email', type: 'email', providerAccountId: ADDRESS, userId: user.id })
    expect(ada.marks.length, 'the mark is deleted').to.equal(0)
  })

  it('gives the stored user', async () => {
    const adapter = memoryAdapter()
    const stored = { id: '1815', email: ADDRESS, emailVerified: new Date(0), name: 'Ada' }
    await adapter.createUser(stored)
    const { ada, link } = await withLink({ adapter })
    const outcome = await ada.open(link)
    expect(outcome.kind === 'identity' && outcome.identity.user).to.deep.equal(stored)
  })

  it('asks anywhere else, and uses nothing up', async () => {
    const { adapter, calls } = slowAdapter()
    const { ada, browser, link, token } = await withLink({ adapter })
    calls.length = 0
    const scanner = browser()
    for (let visit = 0; visit < 3; visit++) {
      expect(await scanner.open(link)).to.deep.equal({
        kind: 'confirm',
        identifier: ADDRESS,
        fields: { token, email: ADDRESS },
      })
    }
    expect([...new Set(calls)]).to.deep.equal(['getVerificationToken'])
    expect((await ada.open(link)).kind).to.equal('identity')
  })

  it('asks while a browser only prefetches', async () => {
    const { ada, link } = await withLink()
    for (const [name, value] of [
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
      ['x-moz', 'prefetch'],
    ] as const) {
      expect((await ada.open(link, { [name]: value })).kind, name).to.equal('confirm')
    }
    expect((await ada.open(link)).kind).to.equal('identity')
  })

  it("always asks with confirm: 'always'", async () => {
    const { ada, link } = await withLink({ options: { confirm: 'always' } })
    expect((await ada.open(link)).kind).to.equal('confirm')
    expect((await ada.press(link)).kind).to.equal('identity')
  })

  it("never asks with confirm: 'never'", async () => {
    const { browser, link } = await withLink({ options: { confirm: 'never' } })
    expect((await browser().open(link)).kind).to.equal('identity')
  })

  it('asks if the marker is of another link, has expired, or is forged', async () => {
    const { ada, browser, clock, mails, link } = await withLink({ options: { maxAge: 600 } })
    const [name = '', mark = ''] = ada.marks.flat()
    await ada.ask()
    const [, other = ''] = ada.marks.at(-1) ?? []
    expect(mails).to.have.length(2)
    for (const value of [other, `${mark}x`, 'x', '', mark.split('.').reverse().join('.')]) {
      const thief = browser()
      thief.jar.set(name, value)
      expect((await thief.open(link)).kind).to.equal('confirm')
    }
    const late = browser()
    late.jar.set(name, mark)
    clock.advance(700)
    expect(await failureOf(late.open(link)), 'the link has expired with it').to.be.instanceOf(Verification)
  })

  it('does not accept the marker of one address for another', async () => {
    const { ada, link } = await withLink()
    const shown = ada.open(changed(link, { email: 'mallory@example.com' }))
    expect(await failureOf(shown)).to.be.instanceOf(Verification)
    expect((await ada.open(link)).kind).to.equal('identity')
  })

  it('shows an address, and nothing else that a stranger wrote into a link', async () => {
    // A store that can look refuses such a link at once.
    const adapter = asAuthjsHasIt(memoryAdapter())
    const { browser, link } = await withLink({ adapter })
    for (const email of [
      'Call 0800-1234 now to keep your account',
      '<img src=x onerror=alert(1)>@example.com',
      'Ada@example.com',
      'a@b@c',
    ]) {
      expect(await browser().open(changed(link, { email }))).to.include({ kind: 'confirm', identifier: null })
    }
  })

  describe('refuses without asking the store', () => {
    const damaged: [string, (link: string) => string][] = [
      ['a missing token', (link) => changed(link, { token: null })],
      ['an empty token', (link) => changed(link, { token: '' })],
      ['two tokens', (link) => `${link}&token=again`],
      ['a missing address', (link) => changed(link, { email: null })],
      ['an empty address', (link) => changed(link, { email: '' })],
      ['two addresses', (link) => `${link}&email=mallory%40example.com`],
      ['an endless token', (link) => changed(link, { token: 'x'.repeat(1001) })],
    ]
    for (const [what, damage] of damaged) {
      it(what, async () => {
        const { adapter, calls } = slowAdapter()
        const { ada, link } = await withLink({ adapter, options: { confirm: 'never' } })
        calls.length = 0
        expect(await failureOf(ada.open(damage(link)))).to.be.instanceOf(Verification)
        expect(calls).to.deep.equal([])
      })
    }

    const forms: BodyFields[] = [
      { token: ['x'], email: ADDRESS },
      { token: { $ne: null }, email: ADDRESS },
      { token: true, email: ADDRESS },
      { token: 'x', email: [ADDRESS] },
      { token: 'x', email: { toString: 'x' } },
      { token: 'x' },
      { email: ADDRESS },
      { token: '', email: '' },
      { token: null, email: null },
    ]
    for (const fields of forms) {
      it(`a form of ${JSON.stringify(fields)}`, async () => {
        const { adapter, calls } = slowAdapter()
        const { ada, link } = await withLink({ adapter })
        calls.length = 0
        expect(await failureOf(ada.post(fields, new URL(link).search))).to.be.instanceOf(Verification)
        expect(calls).to.deep.equal([])
      })
    }
  })
})

describe('POST callback/:email provider', () => {
  it('signs in wherever the button is pressed', async () => {
    const { browser, link } = await withLink()
    const outcome = await browser().press(link)
    expect(outcome.kind === 'identity' && outcome.identity.user.email).to.equal(ADDRESS)
  })

  it('reads the query when the form has neither token nor address', async () => {
    const { browser, link } = await withLink()
    expect((await browser().post({ csrfToken: 'x' }, new URL(link).search)).kind).to.equal('identity')
  })

  it('signs in once', async () => {
    const { browser, link } = await withLink()
    await browser().press(link)
    expect(await failureOf(browser().press(link))).to.be.instanceOf(Verification)
  })

  // GHSA-hc7v-rggr-4hvx: one link, raced into several sessions
  for (const secrets of [['one'], ['one', 'two', 'three']]) {
    it(`signs in once when used 50 times at once, with ${secrets.length} secrets`, async () => {
      const { adapter } = slowAdapter()
      const { browser, link } = await withLink({ adapter, secrets })
      const { token = '', email = '' } = Object.fromEntries(new URL(link).searchParams)
      const uses = await Promise.allSettled(Array.from({ length: 50 }, () => browser().post({ token, email })))
      expect(uses.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
      for (const use of uses) if (use.status === 'rejected') expect(use.reason).to.be.instanceOf(Verification)
    })
  }

  it('refuses the token with any other address, and uses nothing up', async () => {
    const { browser, link, token } = await withLink()
    for (const email of ['mallory@example.com', 'ADA@example.com', `${ADDRESS} `, `${ADDRESS},mallory@example.com`]) {
      expect(await failureOf(browser().post({ token, email })), email).to.be.instanceOf(Verification)
    }
    expect((await browser().press(link)).kind).to.equal('identity')
  })

  it("refuses one person's token for another who has asked as well", async () => {
    const { browser, mails, token, link } = await withLink()
    await browser().ask('grace@example.com')
    expect(await failureOf(browser().post({ token, email: 'grace@example.com' }))).to.be.instanceOf(Verification)
    expect(await failureOf(browser().post({ token: mails[1]?.token, email: ADDRESS }))).to.be.instanceOf(Verification)
    expect((await browser().press(link)).kind).to.equal('identity')
    expect((await browser().press(mails[1]?.url ?? '')).kind).to.equal('identity')
  })

  it('refuses the stored hash in place of the token', async () => {
    const rows: { token: string }[] = []
    const adapter = memoryAdapter()
    const create = adapter.createVerificationToken
    adapter.createVerificationToken = (row) => {
      rows.push(row)
      return create(row)
    }
    const { browser } = await withLink({ adapter })
    expect(await failureOf(browser().post({ token: rows[0]?.token, email: ADDRESS }))).to.be.instanceOf(Verification)
  })

  it('accepts a link until it expires, and not a moment longer', async () => {
    const { browser, clock, link } = await withLink({ options: { maxAge: 600 } })
    clock.ms += 599_999
    const outcome = await browser().press(link)
    expect(outcome.kind).to.equal('identity')
    const late = await withLink({ options: { maxAge: 600 } })
    late.clock.ms += 600_000
    const fields = { token: late.token, email: ADDRESS }
    expect(await failureOf(late.browser().post(fields))).to.be.instanceOf(Verification)
    late.clock.ms -= 600_000
    expect(await failureOf(late.browser().post(fields)), 'the refused try used it up').to.be.instanceOf(Verification)
  })

  it('reads the end of a link as stores give it, and takes none for expired', async () => {
    for (const [expires, kind] of [
      ['2031-05-05T00:00:00.000Z', 'identity'],
      [Date.parse('2031-05-05T00:00:00.000Z'), 'identity'],
      ['soon', 'Verification'],
      [undefined, 'Verification'],
    ] as const) {
      const adapter = memoryAdapter()
      const use = adapter.useVerificationToken
      adapter.useVerificationToken = async (key) => ({ ...(await use(key)), expires }) as never
      const { browser, link } = await withLink({ adapter })
      const result = await browser()
        .press(link)
        .then(
          ({ kind }) => kind as string,
          (error: Verification) => error.type,
        )
      expect(result, String(expires)).to.equal(kind)
    }
  })

  it('refuses a row that the store gives for another address', async () => {
    const adapter = memoryAdapter()
    adapter.useVerificationToken = ({ token }) => ({
      token,
      identifier: 'grace@example.com',
      expires: new Date('2099-01-01'),
    })
    const { browser, link } = await withLink({ adapter })
    expect(await failureOf(browser().press(link))).to.be.instanceOf(Verification)
  })

  it('tells a store that is down from a link that is used up', async () => {
    const adapter = memoryAdapter()
    const { browser, link } = await withLink({ adapter })
    adapter.useVerificationToken = () => Promise.reject(new Error('down'))
    expect(await failureOf(browser().press(link))).to.be.instanceOf(AdapterError)
  })

  it('leaves the first link good when a second was sent', async () => {
    const { ada, browser, link, mails } = await withLink()
    await ada.ask()
    expect((await browser().press(link)).kind).to.equal('identity')
    expect((await ada.open(mails[1]?.url ?? '')).kind).to.equal('identity')
  })
})

describe('links in flight', () => {
  const link = (token: string) =>
    `${ORIGIN}/auth/callback/email?${new URLSearchParams({ callbackUrl: ORIGIN, token, email: ADDRESS })}`
  const expires = new Date('2031-05-05T00:00:00.000Z')

  it('survive a new secret, in the browser that asked and elsewhere', async () => {
    const before = await withLink({ secrets: ['old'] })
    const after = openMailFlow({ adapter: before.adapter, secrets: ['new', 'old'] })
    const ada = after.browser()
    for (const [name, value] of before.ada.jar) ada.jar.set(name, value)
    expect((await ada.open(before.link)).kind).to.equal('identity')
  })

  it('die with the secret that made them', async () => {
    const before = await withLink({ secrets: ['leaked'] })
    const after = openMailFlow({ adapter: before.adapter, secrets: ['new', 'other'] })
    expect(await failureOf(after.browser().press(before.link))).to.be.instanceOf(Verification)
  })

  for (const [what, secrets, provider] of [
    ['one secret', ['one'], undefined],
    ['a list of secrets', ['two', 'one'], undefined],
    ['a secret of the provider', ['two', 'one'], 'mail secret'],
  ] as const) {
    it(`of Auth.js are honoured with ${what}`, async () => {
      // As @auth/core 0.41 makes it in lib/actions/signin/send-token.js: a list of secrets becomes text with commas.
      const minted = `${'ab'.repeat(32)}`
      const adapter = memoryAdapter()
      await adapter.createVerificationToken({
        identifier: ADDRESS,
        token: sha256(`${minted}${provider ?? [...secrets]}`),
        expires,
      })
      const { browser } = openMailFlow({ adapter, secrets, options: provider ? { secret: provider } : {} })
      expect((await browser().press(link(minted))).kind).to.equal('identity')
    })
  }

  it("of the configuration's secret are not honoured where the provider has one", async () => {
    const before = await withLink({ secrets: ['general'] })
    const after = openMailFlow({ adapter: before.adapter, secrets: ['general'], options: { secret: 'own' } })
    expect(await failureOf(after.browser().press(before.link))).to.be.instanceOf(Verification)
  })
})
