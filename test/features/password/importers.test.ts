import { verify as verifyArgon2, hash as withArgon2 } from '@node-rs/argon2'
import { compare, hash as withBcrypt } from 'bcryptjs'
import { expect } from 'chai'
import type { Adapter, AdapterRecord, AdapterUser } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { webAuth } from '../../../lib/frameworks/web/index.js'
import { defineAuth, PasswordRefused, setPassword, verifyPassword } from '../../../lib/index.js'
import Email from '../../../lib/providers/email.js'
import Password, {
  argon2Hashes,
  bcryptHashes,
  betterAuthHashes,
  djangoHashes,
  firebaseHashes,
  type HashImporter,
  passportLocalMongooseHashes,
} from '../../../lib/providers/password.js'
import type { Awaitable } from '../../../lib/providers/provider.js'
import { testConfig } from '../../support/app.js'
import { failureOf } from '../../support/failure.js'
import { visibleText } from '../../support/html.js'
import { Clock, openTestApp, sendForm as send, type TestResponse, whoIs } from '../../support/test-app.js'

const ADA = 'ada@example.com'
const OLD = 'old horse, old battery'
const GOOD = 'copper lantern under seven bridges'
const PAGE = { accept: 'text/html' }

/** An app with users of before, whose mails stay here. */
function open(importers: readonly HashImporter[] = [], adapter = memoryAdapter()) {
  const links: string[] = []
  const records = new Map<string, AdapterRecord>()
  const mail = Email({
    sendVerificationRequest() {},
    sendNotification: ({ url }) => void links.push(new URL(url).searchParams.get('token') ?? ''),
  })
  const note = <Args extends [AdapterRecord]>(method: (...args: Args) => Awaitable<boolean>) => {
    return async (...args: Args) => {
      const isDone = await method(...args)
      if (isDone) records.set(args[0].kind, { ...args[0] })
      return isDone
    }
  }
  const watched = {
    ...adapter,
    createRecord: note(adapter.createRecord.bind(adapter)),
    updateRecord: note(adapter.updateRecord.bind(adapter)),
  }
  const options = {
    adapter: watched,
    providers: [Password({ importers }), mail],
    session: { strategy: 'database' as const },
    hosts: ['app.example'],
  }
  const app = openTestApp(options, { clock: new Clock(Date.now()) })
  const config = testConfig(options)
  return {
    ...app,
    adapter,
    config,
    links,
    records,
    send,
    async user(email = ADA, emailVerified: Date | null = new Date(0)): Promise<string> {
      return (await adapter.createUser({ id: '', name: 'Ada Lovelace', email, emailVerified })).id
    },
    async linkFor(email: string) {
      await send(app.browser(), 'password', { email })
      return links.at(-1) ?? ''
    },
    signIn: (password: string, { email = ADA, browser = app.browser(), headers = {} } = {}) =>
      send(browser, 'callback/password', { email, password }, headers),
  }
}

const isRefused = ({ location }: TestResponse) => location?.includes('error=CredentialsSignin') === true
const reasonOf = async (work: Promise<unknown>) => {
  const error = await failureOf<PasswordRefused>(work)
  expect(error).to.be.instanceOf(PasswordRefused)
  return error.reason
}

// By better-auth 1.7.25, Django 5.2.17, passport-local-mongoose 9.2.0, and from the README of github.com/firebase/scrypt.
const OF_BETTER_AUTH =
  '5f40d498fad8016ff85e3f56dc5f93f7:cb548396e16e31437b45fbe1d885af1b4f7a5a71f2ca30ad1f04d5128664e169436fb0b0eb955b3c813ab98d5fe45679f2a90b0834df86f8fce0fe50f36a129e'
const OF_DJANGO = 'pbkdf2_sha256$1000000$rFvqosNtnt6eCbv5iuE02C$/4r9Bnw0JGtiEmR9bJuhxNrVZEW+spIHBMr5WHJh1Tw='
const OF_DJANGO_SCRYPT =
  'scrypt$16384$wuIo3cnSKD5LvAwS7rAkuE$8$5$bkSpDYWRAXTLNVYze+TwBfSYFtkv1KEmyvPp9wZhzqB3jvTJ69oinYyLtRHvQfs/5gRwbWOTWwjg8vIt/vbp5A=='
const OF_MONGOOSE =
  '52407bea9d48e2c0f79e18acacc82037adba09005b848ee8299d37c5dd75ca77:3b4580eb47ff6e3bc5be42806da9f98bd2e5fc6d35ae8c58f4b7ededd11b8d5cb25cf23f9e9e745448b797daccefee681f29b1221d64a4228270811040ce3d419ef8afc5442a40811d796d71f2f138254fc54665237bba8a28095b44b4ba00cc1143065112fab34ec697938994018225c479a8ab0ee4643c6145685fcb31c6f25c79b33b166bcbe41a5ba9bbde52e7e6bd46b539290d0479339c6bfc705d5b554fcafbec5cc6285f13231c1e0d7a29338812d829ff07ba5b2286e7c265a8bbaa7f05528bca32ed1bb3c38b7580b8c38c7c3b91bfef6da58e9277715aaf38fb0773a9897155f2797e7f62a981ce0bc4e8f3c440c735f2409d1a9853168d347148e257b0bc7f725c90c78d14af4b13a4d1fff926226231a38809d80680d5601c8155b01cc46556cf5e49b374be2c32283b4dc08d56aff511a013b851bb2e5642b9bf205c67306b6e19404914723a7d8ed8e269444c482b466353b2e9637b607c46d4471c959e54f16184f059d8cce65d8e15abe7e452d5e5ca04648392fdd58fe9bc06c16a76294f43fb0c92ea52d2f87f8a24d0de2a106326ff7aa2b56a30f1a67f8c859426bf24c4d292f2883c83d82d9dce8aa893bd7e17bb351bd49c381ec5d5803b95292641c5c2e145186fb0243aa60f1be8e83c3f85465489f0682840853efa817266e95ce837a617df74a50cf9f133b3c9d4d0a1ffa1513e6ebab670f0'
const OF_MONGOOSE_BASE64 =
  'EaSOT5AtMki/Mq3cCTZJ9TJCz72Q7CIC+zVOpC5LWkM=:rkSPjJ3HqxTpF2UfxLomRWGxSPu7xe7249TZzdlLhhaHQu+o+3QvEwftloPSyVXaeWIKuD8Lj2p1oYkOA8fMCQ=='
const OF_FIREBASE =
  '42xEC+ixf3L2lw==:lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='
const FIREBASE = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
}
const BASE64 = { encoding: 'base64', keylen: 64, digestAlgorithm: 'sha512', iterations: 1000 } as const

const bcrypted = (password: string, form = '$2b') => withBcrypt(password, 4).then((made) => made.replace('$2b', form))

type Kind = readonly [name: string, importer: HashImporter, hash: () => Promise<string>, password?: string]
const KINDS: readonly Kind[] = [
  ['bcrypt', bcryptHashes(compare), () => bcrypted(OLD)],
  ["PHP's bcrypt", bcryptHashes(compare), () => bcrypted(OLD, '$2y')],
  ['Devise, with a pepper', bcryptHashes(compare, { pepper: 'salt mine' }), () => bcrypted(`${OLD}salt mine`, '$2a')],
  ['Argon2', argon2Hashes(verifyArgon2), () => withArgon2(OLD, { memoryCost: 1024, timeCost: 1 })],
  ['Better Auth', betterAuthHashes(), async () => OF_BETTER_AUTH],
  ['Django', djangoHashes(), async () => OF_DJANGO],
  ['Django, with scrypt', djangoHashes(), async () => OF_DJANGO_SCRYPT],
  ['passport-local-mongoose', passportLocalMongooseHashes(), async () => OF_MONGOOSE],
  ['passport-local-mongoose, with options', passportLocalMongooseHashes(BASE64), async () => OF_MONGOOSE_BASE64],
  ['Firebase', firebaseHashes(FIREBASE), async () => OF_FIREBASE, 'user1password'],
]

/** Null if another request has made the user. */
async function created(store: Pick<Required<Adapter>, 'createUser'>, user: AdapterUser): Promise<AdapterUser | null> {
  try {
    return await store.createUser(user)
  } catch {
    return null
  }
}

/** Takes no time, and counts. */
function counted(
  answer: (password: string, hash: string) => boolean | Promise<boolean> = (...both) => both[0] === OLD,
) {
  const asked: string[] = []
  const importer: HashImporter = {
    sample: 'plain:sample',
    reads: (hash) => hash.startsWith('plain:'),
    verify(password, hash) {
      asked.push(hash)
      return answer(password, hash)
    },
  }
  return { importer, asked }
}

describe('hashes of other packages', () => {
  for (const [name, importer, hash, password = OLD] of KINDS) {
    it(`PWD-07: let people of ${name} in with their password, which has a hash of Latchkey from then on`, async () => {
      const app = open([importer])
      const userId = await app.user()
      const stored = await hash()
      expect(await importer.verify(`${password} `, stored)).to.equal(false)
      await setPassword(app.config, { userId, hash: stored })
      const browser = app.browser()
      await app.signIn(password, { browser })
      expect(await whoIs(browser)).to.equal(ADA)
      // Nobody reads the hash of before any more.
      expect(isRefused(await open([], app.adapter).signIn(password))).to.equal(false)
    })
  }

  it('are moved when somebody enters their address, once, whichever way they come', async () => {
    for (const way of ['password', 'mailed link', 'twice at once'] as const) {
      const store = memoryAdapter()
      const hash = await withBcrypt(OLD, 4)
      const adapter: Required<Adapter> = {
        ...store,
        async getUserByEmail(email) {
          const known = await store.getUserByEmail(email)
          if (known !== null || email !== ADA) return known
          const old = { id: '1815', name: 'Ada Lovelace', email, emailVerified: new Date(0) }
          const user = await created(store, old)
          if (user) await setPassword(app.config, { userId: user.id, hash })
          return store.getUserByEmail(email)
        },
      }
      const app = open([bcryptHashes(compare)], adapter as ReturnType<typeof memoryAdapter>)
      if (way === 'mailed link') await app.linkFor(ADA)
      if (way === 'twice at once') await Promise.all([app.signIn(OLD), app.signIn(`not ${OLD}`)])
      const browser = app.browser()
      await app.signIn(OLD, { browser })
      expect([way, await whoIs(browser), (await store.getUserByEmail(ADA))?.id]).to.deep.equal([way, ADA, '1815'])
      expect(isRefused(await app.signIn(OLD, { email: 'nobody@example.com' }))).to.equal(true)
    }
  })

  it('let in both of two sign-ins at once, of which one stores the hash anew, and nobody whose password was changed meanwhile', async () => {
    const store = memoryAdapter()
    let meanwhile: (() => Promise<void>) | null = null
    const adapter: typeof store = {
      ...store,
      async updateRecord(record) {
        const change = record.kind === 'password' ? meanwhile : null
        if (change) meanwhile = null
        await change?.()
        return store.updateRecord(record)
      },
    }
    const app = open([bcryptHashes(compare)], adapter)
    const [userId, hash] = [await app.user(), await withBcrypt(OLD, 4)]
    await setPassword(app.config, { userId, hash })
    const browsers = [app.browser(), app.browser()]
    await Promise.all(browsers.map((browser) => app.signIn(OLD, { browser })))
    expect(await Promise.all(browsers.map(whoIs))).to.deep.equal([ADA, ADA])
    await setPassword(app.config, { userId, hash })
    meanwhile = () => setPassword(app.config, { userId, password: GOOD })
    expect(isRefused(await app.signIn(OLD))).to.equal(true)
    expect(isRefused(await app.signIn(GOOD))).to.equal(false)
  })

  it('are read with the password as it was entered, and for Better Auth in its one spelling', async () => {
    const typed: string[] = []
    const { importer } = counted((password) => typed.push(password) > 0)
    const app = open([importer])
    await setPassword(app.config, { userId: await app.user(), hash: 'plain:x' })
    await app.signIn('ｏｌｄ horse')
    expect(typed).to.deep.equal(['ｏｌｄ horse'])
    expect(await betterAuthHashes().verify('ｏｌｄ horse, old battery', OF_BETTER_AUTH)).to.equal(true)
  })

  it('PWD-10: every importer runs once for people with its hash, with another one, with ours, without one, and for nobody', async () => {
    const [one, two] = [counted(), counted()]
    const other: HashImporter = { ...two.importer, reads: (hash) => hash.startsWith('other:'), sample: 'other:sample' }
    const app = open([one.importer, other])
    const people = {
      'a@example.com': 'plain:a',
      'b@example.com': 'other:b',
      'c@example.com': null,
    }
    for (const [email, hash] of Object.entries(people)) {
      const userId = await app.user(email)
      if (hash) await setPassword(app.config, { userId, hash })
    }
    await setPassword(app.config, { userId: await app.user('d@example.com'), password: GOOD })
    for (const email of [...Object.keys(people), 'd@example.com', 'nobody@example.com']) {
      one.asked.length = 0
      two.asked.length = 0
      expect(isRefused(await app.signIn('wrong', { email })), email).to.equal(true)
      const hash = (people as Record<string, string | null>)[email]
      expect(one.asked, email).to.deep.equal([hash?.startsWith('plain:') ? hash : 'plain:sample'])
      expect(two.asked, email).to.deep.equal([hash?.startsWith('other:') ? hash : 'other:sample'])
    }
  })

  it('that match the sample of an importer open nothing for people without one', async () => {
    const app = open([counted(() => true).importer])
    await app.user()
    expect(isRefused(await app.signIn('anything'))).to.equal(true)
    expect(isRefused(await app.signIn('anything', { email: 'nobody@example.com' }))).to.equal(true)
  })

  it('that ask for too much, or are damaged, are read by nobody', async () => {
    const importers = KINDS.map(([, importer]) => importer)
    const app = open(importers)
    const userId = await app.user()
    const [, rest = ''] = OF_DJANGO_SCRYPT.split('$16384$')
    for (const hash of [
      '',
      OLD,
      OF_DJANGO.replace('$1000000$', '$2147483648$'),
      OF_DJANGO.replace('$1000000$', '$0$'),
      `scrypt$1048576$${rest}`,
      `scrypt$16385$${rest}`,
      `scrypt$1$${rest}`,
      OF_DJANGO.slice(0, -3),
      OF_BETTER_AUTH.slice(1),
      OF_BETTER_AUTH.replace(':', ''),
      OF_MONGOOSE.slice(0, -2),
      OF_FIREBASE.slice(0, -4),
      (await bcrypted(OLD)).replace('$04$', '$31$'),
      '$argon2id$v=19$m=9999999,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      '$scrypt$ln=20,r=32,p=16$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      // N is 2 to the power of 16·r or more, which scrypt cannot compute.
      '$scrypt$ln=22,r=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      `scrypt$65536$${rest.replace(/\$8\$5\$/, '$1$1$')}`,
    ]) {
      expect(await reasonOf(setPassword(app.config, { userId, hash })), hash).to.equal('unknown-hash')
    }
    for (const { reads, sample } of importers) expect(reads(sample), sample).to.equal(true)
    expect(app.records.size).to.equal(0)
  })

  it('of an importer that throws, hangs, or says something else than true let nobody in', async () => {
    const throwing = counted(() => {
      throw new Error(`${OLD} is wrong`)
    })
    const { setTimeout } = globalThis
    // A hundredth of the limit.
    const hurried = ((call: () => void, ms = 0) => setTimeout(call, ms >= 10_000 ? ms / 100 : ms)) as typeof setTimeout
    for (const { importer, isFault, turns } of [
      { ...throwing, isFault: true, turns: 1 },
      { ...counted(() => new Promise<boolean>(() => {})), isFault: true, turns: 3 },
      { ...counted(() => 'yes' as unknown as boolean), isFault: false, turns: 1 },
    ]) {
      const app = open([importer])
      await setPassword(app.config, { userId: await app.user(), hash: 'plain:x' })
      globalThis.setTimeout = Object.assign(hurried, setTimeout)
      try {
        // Three: two that hang must not stop the queue for ever.
        const browsers = [app.browser(), app.browser(), app.browser()].slice(0, turns)
        for (const { location } of await Promise.all(browsers.map((browser) => app.signIn(OLD, { browser }))))
          expect(location).to.include(isFault ? 'error=Configuration' : 'error=CredentialsSignin')
        for (const browser of browsers) expect(await whoIs(browser)).to.equal(null)
        expect(app.log.errors.map(String).join()).to.not.include(OLD)
      } finally {
        globalThis.setTimeout = setTimeout
      }
    }
  })

  it('in the record of another user open nothing', async () => {
    const app = open([bcryptHashes(compare)])
    const eves = await app.user('eve@example.com')
    await setPassword(app.config, { userId: eves, hash: await bcrypted('eve has this one') })
    const { value } = app.records.get('password') as AdapterRecord
    const userId = await app.user()
    await setPassword(app.config, { userId, hash: await bcrypted(OLD) })
    const adas = app.records.get('password') as AdapterRecord
    await app.adapter.updateRecord({ ...adas, value, version: adas.version + 1 })
    expect(isRefused(await app.signIn('eve has this one'))).to.equal(true)
    expect(isRefused(await app.signIn(OLD))).to.equal(true)
  })

  it('need importers that are whole', () => {
    const importers = [{ reads: () => true }] as unknown as HashImporter[]
    expect(() => defineAuth(open(importers).config)).to.throw('password.importers[0]')
  })
})

describe('setPassword and verifyPassword', () => {
  it('PWD-01, PWD-04: store what may be a new password of this user, and say why something else may not', async () => {
    const app = open()
    const userId = await app.user()
    const refused = (given: object) => reasonOf(setPassword(app.config, { userId, ...given } as never))
    expect(await refused({ password: 'short' })).to.equal('too-short')
    expect(await refused({ password: 'passwordpassword' })).to.equal('common')
    expect(await refused({ password: 'ada lovelace 1815' })).to.equal('personal')
    expect(await refused({ password: GOOD, userId: 'nobody' })).to.equal('unknown-user')
    expect(await refused({ password: GOOD, userId: undefined })).to.equal('unknown-user')
    for (const wrong of [{}, { password: GOOD, hash: 'x' }, { password: 15 }]) {
      const error = await failureOf(setPassword(app.config, { userId, ...wrong } as never))
      expect(error.name).to.equal('InvalidConfiguration')
    }
    expect(await verifyPassword(app.config, { userId, password: GOOD })).to.equal(false)
    await setPassword(app.config, { userId, password: GOOD })
    expect(await verifyPassword(app.config, { userId, password: GOOD })).to.equal(true)
    expect(await verifyPassword(app.config, { userId, password: OLD })).to.equal(false)
    expect(await verifyPassword(app.config, { userId: 'nobody', password: GOOD })).to.equal(false)
    // As a form or a body of JSON may bring them.
    for (const wrong of [{ password: undefined }, { password: [GOOD] }, { userId: undefined }])
      expect(await verifyPassword(app.config, { userId, password: GOOD, ...wrong } as never)).to.equal(false)
  })

  it('PWD-08: end the sessions of the user, and the links of before', async () => {
    const app = open()
    const userId = await app.user()
    await setPassword(app.config, { userId, password: OLD })
    const browser = app.browser()
    await app.signIn(OLD, { browser })
    const token = await app.linkFor(ADA)
    expect(await whoIs(browser)).to.equal(ADA)
    await setPassword(app.config, { userId, password: GOOD })
    expect(await whoIs(browser)).to.equal(null)
    const late = await app.send(app.browser(), 'password/choose', { token, newPassword: OLD })
    expect(late.status).to.equal(400)
  })

  it('ACCT-05: store nothing for an address that nobody has confirmed', async () => {
    const app = open()
    const userId = await app.user(ADA, null)
    expect(await reasonOf(setPassword(app.config, { userId, password: GOOD }))).to.equal('unconfirmed-address')
    await app.adapter.updateUser({ id: userId, emailVerified: new Date() })
    expect(isRefused(await app.signIn(GOOD))).to.equal(true)
  })

  it('are there for one configuration, and need one that keeps passwords', async () => {
    const app = open()
    const userId = await app.user()
    for (const auth of [defineAuth(app.config), webAuth(app.config)]) {
      await auth.setPassword({ userId, password: GOOD })
      expect(await auth.verifyPassword({ userId, password: GOOD })).to.equal(true)
    }
    for (const config of [testConfig(), () => app.config] as never[]) {
      const failure = await failureOf(setPassword(config, { userId, password: GOOD }))
      expect(failure.name).to.equal('InvalidConfiguration')
    }
  })
})

describe('a temporary password', () => {
  const inputOf = (page: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''

  async function withTemporary() {
    const app = open()
    const userId = await app.user()
    await setPassword(app.config, { userId, password: OLD, mustChange: true })
    return { ...app, userId }
  }

  it('only leads to the page that chooses another one, which signs in', async () => {
    const app = await withTemporary()
    const browser = app.browser()
    const shown = await app.signIn(OLD, { browser, headers: PAGE })
    expect(shown).to.include({ status: 200, location: null })
    expect(await whoIs(browser)).to.equal(null)
    const token = inputOf(shown.body, 'token')
    expect(token).to.have.lengthOf(64)
    expect(visibleText(shown.body)).to.include('The password that you have just entered is a temporary one')
    const choose = (newPassword: string) => app.send(browser, 'password/choose', { token, newPassword }, PAGE)
    // Whoever gave it knows it.
    expect(visibleText((await choose(OLD)).body)).to.include('That is the password that you have now')
    const mailed = await app.send(app.browser(), 'password/choose', { token: await app.linkFor(ADA), newPassword: OLD })
    expect(mailed.json()).to.deep.equal({ error: 'Password', reason: 'same' })
    expect((await choose('short')).status).to.equal(422)
    expect((await choose(GOOD)).status).to.equal(302)
    expect(await whoIs(browser)).to.equal(ADA)
    expect((await choose('nine quiet windows facing the harbour')).status).to.equal(400)
    expect(isRefused(await app.signIn(OLD))).to.equal(true)
    expect(isRefused(await app.signIn(GOOD))).to.equal(false)
  })

  it('gives no session to a script, or to code of the application, however often it is tried', async () => {
    const app = await withTemporary()
    for (let turn = 0; turn < 2; turn += 1) {
      const browser = app.browser()
      const answer = await app.signIn(OLD, { browser })
      expect(answer.status).to.equal(422)
      expect(answer.json()).to.deep.equal({ error: 'Password', reason: 'must-change' })
      expect(await whoIs(browser)).to.equal(null)
    }
    const headers = { origin: app.origin, 'sec-fetch-site': 'same-origin' }
    const auth = webAuth({ ...app.config, url: app.origin })
    const visitor = auth.forRequest({ headers: new Headers(headers), method: 'POST' })
    const failure = await failureOf(visitor.signIn({ provider: 'password', fields: { email: ADA, password: OLD } }))
    expect(failure.message).to.include('asks the visitor first')
  })

  it('stays one when its hash is stored anew, and says nothing to whoever does not know it', async () => {
    const app = open([counted().importer])
    const userId = await app.user()
    await setPassword(app.config, { userId, hash: 'plain:x', mustChange: true })
    const before = app.records.get('password')?.version ?? 0
    const browser = app.browser()
    const token = inputOf((await app.signIn(OLD, { browser, headers: PAGE })).body, 'token')
    expect(app.records.get('password')?.version).to.equal(before + 1)
    expect((await app.signIn(OLD)).status).to.equal(422)
    expect(isRefused(await app.signIn(GOOD))).to.equal(true)
    expect(await verifyPassword(app.config, { userId, password: OLD })).to.equal(true)
    // The page was made for what was stored anew.
    expect((await app.send(browser, 'password/choose', { token, newPassword: GOOD }, PAGE)).status).to.equal(302)
    expect(await whoIs(browser)).to.equal(ADA)
  })

  it('PWD-08: the page is no link that could be passed on', async () => {
    const app = await withTemporary()
    const token = inputOf((await app.signIn(OLD, { headers: PAGE })).body, 'token')
    const opened = await app.browser().get(`/auth/password/choose?token=${token}`, PAGE)
    expect(opened.status).to.equal(400)
    expect(opened.body).to.not.include(ADA)
  })

  it('PWD-08: the page dies with the password, the address, its confirmation, and when the sign-in is not recent any more', async () => {
    for (const change of [
      (app: Awaited<ReturnType<typeof withTemporary>>) =>
        setPassword(app.config, { userId: app.userId, password: GOOD }),
      ({ adapter, userId }) => adapter.updateUser({ id: userId, email: 'ada@new.example' }),
      ({ adapter, userId }) => adapter.updateUser({ id: userId, emailVerified: null }),
      async ({ clock }) => clock.advance(15 * 60 + 1),
    ] satisfies ((app: Awaited<ReturnType<typeof withTemporary>>) => Awaitable<unknown>)[]) {
      const app = await withTemporary()
      const browser = app.browser()
      const token = inputOf((await app.signIn(OLD, { browser, headers: PAGE })).body, 'token')
      await change(app)
      const short = await app.send(browser, 'password/choose', { token, newPassword: 'short' })
      expect(short.json(), 'no password is judged').to.deep.equal({ error: 'Password', reason: 'link' })
      const answer = await app.send(browser, 'password/choose', { token, newPassword: `${GOOD} again` })
      expect(answer.status).to.equal(400)
      expect(await whoIs(browser)).to.equal(null)
    }
  })

  it('ends with a mailed link, too', async () => {
    const app = await withTemporary()
    const browser = app.browser()
    await app.send(browser, 'password/choose', { token: await app.linkFor(ADA), newPassword: GOOD })
    expect(await whoIs(browser)).to.equal(ADA)
    expect(isRefused(await app.signIn(GOOD))).to.equal(false)
  })

  it('says what it takes in place of a module or nothing, and which option of a call is misspelt', async () => {
    for (const make of [() => bcryptHashes(undefined as never), () => argon2Hashes({} as never)]) {
      expect(make).to.throw(/it takes a function: import \{ (compare|verify) \}/)
    }
    const config = testConfig({
      adapter: memoryAdapter(),
      providers: [Password(), Email({ sendVerificationRequest() {}, sendNotification() {} })],
    })
    const call = async (given: object) => setPassword(config, given as never).catch(({ message }: Error) => message)
    expect(await call({ userId: '1', password: 'x', mustchange: true })).to.include('Did you mean `mustChange`?')
    expect(await call({ userId: '1', password: 'x', mustChange: 'yes' })).to.include('`mustChange` is a string')
    expect(await call({ email: 'a@b.example', password: 'x' })).to.include('`email` is unknown')
  })
})
