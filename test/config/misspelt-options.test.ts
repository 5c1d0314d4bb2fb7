import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { OPTIONS } from '../../lib/config/option-shapes.js'
import { type AuthConfig, AuthError, InvalidConfiguration } from '../../lib/index.js'
import type { Shape } from '../../lib/kernel/shape.js'
import { anything } from '../../lib/kernel/shape.js'
import Nodemailer from '../../lib/providers/mail/nodemailer.js'
import { createLog, SECRET, testConfig } from '../support/app.js'

const resolve = (options: unknown) => resolveConfig(options as AuthConfig, { env: readEnv({}), now: Date.now })

/** What a configuration is refused with, whatever its type says. */
function refusal(options: unknown): AuthError {
  try {
    resolve(options)
  } catch (error) {
    if (error instanceof AuthError) return error
    throw error
  }
  throw new Error('accepted')
}

const refusalOf = (more: object) => refusal({ ...testConfig(), ...more }).message

/** The object that has one value at a path. */
const at = (path: readonly string[], value: unknown): object =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object

/** Every place in a table of shapes that has no members of its own, and every one that has. */
function places(shape: Shape, path: readonly string[] = []): { path: readonly string[]; shape: Shape }[] {
  const members = Object.entries(shape.members ?? {})
  return [{ path, shape }, ...members.flatMap(([name, member]) => places(member, [...path, name]))]
}

const everywhere = places(OPTIONS)
const leaves = everywhere.filter(({ shape, path }) => !shape.members && shape !== anything && path[0] !== 'adapter')
const objects = everywhere.filter(({ shape }) => shape.members)

describe('a misspelt option', () => {
  it('is refused with the name that is meant', () => {
    for (const [more, part] of [
      [{ callbacks: { signin: () => false } }, '`callbacks.signin` is unknown. Did you mean `callbacks.signIn`?'],
      [{ callbacks: { sign_in: () => false } }, 'Did you mean `callbacks.signIn`?'],
      [{ calbacks: {} }, '`calbacks` is unknown. Did you mean `callbacks`?'],
      [{ session: { maxage: 60 } }, 'Did you mean `session.maxAge`?'],
      [{ session: { stratgey: 'database' } }, 'Did you mean `session.strategy`?'],
      [{ trusthost: false }, 'Did you mean `trustHost`?'],
      [{ theme: { texts: { en: { 'signin.title': 'Hi' } } } }, 'Did you mean `theme.texts.en["signIn.title"]`?'],
      [{ theme: { languages: ['deutsch'] } }, '`theme.languages`'],
      [{ providers: [Nodemailer({ host: 'mail.example' } as never)] }, 'belongs into `server`: { host: … }'],
      [{ cookies: { session_token: {} } }, 'Did you mean `cookies.sessionToken`?'],
      [{ cookies: { sessionToken: { options: { samesite: 'lax' } } } }, 'cookies.sessionToken.options.sameSite`?'],
      [{ signIn: () => false }, 'Did you mean `callbacks.signIn` or `events.signIn` or `pages.signIn`?'],
      [{ maxAge: 60 }, 'Did you mean `session.maxAge` or `jwt.maxAge` or `actAs.maxAge` or `securityEvents.maxAge`?'],
      [
        { callbacks: { middleware: () => true } },
        'The known names are: signIn, signUp, redirect, jwt, refreshUser, session, authorized, confirmEmail.',
      ],
      [{ tenant: 'acme' }, "`tenant` is unknown. Data of the application's own goes into `custom`."],
    ] as const) {
      expect(refusalOf(more)).to.contain(part)
    }
  })

  for (const { path, shape } of objects) {
    const names = Object.keys(shape.members ?? {})
    it(`is refused in ${path.join('.') || 'the configuration'}, whichever it is`, () => {
      for (const name of names) {
        const wrong = name.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'))
        const message = refusalOf(at([...path, wrong], () => {}))
        expect(message, name).to.contain(`\`${[...path, wrong].join('.')}\` is unknown. Did you mean `)
      }
    })
  }

  it('is refused in an instance of a class, whose other members are its own', () => {
    class Callbacks {
      readonly database = 'of its own'
      signin() {
        return false
      }
    }
    expect(refusalOf({ callbacks: new Callbacks() })).to.match(/`callbacks` is an instance of Callbacks/)
    class Audit extends Callbacks {
      redirect = () => '/'
    }
    expect(refusalOf({ callbacks: new Audit() })).to.contain('Did you mean `callbacks.signIn`?')
    class Sound {
      readonly database = 'of its own'
      signIn() {
        return Boolean(this)
      }
    }
    resolve({ ...testConfig(), callbacks: new Sound() })
  })

  it('is refused in what an object inherits', () => {
    const shared = { secret: SECRET, callbaks: { signIn: () => false } }
    expect(refusal(Object.assign(Object.create(shared), testConfig())).message).to.contain('Did you mean `callbacks`?')
    expect(refusal({ providers: [], secret: SECRET, ...JSON.parse('{"__proto__": {"trustHost": true}}') }).message)
      .to //
      .contain('`__proto__` is unknown')
  })

  it('is not one where its value is undefined', () => {
    resolve({ ...testConfig(), callback: undefined, session: { strategy: undefined, maxage: undefined } })
  })
})

describe('a value of another type', () => {
  const wrongs = [Symbol('wrong'), null, [undefined], Promise.resolve(), new Map()]
  for (const { path, shape } of leaves) {
    it(`is refused at ${path.join('.')}`, () => {
      for (const wrong of wrongs) {
        if (shape.fits(wrong) && !shape.inside) continue
        expect(refusalOf(at(path, wrong)), String(shape.expected)).to.contain(`\`${path.join('.')}`)
      }
    })
  }
  for (const { path, shape } of objects.slice(1)) {
    it(`is refused at ${path.join('.')}`, () => {
      for (const wrong of [...wrongs, 'text', 1, true, () => {}, []]) {
        if (wrong === true && shape.fits(wrong)) continue
        expect(refusalOf(at(path, wrong))).to.contain(`\`${path.join('.')}\` is `)
      }
    })
  }

  it('is reported with its kind, the expected value and the fix', () => {
    for (const [more, part] of [
      [{ callbacks: { signIn: true } }, '`callbacks.signIn` is true; it must be a function.'],
      [
        { callbacks: { signIn: Promise.resolve() } },
        '`callbacks.signIn` is a promise; it must be a function. Await it.',
      ],
      [{ callbacks: { signIn: 'no' } }, '`callbacks.signIn` is a string; it must be a function.'],
      [
        { session: { strategy: 'jtw' } },
        '`session.strategy` is "jtw"; it must be "jwt" or "database". Did you mean "jwt"?',
      ],
      [{ session: { strategy: 'JWT' } }, 'Did you mean "jwt"?'],
      [{ storeTimeout: 5000 }, '`storeTimeout` is 5000; it must be a number of seconds'],
      [
        { storeTimeout: 5000 },
        'At most 600. It was given 5000 seconds, which is 1.4 hours. It is in seconds, not in milliseconds: 5 seconds are 5.',
      ],
      [{ session: { maxAge: '30d' } }, '`session.maxAge` is "30d"; it must be a number of seconds, at least 1.'],
      [
        { session: { maxAge: 1e13 } },
        '`session.maxAge` is 10000000000000; it must be a number of seconds, at least 1. At most',
      ],
      [
        { session: { tokenCacheSize: -1 } },
        '`session.tokenCacheSize` is -1; it must be a number, whole and at least 0.',
      ],
      [
        { trustHost: 'false' },
        '`trustHost` is a string; it must be a boolean, true or false. A variable of the environment is a string',
      ],
      [
        { theme: { colorScheme: 'drak' } },
        '`theme.colorScheme` is "drak"; it must be "auto" or "dark" or "light". Did you mean',
      ],
      [{ theme: 'dark' }, '`theme` is a string; it must be an object.'],
      [{ pages: { newUser: null } }, '`pages.newUser` is null; it must be a string. Leave it out, or write undefined.'],
      [{ adapter: null }, '`adapter` is null; it must be an object. Leave it out'],
      [{ adapter: Promise.resolve({}) }, '`adapter` is a promise; it must be an object. Await it.'],
      [{ adapter: { getUser: 'yes' } }, '`adapter.getUser` is a string; it must be a function.'],
      [{ providers: {} }, '`providers` is an object; it must be a list of providers.'],
      [{ url: new URL('https://app.example') }, '`url` is an instance of URL; it must be a string.'],
      [
        { skipCSRFCheck: true },
        '`skipCSRFCheck` is true; it must be the marker `skipCSRFCheck` that this package exports.',
      ],
      [{ raw: Symbol('return-type-raw') }, '`raw` is a symbol; it must be the marker `raw` that this package exports.'],
      [{ cookies: { state: { options: { expires: new Date(Number.NaN) } } } }, 'it must be a valid Date'],
    ] as const) {
      expect(refusalOf(more)).to.contain(part)
    }
  })

  it('is taken for a variable of the environment only where it is a word for yes or no', () => {
    const required = (given: string) => refusalOf({ secondFactor: { required: given } as never })
    for (const word of ['true', 'FALSE', 'on', '0', '']) expect(required(word), word).to.include('A variable of')
    expect(required('admin')).to.match(/^`secondFactor\.required` is a string; .*, or a function\.$/)
  })

  it('is reported without its value if the value may be secret', () => {
    for (const more of [
      { secret: 4815162342 },
      { secret: { current: 'marked-4815162342' } },
      { secret: ['marked-4815162342', 4815162342] },
      { jwt: { secret: Buffer.from('marked-4815162342') } },
      { url: 4815162342 },
      { session: { strategy: 'marked-4815162342 and more than a word' } },
    ]) {
      expect(refusalOf(more)).to.not.contain('4815162342')
    }
  })

  it('brings up no finding of what it would be if it were absent', () => {
    expect(refusalOf({ secret: 5 })).to.equal('`secret` is a number; it must be a string, or a list of strings.')
    expect(refusalOf({ session: { strategy: 'databse' }, adapter: { getUser: () => null } })).to.match(
      /^`session\.strategy` is "databse"/,
    )
  })

  it('stands in one error with everything else, names and providers too', () => {
    const { message } = refusal({
      providers: [undefined, { id: 'acme', type: 'oauth' }],
      secret: '',
      callbacks: { signin: () => false },
      session: { maxAge: '1' },
      basePath: 'auth',
    })
    for (const part of [
      '`callbacks.signin`',
      '`session.maxAge`',
      '`providers[0]`',
      'Provider "acme"',
      'There is no secret',
      '`basePath`',
    ]) {
      expect(message).to.contain(part)
    }
  })
})

describe('the configuration itself', () => {
  it('lists its providers, if only as none', () => {
    expect(refusal({ secret: SECRET }).message).to.match(/^`providers` is missing\. .*write providers: \[\]\.$/)
    expect(refusal({ secret: SECRET, Providers: [] }).message).to.equal(
      '`Providers` is unknown. Did you mean `providers`?',
    )
    expect(refusal({}).message).to.contain('`providers` is missing')
    resolve({ providers: [], secret: SECRET })
  })

  it('is an object, which is there', () => {
    for (const [wrong, part] of [
      [Promise.resolve(testConfig()), 'The configuration is a promise; it must be an object. Await it.'],
      [[testConfig()], 'The configuration is a list; it must be an object.'],
      [new Map(), 'The configuration is an instance of Map; it must be an object.'],
      [{ default: testConfig() }, '`default` is unknown'],
    ] as const) {
      const error = refusal(wrong)
      expect(error).to.be.instanceOf(InvalidConfiguration)
      expect(error.message).to.contain(part)
    }
  })

  it('may come from another realm, as in test runners', () => {
    const made = runInNewContext('({ providers: [], session: { maxAge: 60 }, custom: { seats: 1 } })')
    resolve({ ...made, secret: SECRET })
    resolve(Object.assign(made, { secret: SECRET }))
    expect(refusal(Object.assign(made, { secrets: [] })).message).to.contain('Did you mean `secret`?')
  })

  it("has a place for the application's own data", () => {
    resolve({ ...testConfig(), custom: { tenant: 'acme' } })
  })

  it('may have a logger with methods of its own, and an adapter with more than Auth.js has', () => {
    resolve({ ...testConfig(), logger: console })
    resolve({ ...testConfig(), logger: { ...createLog().logger, info: () => {}, trace: () => {} } })
    const adapter = { getSessions: () => [], getUsers: () => [], accountsOf: () => [] }
    resolve({ ...testConfig(), adapter, session: { strategy: 'jwt' } })
    for (const [name, meant] of [
      ['getuserByEmail', 'getUserByEmail'],
      ['deleteSessionByUserId', 'deleteSessionsByUserId'],
      ['updateUserr', 'updateUser'],
    ] as const) {
      expect(refusalOf({ adapter: { [name]: () => null }, session: { strategy: 'jwt' } })).to.contain(
        `\`adapter.${name}\` is unknown. Did you mean \`adapter.${meant}\`?`,
      )
    }
  })
})
