import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createClientPool } from 'redis'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { InvalidConfiguration } from '../../../lib/kernel/errors.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'
import { aroundCommands, connect, REDIS_URL, skipSuite } from './servers.js'

type Client = NonNullable<Awaited<ReturnType<typeof connect>>>

const HOUR_MS = 60 * 60 * 1000
const user = (members = {}) => ({
  id: randomBytes(8).toString('hex'),
  email: anyEmail(),
  emailVerified: null,
  ...members,
})
const anyEmail = () => `${randomBytes(8).toString('hex')}@example.com`

describe('redisAdapter() on one server', () => {
  const prefix = `latchkey-test-${randomBytes(6).toString('hex')}:`
  let client: Client
  let adapter: Required<Adapter>

  before(async function () {
    const connected = await connect(REDIS_URL)
    if (!connected) return skipSuite(this, `no Redis answers at ${REDIS_URL}`)
    client = connected
    adapter = redisAdapter(client, { prefix })
  })

  after(async () => {
    if (!client) return
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 })) {
      if (keys.length > 0) await client.unlink(keys)
    }
    client.destroy()
  })

  describeAdapter('redisAdapter()', {
    create: () => redisAdapter(client, { prefix }),
    extra: {
      user: { roles: ['admin'], born: new Date(1) },
      account: { refresh_expires_in: 60 },
      session: { device: null },
    },
  })

  const ttl = (key: string) => client.pTTL(`${prefix}${key}`)
  const keysOf = async (pattern: string) => {
    const found: string[] = []
    for await (const keys of client.scanIterator({ MATCH: `${prefix}${pattern}`, COUNT: 1000 })) found.push(...keys)
    return found.map((key) => key.slice(prefix.length))
  }

  /** An adapter that works between the steps of its deletion of all sessions: before or after it reads their list. */
  const between = (when: 'before' | 'after', work: () => Promise<unknown>) => {
    const list = /:sessions$/
    let isDone = false
    const evalSha = async (digest: string, call: { keys: string[]; arguments: string[] }) => {
      const isNext = !isDone && (when === 'after' ? list.test(call.keys[0] ?? '') : !list.test(call.keys[0] ?? ''))
      if (!isNext) return client.evalSha(digest, call)
      isDone = true
      const reply = when === 'after' ? await client.evalSha(digest, call) : undefined
      await work()
      return reply ?? client.evalSha(digest, call)
    }
    const stepping = new Proxy(client, {
      get: (target, name) => {
        if (name === 'evalSha') return evalSha
        const member = Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    return redisAdapter(stepping, { prefix })
  }

  it('SESS-14: deletes all sessions of a user, also one that gets another token after their list was read', async () => {
    const [userId, first, second, third] = Array.from({ length: 4 }, () => randomBytes(8).toString('hex')) as string[]
    const tokens = [first, second, third] as [string, string, string]
    await adapter.createSession({
      sessionToken: tokens[0],
      userId: userId ?? '',
      expires: new Date(Date.now() + HOUR_MS),
    })
    const changing = between('after', async () => {
      await adapter.changeSessionToken(tokens[0], tokens[1])
      await adapter.changeSessionToken(tokens[1], tokens[2])
    })
    await changing.deleteSessionsByUserId(userId ?? '')
    for (const token of tokens) expect(await adapter.getSession(token)).to.equal(null)
    expect(await keysOf(`*${userId}*`)).to.deep.equal([])
  })

  it('SESS-14: deletes all sessions of a user, also one that gets another token while they are deleted', async () => {
    const userId = randomBytes(8).toString('hex')
    const session = { sessionToken: `${userId}-0`, userId, expires: new Date(Date.now() + HOUR_MS) }
    await adapter.createSession(session)
    const changing = between('before', async () => adapter.changeSessionToken(`${userId}-0`, `${userId}-1`))
    await changing.deleteSessionsByUserId(userId)
    for (const token of ['0', '1']) expect(await adapter.getSession(`${userId}-${token}`)).to.equal(null)
    expect(await keysOf(`*${userId}*`)).to.deep.equal([])
  })

  // The stack of Lua has room for less than eight thousand values at once.
  describe('a user who has piled up 9,000', function () {
    this.timeout(120_000)
    const COUNT = 9000
    const expires = new Date(Date.now() + HOUR_MS)
    const names = (of: string) => Array.from({ length: COUNT }, (_, index) => `${of}-${index}`)
    /** Most are names alone, as rows that have left by themselves leave them behind; these are there. */
    const some = (all: readonly string[]) => all.filter((_, index) => index % 100 === 0)

    it('sessions can end them all', async () => {
      const { id: userId } = await adapter.createUser(user())
      const all = names(userId)
      for (const sessionToken of some(all)) await adapter.createSession({ sessionToken, userId, expires })
      const list = `${prefix}{user:${userId}}:sessions`
      await client.zAdd(
        list,
        all.map((value) => ({ value, score: expires.getTime() })),
      )
      await adapter.deleteSessionsByUserId(userId)
      for (const sessionToken of some(all)) expect(await adapter.getSession(sessionToken)).to.equal(null)
      expect(await client.exists(list)).to.equal(0)
    })

    it('sessions, accounts and passkeys can be deleted', async () => {
      const { id: userId } = await adapter.createUser(user())
      const all = names(userId)
      const passkey = {
        userId,
        credentialPublicKey: 'key',
        counter: 0,
        credentialBackedUp: false,
        credentialDeviceType: 'singleDevice',
      }
      for (const id of some(all)) {
        await adapter.createSession({ sessionToken: id, userId, expires })
        await adapter.linkAccount({ userId, type: 'oidc', provider: 'acme', providerAccountId: id })
        await adapter.createAuthenticator({ ...passkey, credentialID: id, providerAccountId: id })
      }
      const ofUser = `${prefix}{user:${userId}}`
      await client.zAdd(
        `${ofUser}:sessions`,
        all.map((value) => ({ value, score: expires.getTime() })),
      )
      await client.sAdd(
        `${ofUser}:accounts`,
        all.map((id) => `${prefix}account:acme:${id}`),
      )
      await client.sAdd(`${ofUser}:authenticators`, all)
      expect(await adapter.listAccountsByUserId(userId)).to.have.lengthOf(COUNT / 100)
      expect(await adapter.listAuthenticatorsByUserId(userId)).to.have.lengthOf(COUNT / 100)
      await adapter.deleteUser(userId)
      expect(await keysOf(`*${userId}*`)).to.deep.equal([])
    })

    it('members of a row keeps them', async () => {
      const members = Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`m${index}`, index]))
      const made = await adapter.createUser(user(members))
      expect(await adapter.updateUser({ ...members, id: made.id, m7: 'changed' } as never)).to.include({
        m7: 'changed',
        [`m${COUNT - 1}`]: COUNT - 1,
      })
      await adapter.updateUser({ ...made, email: anyEmail() })
      expect(Object.keys((await adapter.getUser(made.id)) ?? {})).to.have.lengthOf(COUNT + 3)
      await adapter.deleteUser(made.id)
    })
  })

  describe('expiry', () => {
    it('lets a session leave when it expires, and moves that with every extension', async () => {
      const session = {
        sessionToken: randomBytes(8).toString('hex'),
        userId: 'ada',
        expires: new Date(Date.now() + HOUR_MS),
      }
      await adapter.createSession(session)
      expect(await ttl(`session:${session.sessionToken}`)).to.be.closeTo(HOUR_MS, 2000)
      await adapter.updateSession({ ...session, expires: new Date(Date.now() + 2 * HOUR_MS) })
      expect(await ttl(`session:${session.sessionToken}`)).to.be.closeTo(2 * HOUR_MS, 2000)
      await adapter.updateSession({ sessionToken: session.sessionToken })
      expect(await ttl(`session:${session.sessionToken}`)).to.be.closeTo(2 * HOUR_MS, 2000)
      await adapter.updateSession({ ...session, expires: new Date(Date.now() - 1) })
      expect(await adapter.getSession(session.sessionToken)).to.equal(null)
    })

    it('lets the token of a mailed link leave when it expires', async () => {
      const token = randomBytes(8).toString('hex')
      await adapter.createVerificationToken({ identifier: 'ada', token, expires: new Date(Date.now() + HOUR_MS) })
      expect(await ttl(`verification-token:ada:${token}`)).to.be.closeTo(HOUR_MS, 2000)
    })

    it('keeps users, accounts and passkeys for good', async () => {
      const { id, email } = await adapter.createUser(user())
      await adapter.linkAccount({ userId: id, type: 'oidc', provider: 'acme', providerAccountId: id })
      for (const key of [
        `{user:${id}}`,
        `{user:${id}}:accounts`,
        `account:acme:${id}`,
        `email:${encodeURIComponent(email)}`,
      ]) {
        expect(await ttl(key), key).to.equal(-1)
      }
    })
  })

  /** The adapter over a client that loses its connection before it sends a given script for the n-th time. */
  const breakingBefore = (commands: number) => {
    let left = commands
    const fragile = aroundCommands(client, async (send) => {
      if (left-- <= 0) throw new Error('Socket closed unexpectedly')
      return send()
    })
    return redisAdapter(fragile, { prefix })
  }

  describe('a step that breaks off', () => {
    it('of createUser never locks an address', async () => {
      for (let commands = 0; commands < 3; commands++) {
        const given = user()
        const broken = await Promise.allSettled([breakingBefore(commands).createUser(given)])
        expect(broken[0].status, `broken before command ${commands}`).to.equal('rejected')
        // Time passes: the user who was never confirmed leaves.
        if (commands > 0) {
          expect(await ttl(`{user:${given.id}}`)).to.be.within(1, 60_000)
          await client.del(`${prefix}{user:${given.id}}`)
        }
        expect(await adapter.getUserByEmail(given.email)).to.equal(null)
        const second = await adapter.createUser(user({ email: given.email }))
        expect(await adapter.getUserByEmail(given.email)).to.deep.equal(second)
      }
    })

    it('of createUserWithAccount leaves nothing', async () => {
      const given = user()
      const account = { type: 'oidc', provider: 'acme', providerAccountId: given.id } as const
      const { userId: _, ...authenticator } = passkey(given.id)
      const broken = breakingBefore(0).createUserWithAccount({ user: given, account, authenticator })
      expect((await Promise.allSettled([broken]))[0]?.status).to.equal('rejected')
      expect(await keysOf(`*${given.id}*`)).to.deep.equal([])
      const made = await breakingBefore(1).createUserWithAccount({ user: given, account, authenticator })
      expect(await adapter.getUserByAccount(account), 'all of it in one command').to.deep.equal(made)
    })

    it('of a move to another address loses neither, and locks neither', async () => {
      // get user, get reservation, announce, reserve, move, release
      for (let commands = 0; commands < 6; commands++) {
        const mover = await adapter.createUser(user())
        const email = anyEmail()
        const broken = await Promise.allSettled([breakingBefore(commands).updateUser({ id: mover.id, email })])
        expect(broken[0].status, `broken before command ${commands}`).to.equal('rejected')
        const now = await adapter.getUser(mover.id)
        const free = now?.email === email ? mover.email : email
        expect(await adapter.getUserByEmail(now?.email ?? '')).to.deep.equal(now)
        expect(await adapter.getUserByEmail(free)).to.equal(null)
        const announcements = await keysOf(`{user:${mover.id}}:email-move:*`)
        for (const key of announcements) {
          expect(await ttl(key)).to.be.within(1, 30_000)
          await client.del(`${prefix}${key}`)
        }
        await adapter.createUser(user({ email: free }))
        expect(await adapter.getUserByEmail(now?.email ?? '')).to.deep.equal(now)
      }
    })

    it('of linkAccount never locks an account', async () => {
      const owner = await adapter.createUser(user())
      const account = (id: string) =>
        ({ userId: owner.id, type: 'oidc', provider: 'acme', providerAccountId: id }) as const
      for (let commands = 0; commands < 2; commands++) {
        const id = randomBytes(8).toString('hex')
        await Promise.allSettled([breakingBefore(commands).linkAccount(account(id))])
        expect(await adapter.getUserByAccount(account(id))).to.equal(null)
        await adapter.linkAccount(account(id))
        expect(await adapter.getUserByAccount(account(id))).to.deep.equal(owner)
      }
    })

    it('of deleteUser is finished by the next call, and nobody is signed in meanwhile', async () => {
      for (let commands = 3; commands < 9; commands++) {
        const { id, email } = await adapter.createUser(user())
        const account = { userId: id, type: 'oidc', provider: 'acme', providerAccountId: id } as const
        await adapter.linkAccount(account)
        await adapter.createAuthenticator(passkey(id))
        await adapter.createSession({ sessionToken: id, userId: id, expires: new Date(Date.now() + HOUR_MS) })
        await Promise.allSettled([breakingBefore(commands).deleteUser(id)])
        expect(await adapter.getSessionAndUser(id)).to.equal(null)
        expect(await adapter.getUserByAccount(account)).to.equal(null)
        expect(await adapter.getUserByEmail(email)).to.equal(null)
        await adapter.deleteUser(id)
        expect(await adapter.getAuthenticator(passkey(id).credentialID)).to.equal(null)
        expect(await keysOf(`*{user:${id}}*`)).to.deep.equal([])
        expect(await keysOf(`account:*${id}*`)).to.deep.equal([])
        await adapter.createUser(user({ email }))
      }
    })

    it('of a deletion leaves accounts that another user can link', async () => {
      const [gone, heir] = [await adapter.createUser(user()), await adapter.createUser(user())]
      const account = { userId: gone.id, type: 'oidc', provider: 'acme', providerAccountId: gone.id } as const
      await adapter.linkAccount(account)
      await Promise.allSettled([breakingBefore(3).deleteUser(gone.id)])
      await adapter.linkAccount({ ...account, userId: heir.id })
      expect(await adapter.getUserByAccount(account)).to.deep.equal(heir)
      await adapter.deleteUser(gone.id)
      expect(await adapter.getUserByAccount(account)).to.deep.equal(heir)
    })
  })

  describe('deleteExpired()', () => {
    const account = (userId: string) => ({ userId, type: 'oidc', provider: 'acme', providerAccountId: userId }) as const
    const none = { sessions: 0, verificationTokens: 0, leftovers: 0, unreadable: 0, complete: true, hints: [] }

    /** Somebody who has an account, a passkey and a session. */
    const settled = async (on = adapter, members = {}) => {
      const made = await on.createUser(user(members))
      await on.linkAccount(account(made.id))
      await on.createAuthenticator(passkey(made.id))
      await on.createSession({ sessionToken: made.id, userId: made.id, expires: new Date(Date.now() + HOUR_MS) })
      return made
    }

    before(async () => {
      // The server knows the scripts from here on, so that each is one command.
      await adapter.deleteUser((await settled()).id)
      await adapter.deleteExpired()
    })

    it('finishes deletions that broke off, wherever they did, and leaves everybody else alone', async () => {
      const neighbour = await settled()
      for (let commands = 3; commands < 14; commands++) {
        const { id, email } = await settled()
        await Promise.allSettled([breakingBefore(commands).deleteUser(id)])
        const before = await keysOf(`*${id}*`)
        const dry = await adapter.deleteExpired({ dryRun: true })
        expect(await keysOf(`*${id}*`)).to.have.members(before)
        expect(await adapter.deleteExpired({ batch: 100 }), `broken before command ${commands}`).to.deep.equal(dry)
        expect(await keysOf(`*${id}*`)).to.deep.equal([])
        expect(await keysOf(`email:${encodeURIComponent(email)}`)).to.deep.equal([])
        expect(await adapter.deleteExpired()).to.deep.equal(none)
      }
      expect(await adapter.getUserByAccount(account(neighbour.id))).to.deep.equal(neighbour)
      expect(await adapter.getUserByEmail(neighbour.email)).to.deep.equal(neighbour)
      expect(await adapter.getAuthenticator(passkey(neighbour.id).credentialID)).to.include({ userId: neighbour.id })
      expect(await adapter.getSessionAndUser(neighbour.id)).to.have.nested.property('user.id', neighbour.id)
    })

    it('deletes accounts and passkeys whose user was deleted by an earlier version, which left no marker', async () => {
      const { id } = await settled()
      await client.del(`${prefix}{user:${id}}`)
      expect(await adapter.deleteExpired()).to.deep.equal({ ...none, leftovers: 3 })
      expect(await keysOf(`*${id}*`)).to.deep.equal([])
    })

    it('leaves passkeys and sessions of users who are in another store', async () => {
      const id = `elsewhere-${randomBytes(8).toString('hex')}`
      await adapter.createAuthenticator(passkey(id))
      await adapter.createSession({ sessionToken: id, userId: id, expires: new Date(Date.now() + HOUR_MS) })
      expect(await adapter.deleteExpired()).to.deep.equal(none)
      expect(await adapter.getAuthenticator(passkey(id).credentialID)).to.not.equal(null)
      expect(await adapter.getSession(id)).to.not.equal(null)
      await Promise.allSettled([breakingBefore(3).deleteUser(id)])
      expect((await adapter.deleteExpired()).leftovers).to.equal(1)
      expect(await keysOf(`*${id}*`)).to.deep.equal([])
    })

    it('gives no rows of an interrupted deletion to a user who gets the same id in another store, and deletes none of their rows', async () => {
      const id = `again-${randomBytes(8).toString('hex')}`
      const old = passkey(id)
      await adapter.createAuthenticator(old)
      await Promise.allSettled([breakingBefore(3).deleteUser(id)])
      expect(await adapter.listAuthenticatorsByUserId(id)).to.deep.equal([])
      expect(await adapter.getAuthenticator(old.credentialID)).to.equal(null)
      const own = { ...passkey(id), credentialID: `own-${id}` }
      await adapter.createAuthenticator(own)
      expect(await adapter.deleteExpired()).to.deep.equal(none)
      const found = await adapter.listAuthenticatorsByUserId(id)
      expect(found.map(({ credentialID }) => credentialID)).to.deep.equal([own.credentialID])
      expect(await adapter.getAuthenticator(old.credentialID)).to.equal(null)
      await adapter.deleteUser(id)
    })

    it('counts what is of another type under its keys as unreadable, and goes on', async () => {
      const { id } = await settled()
      await Promise.allSettled([breakingBefore(3).deleteUser(id)])
      const odd = [`${prefix}{user:odd}:accounts`, `${prefix}email:odd%40example.com`]
      await client.set(odd[0] ?? '', 'text')
      await client.lPush(odd[1] ?? '', 'item')
      try {
        expect(await adapter.deleteExpired()).to.deep.equal({ ...none, leftovers: 3, unreadable: 2 })
      } finally {
        await client.del([...odd, `${prefix}{user:odd}:deletion`])
      }
    })

    it('leaves an account that another user has linked since', async () => {
      const [gone, heir] = [await settled(), await adapter.createUser(user())]
      await Promise.allSettled([breakingBefore(3).deleteUser(gone.id)])
      await adapter.linkAccount({ ...account(gone.id), userId: heir.id })
      await adapter.deleteExpired()
      expect(await adapter.getUserByAccount(account(gone.id))).to.deep.equal(heir)
    })

    it('leaves a user who has the id of one who was deleted, and what is theirs', async () => {
      const { id } = await settled()
      await Promise.allSettled([breakingBefore(4).deleteUser(id)])
      await adapter.deleteUser(id)
      const again = await settled(adapter, { id })
      await client.set(`${prefix}{user:${id}}:deletion`, '1')
      expect(await adapter.deleteExpired()).to.deep.equal(none)
      expect(await adapter.getUserByAccount(account(id))).to.deep.equal(again)
    })

    it('releases reservations of addresses that nobody has, and none of somebody who is about to get one', async () => {
      const email = anyEmail()
      await client.set(`${prefix}email:${encodeURIComponent(email)}`, 'nonce:nobody')
      const mover = await adapter.createUser(user())
      const next = anyEmail()
      // As far as a move to another address comes when it breaks off before the row is changed.
      await Promise.allSettled([breakingBefore(4).updateUser({ id: mover.id, email: next })])
      expect(await keysOf(`{user:${mover.id}}:email-move:*`)).to.have.lengthOf(1)
      expect(await adapter.deleteExpired()).to.deep.equal({ ...none, leftovers: 1 })
      expect(await keysOf(`email:${encodeURIComponent(email)}`)).to.deep.equal([])
      expect(await keysOf(`email:${encodeURIComponent(next)}`)).to.have.lengthOf(1)
      expect(await adapter.getUserByEmail(mover.email)).to.deep.equal(mover)
    })

    it('harms nobody who signs up, moves or is deleted meanwhile, 20 parallel calls', async () => {
      const people = await Promise.all(Array.from({ length: 40 }, () => settled()))
      const emails = people.map(() => anyEmail())
      const calls = await Promise.allSettled([
        ...Array.from({ length: 20 }, () => adapter.deleteExpired({ batch: 50 })),
        ...people.map(({ id }, index) =>
          index % 2 ? adapter.deleteUser(id) : adapter.updateUser({ id, email: emails[index] ?? '' }),
        ),
        ...Array.from({ length: 20 }, () => settled()),
      ])
      expect(calls.filter(({ status }) => status === 'rejected')).to.deep.equal([])
      for (const [index, { id }] of people.entries()) {
        const found = await adapter.getUserByAccount(account(id))
        expect(found?.email).to.equal(index % 2 ? undefined : emails[index])
        if (found) expect(await adapter.getUserByEmail(found.email)).to.deep.equal(found)
      }
      for (const call of calls.slice(60)) {
        const made = call.status === 'fulfilled' ? (call.value as { id: string; email: string }) : undefined
        expect(await adapter.getUserByEmail(made?.email ?? '')).to.deep.equal(made)
        expect(await adapter.getUserByAccount(account(made?.id ?? ''))).to.deep.equal(made)
      }
    })

    it('looks at its own prefix only, and at none that matches it as a pattern', async () => {
      const starred = redisAdapter(client, { prefix: `${prefix}*:` })
      const { id } = await settled()
      await client.del(`${prefix}{user:${id}}`)
      expect(await starred.deleteExpired()).to.deep.equal(none)
      // Another application's keys, which begin alike and are of other kinds.
      for (const key of ['email:{user:x}', 'email:a:b', '{user:%zz}:accounts', 'email:%zz'])
        await client.hSet(prefix + key, 'a', '1')
      expect(await adapter.deleteExpired()).to.deep.equal({ ...none, leftovers: 3 })
      for (const key of ['email:{user:x}', 'email:a:b', '{user:%zz}:accounts', 'email:%zz'])
        await client.del(prefix + key)
    })

    it('says how far it came when the connection breaks', async () => {
      await settled()
      const [outcome] = await Promise.allSettled([breakingBefore(1).deleteExpired({ batch: 1 })])
      expect(outcome).to.have.nested.property('reason.type', 'AdapterError')
      expect(outcome)
        .to.have.nested.property('reason.message')
        .that.matches(/Redis failed at deleteExpired\(\).*deleted 0 sessions/)
    })

    it('stops when its signal is aborted', async () => {
      const stop = new AbortController()
      const calls = adapter.deleteExpired({ batch: 1, signal: stop.signal })
      stop.abort()
      expect(await calls).to.include({ complete: false })
    })

    it('needs a client that can look for keys', async () => {
      const { get, hGetAll, sMembers, eval: run, evalSha } = client
      const [outcome] = await Promise.allSettled([
        redisAdapter({ get, hGetAll, sMembers, eval: run, evalSha } as never).deleteExpired(),
      ])
      expect(outcome)
        .to.have.nested.property('reason.message')
        .that.matches(/needs a client .* with scan\(\)/)
    })
  })

  it('leaves nothing behind of a user who is deleted', async () => {
    const { id, email } = await adapter.createUser(user())
    await adapter.updateUser({ id, email: `new-${email}` })
    await adapter.linkAccount({ userId: id, type: 'oidc', provider: 'acme', providerAccountId: id })
    await adapter.createAuthenticator(passkey(id))
    expect(await keysOf(`*${id}*`)).to.have.length.greaterThan(3)
    await adapter.deleteUser(id)
    expect(await keysOf(`*${id}*`)).to.deep.equal([])
    expect(await keysOf(`*${encodeURIComponent(email)}`)).to.deep.equal([])
  })

  it('distinguishes a duplicate from a fault', async () => {
    const { email } = await adapter.createUser(user())
    const [refused] = await Promise.allSettled([adapter.createUser(user({ email }))])
    expect(refused).to.have.nested.property('reason.message', 'Another user has this e-mail address.')
    expect(refused).to.have.nested.property('reason.cause.duplicate', true)
  })

  it('works on a pool, and with either version of the protocol', async () => {
    for (const RESP of [2, 3] as const) {
      const pool = createClientPool({ url: REDIS_URL, RESP })
      pool.on('error', () => undefined)
      await pool.connect()
      const pooled = redisAdapter(pool, { prefix })
      const made = await pooled.createUser(user())
      expect(await pooled.updateUser({ id: made.id, name: 'Ada' })).to.deep.equal({ ...made, name: 'Ada' })
      expect(await pooled.getUserByEmail(made.email)).to.deep.equal({ ...made, name: 'Ada' })
      expect(await pooled.deleteExpired()).to.include({ complete: true })
      await pooled.deleteUser(made.id)
      pool.destroy()
    }
  })

  it('keeps the prefixes apart', async () => {
    const { id } = await adapter.createUser(user())
    expect(await redisAdapter(client, { prefix: `${prefix}other:` }).getUser(id)).to.equal(null)
  })

  it('sends the text of a script again when the server forgot it', async () => {
    await client.scriptFlush()
    const { id } = await adapter.createUser(user())
    expect(await adapter.getUser(id)).to.have.property('id', id)
  })
})

describe('redisAdapter() refuses', () => {
  it('what is not a client, and says what is missing', () => {
    expect(() => redisAdapter({ get: () => null } as never)).to.throw(
      InvalidConfiguration,
      'has no hGetAll, sMembers, eval',
    )
    expect(() => redisAdapter(undefined as never)).to.throw(InvalidConfiguration)
  })

  it('a prefix with braces: they decide the slot on a cluster', () => {
    const client = { get() {}, hGetAll() {}, sMembers() {}, eval() {}, evalSha() {} }
    expect(() => redisAdapter(client as never, { prefix: 'app{}:' })).to.throw(InvalidConfiguration, 'braces')
  })
})

const passkey = (userId: string) => ({
  userId,
  credentialID: `credential-${userId}`,
  providerAccountId: `credential-${userId}`,
  credentialPublicKey: 'AAAA',
  counter: 0,
  credentialBackedUp: false,
  credentialDeviceType: 'singleDevice',
})
