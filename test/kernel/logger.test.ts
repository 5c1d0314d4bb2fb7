import { expect } from 'chai'
import { resolveConfig } from '../../lib/compose.js'
import {
  AccessDenied,
  AdapterError,
  AuthError,
  CallbackRouteError,
  CredentialsSignin,
  EmailSignInError,
  InvalidConfiguration,
  JWTSessionError,
  MissingSecretError,
  SessionTokenError,
  UntrustedHost,
} from '../../lib/kernel/errors.js'
import { completeLogger, type Log, type LogContext, type LoggerInstance } from '../../lib/kernel/logger.js'
import { testConfig } from '../support/app.js'
import { written } from '../support/console.js'

const EACH = { logging: { repeatInterval: 0 } }
const logger = (custom?: Partial<LoggerInstance>, debug = false) => completeLogger(custom, debug, EACH)

describe('config.logger', () => {
  const reportAll = ({ error, warn, debug }: Log) => {
    error(new SessionTokenError('no'))
    error(new AccessDenied('no'))
    warn('weak-secret', { bytes: 3, fix: 'Make a good one.' })
    debug('details', { at: 'all' })
  }

  it('is the console by default, with debug lines only where debug is set', async () => {
    const silent = [
      'info: [latchkey][info] AccessDenied: no',
      'warn: [latchkey][warn] A secret has fewer than 32 bytes, or is one character repeated. Make a good one. (weak-secret) {"bytes":3}',
    ]
    const [fault, ...rest] = await written(() => reportAll(logger()))
    expect(fault).to.match(/^error: \[latchkey\]\[error\] SessionTokenError: no\n {6}at /)
    expect(rest).to.deep.equal(silent)
    const [, ...all] = await written(() => reportAll(logger(undefined, true)))
    expect(all).to.deep.equal([...silent, 'debug: [latchkey][debug] details {"at":"all"}'])
  })

  it('writes the time before each line, as ISO 8601 has it', () => {
    const { info } = console
    let line = ''
    console.info = (text: string) => {
      line = text
    }
    try {
      logger().error(new AccessDenied('no'))
    } finally {
      console.info = info
    }
    expect(Math.abs(Date.parse(line.split(' ', 1)[0] ?? '') - Date.now())).to.be.lessThan(5000)
  })

  it('is replaced member by member, and decides on debug lines itself', async () => {
    const logged: string[] = []
    const lines = await written(() => reportAll(logger({ debug: (message) => logged.push(message) })))
    expect([logged, lines.map((line) => line.split(':', 1)[0])]).to.deep.equal([['details'], ['error', 'info', 'warn']])
  })

  it('that throws, or fails later, changes nothing, and that is logged', async () => {
    const broken = () => {
      throw new Error('disk full')
    }
    const failing = async () => {
      throw new Error('queue full')
    }
    for (const work of [broken, failing]) {
      const custom = { error: work, warn: work, info: work, debug: work }
      const lines = await written(async () => {
        reportAll(logger(custom))
        await new Promise((resolve) => setImmediate(resolve))
      })
      const [faults, originals] = [/(disk|queue) full/, /Error: no|AccessDenied: no|weak-secret/].map((pattern) =>
        lines.filter((line) => pattern.test(line)),
      )
      expect(faults, 'what the logger threw').to.have.length(4)
      expect(originals, 'what it did not tell').to.have.length(3)
    }
  })

  it('that throws anything hides nothing', async () => {
    const hostile = new Proxy(new Error('hidden'), {
      get() {
        throw new Error('trap')
      },
    })
    const thrower = (thrown: unknown) => () => {
      throw thrown
    }
    for (const error of [thrower(hostile), thrower(undefined), thrower('text')]) {
      const lines = await written(() => logger({ error }).error(new SessionTokenError('no')))
      expect(lines.filter((line) => /SessionTokenError: no/.test(line))).to.have.length(1)
      expect(lines).to.have.length(2)
    }
  })

  it('that throws while the console throws as well changes nothing either', async () => {
    const broken = () => {
      throw new Error('disk full')
    }
    const { error, warn, info, debug } = console
    Object.assign(console, { error: broken, warn: broken, info: broken, debug: broken })
    try {
      for (const custom of [undefined, { error: broken, warn: broken, info: broken, debug: broken }]) {
        reportAll(completeLogger(custom, true, { logging: { repeatInterval: 0.01 } }))
        reportAll(completeLogger(custom, true, { logging: { repeatInterval: 0.01 } }))
      }
      // What is summed up is written by a timer, where a throw would end the process.
      await new Promise((resolve) => setTimeout(resolve, 30))
    } finally {
      Object.assign(console, { error, warn, info, debug })
    }
  })

  it('that returns a promise of another library, which fails, is logged', async () => {
    const failing = () => ({
      // biome-ignore lint/suspicious/noThenProperty: such promises have no other mark
      then: (_done: unknown, failed: (error: Error) => void) => failed(new Error('queue full')),
    })
    const lines = await written(async () => {
      logger({ error: failing }).error(new SessionTokenError('no'))
      await new Promise((resolve) => setImmediate(resolve))
    })
    expect(lines).to.have.length(2)
    expect(lines[0]).to.match(/^error: .*queue full/)
    expect(lines[1]).to.match(/^error: .*SessionTokenError: no/)
  })

  it('whose members cannot be read changes nothing', async () => {
    const custom = {
      get error(): never {
        throw new Error('closed')
      },
      get debug(): never {
        throw new Error('closed')
      },
    }
    const lines = await written(() => reportAll(logger(custom)))
    expect(lines.filter((line) => /^error: .*closed/.test(line))).to.have.length(2)
    expect(lines.filter((line) => /SessionTokenError: no|details/.test(line))).to.have.length(1)
  })

  it('gets an error whose members are no texts, such as members of parsed answers', async () => {
    const odd = [
      Object.assign(new Error('x'), { message: { detail: 'odd' } }),
      Object.assign(new Error('x'), { message: undefined, name: Symbol('odd'), stack: 7 }),
      Object.defineProperty(new Error('x'), 'message', { get: () => broken() }),
      Object.defineProperty(new Error('x'), 'cause', { get: () => broken() }),
    ]
    const broken = () => {
      throw new Error('no access')
    }
    for (const fault of odd) {
      const logged: unknown[] = []
      completeLogger({ error: (error) => logged.push(error) }, false, EACH).error(fault)
      expect(logged).to.deep.equal([fault])
      const lines = await written(() => {
        logger().error(new AuthError('around it', { err: fault }))
        logger().error(fault)
        logger().warn('unused-option', fault)
      })
      expect(lines).to.have.length(3)
      expect(lines[0]).to.match(/^error: .*AuthError: around it/)
    }
  })

  it('that was made for Auth.js gets faults with one argument, warnings with two, and no visitor’s mistakes', async () => {
    const logged: unknown[][] = []
    const authjs = {
      error: (...args: unknown[]) => logged.push(args),
      warn: (...args: unknown[]) => logged.push(args),
      debug: (...args: unknown[]) => logged.push(args),
    }
    const fault = new SessionTokenError('no')
    const lines = await written(() => {
      const { error, warn } = logger(authjs)
      error(fault)
      warn('csrf-disabled')
      error(new AccessDenied('no'))
    })
    expect(logged).to.deep.equal([[fault], ['csrf-disabled']])
    expect(lines).to.deep.equal(['info: [latchkey][info] AccessDenied: no'])
  })

  it('is shown a fault with its causes, a line each, and the stack of the first of them', async () => {
    const first = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' })
    const fault = new AuthError('It broke.', { err: new SessionTokenError('Could not read.', { err: first }) })
    const [text = ''] = await written(() => logger().error(fault))
    const [line, ...below] = text.split('\n')
    expect(line).to.equal('error: [latchkey][error] AuthError: It broke.')
    expect(below.slice(0, 2)).to.deep.equal([
      '    caused by SessionTokenError: Could not read.',
      '    caused by Error: connect failed (ECONNREFUSED)',
    ])
    expect(below.slice(2).length).to.be.within(1, 10)
    for (const frame of below.slice(2)) expect(frame).to.match(/^ {6}at /)
  })

  it('is shown the stack of a fault once, and how often it happened after that', async () => {
    const { error } = completeLogger(undefined, false, { logging: { repeatInterval: 0.02 } })
    const lines = await written(async () => {
      for (let count = 0; count < 3; count += 1) error(new AuthError('It broke.', { err: new Error('once more') }))
      await new Promise((resolve) => setTimeout(resolve, 35))
    })
    expect(lines).to.have.length(2)
    expect(lines[1]).to.equal(
      'error: [latchkey][error] AuthError: It broke. repeated=2\n    caused by Error: once more',
    )
  })

  it('makes debug count for nothing, so there is no warning of it then', async () => {
    const { logger: _, ...config } = testConfig({ debug: true })
    expect((await written(() => resolveConfig(config))).map((line) => line.slice(0, 25))).to.deep.equal([
      'warn: [latchkey][warn] de',
    ])
    expect(await written(() => resolveConfig(testConfig({ debug: true })))).to.deep.equal([])
  })
})

describe('the level of a line', () => {
  const levelOf = (error: Error): string => {
    let level = ''
    const note = (name: string) => () => {
      level = name
    }
    logger({ error: note('error'), info: note('info') }).error(error)
    return level
  }
  const thrown = new Error('the directory is down')

  it('is info for what a visitor did, and error for everything else', () => {
    expect(levelOf(new CredentialsSignin('nobody'))).to.equal('info')
    expect(levelOf(new SessionTokenError('no'))).to.equal('error')
    expect(levelOf(thrown)).to.equal('error')
    expect(levelOf(new AuthError('Something threw.', { err: thrown }))).to.equal('error')
  })

  it('is error for a refusal behind which something threw', () => {
    expect(levelOf(new AccessDenied('The signIn callback refused.'))).to.equal('info')
    expect(levelOf(new AccessDenied('down', { err: thrown }))).to.equal('error')
    expect(levelOf(new EmailSignInError('no address'))).to.equal('info')
    expect(levelOf(new EmailSignInError('not sent', { err: thrown }))).to.equal('error')
    expect(levelOf(new EmailSignInError('not taken', { err: thrown, isFault: false }))).to.equal('info')
    expect(levelOf(new CallbackRouteError('no user'))).to.equal('error')
  })

  it('is info for kinds of refusal that an application makes, too, in one line', async () => {
    class Locked extends CredentialsSignin {
      override code = 'locked'
    }
    expect(await written(() => logger().error(new Locked('too many tries')))).to.deep.equal([
      'info: [latchkey][info] CredentialsSignin: too many tries (locked)',
    ])
  })

  it('is error for every kind of fault of the set-up', () => {
    const ofTheSetUp = [InvalidConfiguration, MissingSecretError, UntrustedHost, AdapterError, JWTSessionError]
    for (const { rule } of ofTheSetUp) expect(rule).to.not.have.property('by')
  })
})

describe('a line of the console', () => {
  const FORGED = '\r\n2026-01-01T00:00:00.000Z [latchkey][error] forged \u001b[2J\u2028\u202e\u009b1m'

  it('cannot be forged by what an error says, nor by what caused it (CWE-117)', async () => {
    const cause = new Error(`cause${FORGED}\n    at forged`)
    cause.name = `Odd${FORGED}`
    const fault = new AuthError(`message${FORGED}`, { err: cause })
    const [text = ''] = await written(() => logger().error(fault))
    expect(text, 'a frame').to.not.match(/^\s+at forged/m)
    for (const line of text.split('\n').slice(1)) expect(line).to.match(/^ {4}(caused by| {2}at) /)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(text).to.not.match(/[\r\u001b\u009b\u2028\u202e]/)
  })

  it('has no frames but those of the stack', async () => {
    const fault = new AuthError('message', { err: new Error('cause\n    at forged (/srv/app.js:1:1)') })
    const [text = ''] = await written(() => logger().error(fault))
    expect(text).to.match(/^ {6}at /m)
    expect(text).to.not.match(/^ {6}at forged/m)
  })

  it('shows what has no width, and changes how others are read', async () => {
    const hidden = [
      '\u00ad',
      '\u200b',
      '\u200d',
      '\u2060',
      '\u206e',
      '\ufeff',
      '\ufff9',
      '\u{e0041}',
      '\u0085',
      '\u2029',
      '\u034f',
      '\u115f',
      '\u1160',
      '\u180e',
      '\u3164',
      '\ufe0f',
      '\uffa0',
      '\u{e0100}',
    ]
    const [line = ''] = await written(() => logger().error(new AccessDenied(hidden.join('a'))))
    expect(line).to.not.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
    expect(line).to.include('\\u200b')
  })

  it('cannot be forged by data, nor by a visitor’s mistake', async () => {
    const lines = await written(() => {
      logger().warn('cross-site-post', { sender: FORGED, fix: `Do this.${FORGED}` })
      logger(undefined, true).debug(`message${FORGED}`, FORGED)
      logger().error(new AccessDenied(FORGED))
    })
    expect(lines).to.have.length(3)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    for (const line of lines) expect(line).to.not.match(/[\r\n\u001b\u009b\u2028\u202e]/)
  })

  it('cannot be forged by what a request says, and has an end', async () => {
    const { error } = completeLogger(undefined, false, { logging: { ...EACH.logging, requestId: 'x-request-id' } })
    const hostile = {
      method: `GET${FORGED}`,
      originalUrl: `/a b${FORGED}/x=y/${'z'.repeat(9000)}?token=secret`,
      headers: { 'x-request-id': `1 path=/admin${FORGED}${'i'.repeat(9000)}` },
    }
    const [text = ''] = await written(() => error(new AccessDenied('no'), hostile))
    expect(text).to.match(
      /^info: \[latchkey\]\[info\] AccessDenied: no method=\? path=\S+ requestId=1\?path=\/admin\S+$/,
    )
    expect(text.length).to.be.lessThan(500)
    expect(text).to.not.contain('secret')
  })

  it('is written for data that JSON cannot hold, and for an error that is its own cause', async () => {
    const ring: { self?: unknown } = {}
    ring.self = ring
    const loop = new Error('loop')
    loop.cause = loop
    const lines = await written(() => {
      logger().warn('unused-option', ring)
      logger().warn('unused-option', { size: 1n })
      logger().error(loop)
      logger().error(new AuthError('x'.repeat(100_000)))
    })
    expect(lines).to.have.length(4)
    expect(lines.at(-1)?.split('\n')[0]?.length).to.be.lessThan(1100)
  })
})

describe('what a logger of the application gets of a request', () => {
  const contextOf = (request: object, logging: object = {}): LogContext | undefined => {
    const logged: (LogContext | undefined)[] = []
    const { error } = completeLogger({ info: (_error, context) => logged.push(context) }, false, {
      logging: { repeatInterval: 0, ...logging },
    })
    error(new AccessDenied('no'), request)
    return logged[0]
  }

  it('is method and path, of Node requests and of web requests', () => {
    expect(contextOf({ method: 'GET', url: '/inside', originalUrl: '/t/a/inside?token=secret' })).to.deep.equal({
      method: 'GET',
      path: '/t/a/inside',
    })
    const web = new Request('https://app.example/auth/signin?token=secret', { method: 'POST' })
    expect(contextOf(web)).to.deep.equal({ method: 'POST', path: '/auth/signin' })
  })

  it('has no part of a path that may be secret, or name somebody', () => {
    const paths: Record<string, string> = {
      '/': '/',
      '': '/',
      '*': '*',
      '/auth/callback/microsoft-entra-id': '/auth/callback/microsoft-entra-id',
      '/auth/webauthn-options/passkey': '/auth/webauthn-options/passkey',
      '/invite/V1StGXR8_Z5jdHi6B-myT': '/invite/*',
      '/reset/0123456789abcdef0123456789abcdef/form': '/reset/*/form',
      '/verify/482913': '/verify/*',
      '/users/ada@example.com': '/users/*',
      '/users/ada%40example.com': '/users/*',
      '/a;jsessionid=B92': '/*',
      'http://ada:secret@app.example/inside': '/inside',
      '//evil.example/x': '//evil.example/x',
    }
    for (const [target, path] of Object.entries(paths)) {
      expect(contextOf({ method: 'GET', url: target })?.path, target).to.equal(path)
    }
  })

  it('has no beginning of a part that may be secret, where a long path is cut', () => {
    for (const length of [180, 190, 199, 200, 201]) {
      const path = contextOf({
        method: 'GET',
        url: `${'/a'.repeat(length / 2)}/SECRETtokenSECRETtokenSECRETtoken`,
      })?.path
      expect(path).to.match(/^[/a*]{1,200}$/)
    }
  })

  it('has no id that is a secret of the request', () => {
    const session = 's3cr3t-session-token-of-ada'
    const headers = {
      cookie: `theme=dark; authjs.session-token=${session}; other="quoted-secret-value-0123"`,
      authorization: 'Bearer abcdefghijklmnopqrstuvwxyz',
      'x-request-id': 'id-of-16-letters',
    }
    const web = new Request('https://app.example/', { headers: { authorization: headers.authorization } })
    const secrets = [
      headers.cookie,
      session,
      `id:${session}`,
      session.slice(3),
      headers.authorization,
      'abcdefghijklmnopqrstuvwxyz',
    ]
    for (const secret of [...secrets, 'quoted-secret-value-0123']) {
      expect(contextOf({ url: '/', headers }, { requestId: () => secret })?.requestId, secret).to.equal('*')
    }
    expect(contextOf(web, { requestId: () => headers.authorization })?.requestId).to.equal('*')
    // What a visitor can write into a cookie hides no id that is made here.
    const hostile = { url: '/', headers: { cookie: 'a=; b=-; c=1; d=id' } }
    for (const id of ['id-1', '1', 'e3b0c442-98fc-4c14-9afb-f4c8996fb924']) {
      expect(contextOf(hostile, { requestId: () => id })?.requestId).to.equal(id)
    }
    expect(contextOf({ url: '/', headers }, { requestId: 'X-Request-Id' })?.requestId).to.equal('id-of-16-letters')
  })

  it('has the id that the application gives the request, by a function or a header, as one short word', () => {
    const node = { method: 'GET', url: '/', id: 7, headers: { 'x-request-id': ['r-1', 'r-2'] } }
    expect(contextOf(node, { requestId: ({ id }: { id: unknown }) => id })?.requestId).to.equal('7')
    expect(contextOf(node, { requestId: 'X-Request-Id' })?.requestId).to.equal('r-1')
    const web = new Request('https://app.example/', { headers: { 'x-request-id': 'r-3' } })
    expect(contextOf(web, { requestId: 'X-Request-Id' })?.requestId).to.equal('r-3')
    for (const requestId of [
      () => undefined,
      () => '',
      () => ({ secret: 'x' }),
      async () => 'late',
      () => Promise.reject(new Error('no id, later')),
      () => {
        throw new Error('no id')
      },
      'x-other',
    ]) {
      expect(contextOf(node, { requestId })).to.deep.equal({ method: 'GET', path: '/' })
    }
  })

  it('has the network that it came from, if that is wanted, and never the address', () => {
    const from = (address: string | undefined) => ({ method: 'GET', url: '/', ip: address })
    const networks: Record<string, string> = {
      '203.0.113.77': '203.0.113.0/24',
      '::ffff:203.0.113.77': '203.0.113.0/24',
      '2001:db8:7:1:2:3:4:5': '2001:db8:7::/48',
      '2001:db8::1': '2001:db8::/48',
      '::1': '::/48',
      'fe80::1%eth0': 'fe80::/48',
      '2001:0db8:0000:0001::': '2001:db8::/48',
      '64:ff9b::203.0.113.77': '64:ff9b::/48',
      '0:0:7::1': '0:0:7::/48',
    }
    for (const [address, network] of Object.entries(networks)) {
      expect(contextOf(from(address), { network: true })?.network, address).to.equal(network)
      expect(contextOf(from(address))).to.not.have.property('network')
    }
    expect(contextOf(from('ada@example.com'), { network: true })).to.not.have.property('network')
    expect(contextOf({ method: 'GET', url: '/', socket: { remoteAddress: '192.0.2.9' } }, { network: true })?.network)
      .to //
      .equal('192.0.2.0/24')
    const read = () => '198.51.100.4'
    expect(contextOf(from(undefined), { network: read })?.network).to.equal('198.51.100.0/24')
    const thrower = () => {
      throw new Error('no address')
    }
    expect(contextOf(from('192.0.2.9'), { network: thrower })).to.not.have.property('network')
  })

  it('is left out where the request cannot be read, and the line is written', () => {
    const broken = () => {
      throw new Error('trust proxy')
    }
    const unreadable: Record<string, object> = {
      ip: Object.defineProperty({ method: 'GET', url: '/' }, 'ip', { get: broken }),
      url: { method: 'GET', originalUrl: { pathname: '/' } },
      headers: Object.defineProperty({ method: 'GET', url: '/' }, 'headers', { get: broken }),
    }
    for (const request of Object.values(unreadable)) {
      const logged: unknown[] = []
      const { error } = completeLogger({ info: (fault) => logged.push(fault) }, false, {
        logging: { repeatInterval: 0, network: true, requestId: 'x-request-id' },
      })
      error(new AccessDenied('no'), request)
      expect(logged).to.have.length(1)
    }
  })

  it('has no id where the function for it gives a promise, an object or nothing, or throws', async () => {
    const readers = [
      () => Promise.reject(new Error('later')),
      () => new Promise(() => {}),
      // biome-ignore lint/suspicious/noThenProperty: such promises have no other mark
      () => ({ then: (_done: unknown, failed: (error: Error) => void) => failed(new Error('later')) }),
      () => ({ toString: () => 'secret' }),
      () => Symbol('id'),
      () => null,
      () => {
        throw new Error('now')
      },
    ]
    for (const requestId of readers) {
      expect(contextOf({ method: 'GET', url: '/' }, { requestId })).to.deep.equal({ method: 'GET', path: '/' })
    }
    await new Promise((resolve) => setImmediate(resolve))
  })

  it('is not read for debug lines that nobody gets', () => {
    let asked = 0
    const requestId = () => {
      asked += 1
    }
    const { debug } = completeLogger({}, false, { logging: { requestId } })
    debug('details', undefined, { method: 'GET', url: '/' })
    expect(asked).to.equal(0)
  })

  it('is nothing outside of a request', () => {
    const logged: unknown[][] = []
    logger({ error: (...args) => logged.push(args) }).error(new SessionTokenError('no'))
    expect(logged[0]).to.have.length(1)
  })
})
