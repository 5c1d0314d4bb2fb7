import { expect } from 'chai'
import Credentials from '../../../lib/providers/credentials.js'
import { openTestApp } from '../../support/test-app.js'
import { claimsOf } from '../../support/tokens.js'

class Account {
  constructor(
    readonly id: unknown,
    readonly name = 'Ada',
  ) {}
}

/** A test app whose `authorize` gives the value that a test chooses. */
function testApp() {
  const given: { value: unknown } = { value: null }
  const { browser, log } = openTestApp({ providers: [Credentials({ authorize: (() => given.value) as never })] })
  const signIn = async (value: unknown) => {
    given.value = value
    const visitor = browser()
    const { status, location } = await visitor.signIn({})
    const token = visitor.jar.get('authjs.session-token')?.value
    const sub = token === undefined ? null : (await claimsOf(token)).sub
    const { searchParams } = new URL(location ?? '')
    return { status, error: searchParams.get('error'), sub }
  }
  return { signIn, log }
}

const NO_USERS: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  'an Error': [new Error('wrong password'), /gave an instance of Error/],
  'an Error with an id': [
    Object.assign(new TypeError('x'), { id: '1815', name: 'Ada' }),
    /gave an instance of TypeError/,
  ],
  'a Date': [new Date(), /gave an instance of Date/],
  'a Date with an id': [Object.assign(new Date(), { id: '1815' }), /gave an instance of Date/],
  'an array': [[{ id: '1815', name: 'Ada' }], /gave a list/],
  'an empty array': [[], /gave a list/],
  'a function': [Object.assign(() => null, { id: '1815' }), /gave a function/],
  'a text': ['1815', /gave a string/],
  'an empty text': ['', /gave an empty string/],
  'a number': [1815, /gave a number/],
  zero: [0, /gave a number/],
  NaN: [Number.NaN, /gave a number/],
  true: [true, /gave true/],
  'a symbol': [Symbol('ada'), /gave a symbol/],
  'a Response': [Response.json({ id: '1815' }), /gave an instance of Response/],
  'a Map': [new Map([['id', '1815']]), /gave an instance of Map/],
  'an answer that tells of an error': [{ error: 'wrong password' }, /neither id, name, email nor image/],
  'the result of a query': [{ command: 'SELECT', rowCount: 1, rows: [{ id: '1815' }] }, /neither id, name, email/],
  'an object without members': [{}, /neither id, name, email nor image/],
}

const NO_IDS: Readonly<Record<string, unknown>> = {
  "'null'": 'null',
  "'undefined'": 'undefined',
  "'NaN'": 'NaN',
  "'Infinity'": 'Infinity',
  "'[object Object]'": '[object Object]',
  "'[object Promise]'": '[object Promise]',
  'an empty text': '',
  blanks: ' \t\u00a0',
  'null with blanks': ' null ',
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  'a number that was rounded': 2 ** 53,
  'a fraction': 1.5,
  true: true,
  false: false,
  '{}': {},
  '[]': [],
  "['1815']": ['1815'],
  'an object that has a text': { toString: () => '1815' },
  'a Date': new Date(),
  'a function': () => '1815',
  'a symbol': Symbol('1815'),
  'a promise': Promise.resolve('1815'),
}

describe('authorize', () => {
  it('signs nobody in with a value that is no user, and logs this as a fault of the application (WEB-06)', async () => {
    const { signIn, log } = testApp()
    for (const [what, [value, says]] of Object.entries(NO_USERS)) {
      log.errors.length = 0
      expect(await signIn(value), what).to.deep.equal({ status: 302, error: 'Configuration', sub: null })
      expect(log.errors.map(({ name }) => name)).to.deep.equal(['CallbackRouteError'])
      expect(log.errors[0]?.message, what).to.match(says)
    }
  })

  it('signs nobody in under an id that everybody could have', async () => {
    const { signIn, log } = testApp()
    for (const [what, id] of Object.entries(NO_IDS)) {
      log.errors.length = 0
      expect(await signIn({ id, name: 'Ada' }), what).to.deep.equal({ status: 302, error: 'Configuration', sub: null })
      expect(log.errors[0]?.message, what).to.match(/gave a user whose id is /)
      expect(log.errors[0]?.message, 'the value stays out of the log').to.not.include('1815')
    }
  })

  it('refuses a sign-in by null, undefined or false, and by nothing else', async () => {
    const { signIn } = testApp()
    for (const value of [null, undefined, false]) {
      expect(await signIn(value)).to.deep.equal({ status: 302, error: 'CredentialsSignin', sub: null })
    }
  })

  it('gives a user the id as text, or a new id if the user has none (wire contract 7.4)', async () => {
    const { signIn } = testApp()
    for (const [id, sub] of [
      ['1815', '1815'],
      [1815, '1815'],
      [0, '0'],
      [-7, '-7'],
      [2n ** 63n, '9223372036854775808'],
      ['Null', 'Null'],
    ] as const) {
      expect((await signIn({ id, name: 'Ada' })).sub).to.equal(sub)
    }
    expect((await signIn(new Account('1815'))).sub, 'an object of a class').to.equal('1815')
    for (const user of [{ name: 'Ada' }, { id: null, name: 'Ada' }, { id: undefined, email: 'ada@example.com' }]) {
      expect((await signIn(user)).sub).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    }
  })
})
