import { expect } from 'chai'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { databaseAt, migrateToLatest, sqlAdapter } from '../../lib/adapters/sql.js'
import { AdapterError, InvalidConfiguration } from '../../lib/kernel/errors.js'

/** What is thrown at the creation of an adapter, or `accepted` if nothing is. */
function messageOf(create: () => unknown, kind: new (...args: never[]) => Error): string {
  try {
    create()
  } catch (error) {
    expect(error).to.be.instanceOf(kind)
    return (error as Error).message
  }
  return 'accepted'
}

type Case = readonly [given: readonly unknown[], says: string]

/** Tests that each case is refused with a message that says what is wrong, and that has no password of a URL. */
function itRefuses(cases: Readonly<Record<string, Case>>, create: (given: readonly unknown[]) => string) {
  for (const [what, [given, says]] of Object.entries(cases)) {
    it(`are refused: ${what}`, () => {
      const message = create(given)
      expect(message).to.include(says)
      expect(message).not.to.include('hunter2')
    })
  }
}

describe('the arguments of sqlAdapter()', () => {
  const url = 'postgres://app:hunter2@h/d'
  const create = (given: readonly unknown[]) =>
    messageOf(() => (sqlAdapter as (...given: unknown[]) => unknown)(...given), AdapterError)

  const REFUSED: Record<string, Case> = {
    'an option of the pool that stands one level too high': [[{ url, max: 5 }], 'Did you mean `pool.max`?'],
    'another one': [[{ url, ssl: true }], '`ssl` belongs in `pool`'],
    'a pool that is misspelt': [[{ url, pol: { max: 5 } }], '`pol` is unknown. Did you mean `pool`?'],
    'a limit in the first argument': [[{ url, queryTimeout: 5 }], '`queryTimeout` belongs in the second argument'],
    'names in the first argument': [
      [{ url, schema: 'auth', tables: { users: 'people' } }],
      '`tables` belongs in the second argument',
    ],
    'a limit that is misspelt': [[{ url }, { queryTimout: 5 }], 'Did you mean `queryTimeout`?'],
    'a limit in milliseconds': [[{ url }, { queryTimeout: 5000 }], 'is 5000; it must be a number of seconds'],
    'a limit that is a string': [[{ url }, { queryTimeout: '5s' }], '`queryTimeout` is "5s"; it must be'],
    'a pool in the second argument': [[{ url }, { pool: { max: 5 } }], '`pool` belongs in the first argument'],
    'a model that is misspelt': [[{ url }, { tables: { user: 'people' } }], 'Did you mean `tables.users`?'],
    'a column by a number': [[{ url }, { columns: { users: { email: 1 } } }], '`columns.users.email` is a number'],
    'options that are none': [[{ url }, 'auth'], 'The options are a string'],
    'a variable that is not set': [[{ url: undefined }], '`url` is undefined. Is the variable set that it comes from?'],
    'a variable that is empty': [[{ url: '' }], '`url` is an empty string. Is the variable set that it comes from?'],
    'a URL that is no string': [[{ url: new URL(url) }], '`url` is an instance of URL; it must be a string'],
    'the file of a variable that is not set': [[{ sqlite: undefined }], '`sqlite` is undefined.'],
    'a server and a file': [[{ url, sqlite: 'auth.db' }], 'either `url` or `sqlite`'],
    'a file with a pool': [[{ sqlite: 'auth.db', pool: {} }], '`pool` goes with `url`'],
    'parts of a URL': [[{ host: 'db', user: 'app' }], '`host` is a part of the URL'],
    'the option of another library': [[{ connectionString: url }], '`connectionString` is called `url` here'],
    'a URL by itself': [[url], 'a string. Give it as { url }, a file as { sqlite }'],
    nothing: [[], 'undefined'],
    'a promise of a database': [[Promise.resolve({ url })], 'Await it.'],
  }
  itRefuses(REFUSED, create)

  it('are accepted if they are right, also with members that are undefined', () => {
    expect(
      create([
        { url, pool: undefined },
        { schema: undefined, queryTimeout: undefined },
      ]),
    ).to.equal('accepted')
    expect(create([{ url: undefined, sqlite: 'auth.db' }])).to.equal('accepted')
    expect(create([{ url }, undefined])).to.equal('accepted')
    const names = { schema: 'auth', tables: { users: 'people' }, columns: { users: { image: false, name: 'n' } } }
    expect(create([databaseAt(url), { ...names, queryTimeout: Number.POSITIVE_INFINITY }])).to.equal('accepted')
  })

  it('are checked by migrations as well', async () => {
    const failure = await migrateToLatest({ url, schema: 'auth' } as never).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(AdapterError)
    expect((failure as Error).message).to.include('`schema` belongs in the second argument')
  })
})

describe('the arguments of redisAdapter()', () => {
  const url = 'redis://app:hunter2@h:1'
  const create = (given: readonly unknown[]) =>
    messageOf(() => (redisAdapter as (...given: unknown[]) => unknown)(...given), InvalidConfiguration)

  const REFUSED: Record<string, Case> = {
    'a prefix in the first argument, which would share the keys of another application': [
      [{ url, prefix: 'shop:' }],
      '`prefix` belongs in the second argument',
    ],
    'a limit in the first argument': [[{ url, commandTimeout: 5 }], '`commandTimeout` belongs in the second argument'],
    'a client that is misspelt': [[{ url, clinet: {} }], 'Did you mean `client`?'],
    'options of the client that stand one level too high': [[{ url, socket: {} }], '`socket` belongs in `client`'],
    'a prefix that is misspelt': [[{ url }, { prefx: 'shop:' }], 'Did you mean `prefix`?'],
    'a prefix that is misspelt, beside a client': [
      [{ get() {}, hGetAll() {}, sMembers() {}, eval() {}, evalSha() {} }, { prefx: 'shop:' }],
      'Did you mean `prefix`?',
    ],
    'a prefix by itself': [[{ url }, 'shop:'], 'The options are a string'],
    'a prefix that is a number': [[{ url }, { prefix: 5 }], '`prefix` is a number'],
    'a limit in milliseconds': [[{ url }, { commandTimeout: 5000 }], 'is 5000; it must be a number of seconds'],
    'a client in the second argument': [[{ url }, { client: {} }], '`client` belongs in the first argument'],
    'a variable that is not set': [[{ url: undefined }], '`url` is undefined. Is the variable set that it comes from?'],
    'a variable that is empty': [[{ url: '' }], '`url` is an empty string. Is the variable set that it comes from?'],
    'parts of a URL': [[{ host: 'h' }], '`host` is a part of the URL'],
    'a URL by itself': [[url], 'a string. Give it as { url }'],
    'a promise of a client': [[Promise.resolve({ url })], 'Await it.'],
    'nothing at all': [[{}], 'nothing says where the server is'],
    nothing: [[], 'undefined'],
  }
  itRefuses(REFUSED, create)

  it('are accepted if they are right, also with members that are undefined', () => {
    expect(
      create([
        { url, client: undefined },
        { prefix: undefined, commandTimeout: undefined },
      ]),
    ).to.equal('accepted')
    expect(
      create([
        { url, client: { name: 'shop' } },
        { prefix: 'shop:', commandTimeout: 2 },
      ]),
    ).to.equal('accepted')
  })
})
