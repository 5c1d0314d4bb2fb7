import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { AdapterError, AuthError, CredentialsSignin, SessionTokenError, SignOutError } from '../../lib/kernel/errors.js'
import { completeLogger, type LogContext, noteSubject } from '../../lib/kernel/logger.js'
import { createRepeats, type RepeatLimits } from '../../lib/kernel/repeats.js'

const INTERVAL = 0.05
const OVER_MS = 75

interface Logged {
  readonly error: Error
  readonly context: LogContext | undefined
}

function recorded(scope = '') {
  const logged: Logged[] = []
  const note = (error: Error, context?: LogContext) => void logged.push({ error, context })
  const custom = {
    error: note,
    info: note,
    warn: (code: string, _data: unknown, context?: LogContext) => note(new Error(code), context),
  }
  const logger = completeLogger(custom, false, { logging: { repeatInterval: INTERVAL }, scope })
  return { logged, custom, logger }
}

const storeDown = (port = 5432) =>
  new SessionTokenError('Could not read a stored session.', {
    err: new AdapterError(`getSessionAndUser: connect ECONNREFUSED 127.0.0.1:${port}`, {
      err: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    }),
  })

describe('a fault that happens again', () => {
  it('is logged at once the first time, and then once for each interval, with its count', async () => {
    const { logged, logger } = recorded()
    for (let count = 0; count < 1000; count += 1) logger.error(storeDown(count))
    expect(logged).to.have.length(1)
    expect(logged[0]?.context?.repeated).to.equal(undefined)
    await wait(OVER_MS)
    expect(logged.map(({ context }) => context?.repeated)).to.deep.equal([undefined, 999])
    logger.error(storeDown())
    await wait(OVER_MS)
    expect(logged.reduce((sum, { context }) => sum + (context?.repeated ?? 1), 0)).to.equal(1001)
  })

  it('is logged at once again after an interval without it', async () => {
    const { logged, logger } = recorded()
    logger.error(storeDown())
    await wait(OVER_MS)
    logger.error(storeDown())
    expect(logged.map(({ context }) => context?.repeated)).to.deep.equal([undefined, undefined])
  })

  it('hides no warning of another provider, or about another member', () => {
    const { logged, logger } = recorded()
    for (const provider of ['acme', 'board', 'acme'])
      for (const member of ['name', 'email']) {
        logger.warn('unusable-member', { provider, member, reason: 'it is a list, not a text' })
        logger.warn('userinfo-not-read', { provider, reason: 'The answer was of somebody else.' })
        logger.warn('scope-without-openid', { provider })
      }
    expect(logged.map(({ error }) => error.message).sort()).to.deep.equal([
      ...Array(2).fill('scope-without-openid'),
      ...Array(4).fill('unusable-member'),
      ...Array(2).fill('userinfo-not-read'),
    ])
  })

  it('hides no other error: type, cause, code and provider distinguish them', async () => {
    const { logged, logger } = recorded()
    const others = [
      storeDown(),
      new SignOutError('x', { err: storeDown() }),
      new SessionTokenError('Could not read a stored session.', {
        err: Object.assign(new Error('no such table'), { code: '42P01' }),
      }),
      new AuthError('The signIn event handler threw.', { err: new Error('one') }),
      new AuthError('The signIn event handler threw.', { err: new Error('other') }),
    ]
    for (let round = 0; round < 20; round += 1) for (const error of others) logger.error(error)
    const request = { method: 'GET', url: '/' }
    noteSubject(request, 'callback', 'acme')
    logger.error(storeDown(), request)
    expect(logged).to.have.length(others.length + 1)
  })

  it('says in which request it happened last', async () => {
    const { logged, logger } = recorded()
    for (const path of ['/one', '/two', '/three']) {
      logger.error(storeDown(), { method: 'GET', url: path })
    }
    await wait(OVER_MS)
    expect(logged.map(({ context }) => context)).to.deep.equal([
      { method: 'GET', path: '/one' },
      { method: 'GET', path: '/three', repeated: 2 },
    ])
  })

  it('is distinguished from that of another tenant, and logged once for configurations that are made again', () => {
    const { logged, custom, logger } = recorded('a')
    const of = (scope: string) => completeLogger(custom, false, { logging: { repeatInterval: INTERVAL }, scope })
    logger.error(storeDown())
    of('a').error(storeDown())
    expect(logged).to.have.length(1)
    of('b').error(storeDown())
    expect(logged).to.have.length(2)
  })

  it('is distinguished from that of another store', () => {
    const { logged, custom } = recorded()
    const stores = [{}, {}]
    for (let round = 0; round < 3; round += 1) {
      for (const store of stores) completeLogger(custom, false, { store }).error(storeDown())
    }
    expect(logged).to.have.length(2)
  })

  it('is summed up for stores that are made anew, as for each request', async () => {
    const { logged, custom } = recorded()
    const again = () => completeLogger(custom, false, { logging: { repeatInterval: INTERVAL }, store: {} })
    for (let round = 0; round < 1000; round += 1) again().error(storeDown())
    expect(logged.length).to.be.lessThan(150)
    await wait(OVER_MS)
    const before = logged.length
    expect(logged.reduce((sum, { context }) => sum + (context?.repeated ?? 1), 0)).to.equal(1000)
    for (let round = 0; round < 1000; round += 1) again().error(storeDown())
    expect(logged.length - before).to.be.at.most(1)
  })

  it('leaves few timers behind, however many stores there are', async () => {
    const { custom } = recorded()
    const before = setTimeout
    let timers = 0
    globalThis.setTimeout = ((...given: Parameters<typeof before>) => {
      timers += 1
      return before(...given)
    }) as typeof before
    try {
      for (let round = 0; round < 1000; round += 1) {
        completeLogger(custom, false, { logging: { repeatInterval: INTERVAL }, store: {} }).error(storeDown())
      }
    } finally {
      globalThis.setTimeout = before
    }
    expect(timers).to.be.lessThan(150)
  })

  it('is summed up outside every request: the logger sees no asynchronous storage of the application', async () => {
    const application = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const custom = { error: () => void seen.push(application.getStore()) }
    const logger = completeLogger(custom, false, { logging: { repeatInterval: INTERVAL } })
    for (const name of ['first', 'second', 'third']) {
      application.run(name, () => logger.error(storeDown(), { method: 'GET', url: '/' }))
    }
    await wait(OVER_MS)
    expect(seen).to.deep.equal(['first', undefined])
  })

  it('is summed up where it is a warning, too', async () => {
    const { logged, logger } = recorded()
    for (let count = 0; count < 5; count += 1) logger.warn('cross-site-post', { sender: 'https://evil.example' })
    await wait(OVER_MS)
    expect(logged.map(({ context }) => context?.repeated)).to.deep.equal([undefined, 4])
  })

  it('is logged each time with repeatInterval: 0', () => {
    const logged: Error[] = []
    const custom = { error: (error: Error) => logged.push(error) }
    const { error } = completeLogger(custom, false, { logging: { repeatInterval: 0 } })
    for (let count = 0; count < 5; count += 1) error(storeDown())
    expect(logged).to.have.length(5)
  })
})

describe('a flood of what visitors send', () => {
  const letters = (count: number) => [...`${count}`].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  const rare = () => new SessionTokenError('Could not read a stored session.', { err: new Error('checksum is wrong') })

  it('hides no fault: it does not distinguish warnings', () => {
    const { logged, logger } = recorded()
    for (let count = 0; count < 600; count += 1) {
      const sender = `https://${letters(count)}.example`
      logger.warn('cross-site-post', { publicOrigin: sender, sender })
      logger.warn('redirect-refused', { reason: sender })
      logger.warn('mount-basepath-mismatch', { mounted: sender, expected: '/auth' })
      logger.warn('session-without-user', sender)
    }
    expect(logged).to.have.length(4)
    logger.error(storeDown())
    logger.error(rare())
    expect(logged.slice(4).map(({ error }) => error.name)).to.deep.equal(['SessionTokenError', 'SessionTokenError'])
  })

  it('hides no fault though messages repeat it: those of one place are counted together', async () => {
    const { logged, logger } = recorded()
    const search = (name: string) => new AuthError('authorize() threw.', { err: new Error(`bad filter ${name}`) })
    for (let count = 0; count < 600; count += 1) logger.error(search(letters(count)))
    expect(logged.length).to.be.lessThan(30)
    const before = logged.length
    // Of the same types, and thrown elsewhere.
    logger.error(new AuthError('authorize() threw.', { err: new Error('certificate has expired') }))
    logger.error(rare())
    expect(logged.slice(before)).to.have.length(2)
    await wait(OVER_MS)
    expect(logged.reduce((sum, { context }) => sum + (context?.repeated ?? 1), 0)).to.equal(602)
  })

  it('hides no fault although visitors choose names, codes and frames: each is logged', () => {
    const { logged, logger } = recorded()
    for (let count = 0; count < 600; count += 1) {
      const code = letters(count)
      const error = Object.assign(new Error(`x\n    at ${code}`), { code, name: code })
      error.stack = `${code}: x\n    at ${code}`
      logger.error(error)
    }
    logger.error(rare())
    expect(logged).to.have.length(601)
    expect(logged.at(-1)?.error).to.be.instanceOf(SessionTokenError)
  })

  it('hides no fault by addresses in messages: they are one', () => {
    const { logged, logger } = recorded()
    for (let count = 0; count < 100; count += 1) {
      logger.error(new AuthError(`only the request says that https://${letters(count)}.example is this application`))
    }
    expect(logged).to.have.length(1)
  })
})

describe('what a visitor does', () => {
  it('is logged each time: it is about another user, or another try', () => {
    const { logged, logger } = recorded()
    for (let count = 0; count < 5; count += 1) logger.error(new CredentialsSignin('nobody'))
    expect(logged).to.have.length(5)
  })
})

describe('the memory of what happened', () => {
  const passing = (lines: string[], limits?: RepeatLimits) => {
    const repeats = createRepeats(limits)
    return (kind: string, detail: string) =>
      repeats.pass({ kind, detail }, INTERVAL, (repeated) => lines.push(`${kind} ${detail} ${repeated ?? ''}`.trim()))
  }

  it('has an end for each kind: beyond it, those of one kind are counted together', async () => {
    const lines: string[] = []
    const pass = passing(lines, { perKind: 5, total: 500 })
    for (let count = 0; count < 1000; count += 1) pass(count % 2 === 0 ? 'even' : 'odd', `${count}`)
    expect(lines).to.have.length(12)
    await wait(OVER_MS)
    expect(lines.slice(12)).to.have.members(['even 998 494', 'odd 999 494'])
  })

  it('has an end for all kinds: then the oldest that is over makes room, and what was counted is written', async () => {
    const lines: string[] = []
    const pass = passing(lines, { perKind: 5, total: 10 })
    pass('store', 'down')
    pass('store', 'down')
    for (let count = 0; count < 100; count += 1) pass(`kind ${count}`, '')
    pass('store', 'down')
    expect(lines).to.have.length(101)
    await wait(OVER_MS)
    expect(lines.slice(101)).to.deep.equal(['store down 2'])
    for (let count = 0; count < 20; count += 1) for (let twice = 0; twice < 2; twice += 1) pass(`again ${count}`, '')
    await wait(OVER_MS)
    const logged = lines.slice(102).map((line) => Number(/ (\d+)$/.exec(line.replace(/^again \d+/, ''))?.[1] ?? 1))
    expect(logged.reduce((sum, count) => sum + count, 0)).to.equal(40)
  })

  it('leaves no timer behind for what made room', () => {
    const { setTimeout: begin, clearTimeout: end } = globalThis
    const running = new Set<unknown>()
    const noting = (...given: Parameters<typeof begin>) => {
      const timer = begin(...given)
      running.add(timer)
      return timer
    }
    globalThis.setTimeout = noting as typeof begin
    globalThis.clearTimeout = (timer) => {
      running.delete(timer)
      end(timer)
    }
    try {
      const pass = passing([], { perKind: 5, total: 10 })
      for (let count = 0; count < 1000; count += 1) pass(`kind ${count}`, '')
    } finally {
      Object.assign(globalThis, { setTimeout: begin, clearTimeout: end })
    }
    expect(running.size).to.equal(10)
  })

  it('forgets what is over', async () => {
    const lines: string[] = []
    const pass = passing(lines, { perKind: 2, total: 4 })
    for (let round = 0; round < 3; round += 1) {
      for (const detail of ['a', 'b']) pass('kind', detail)
      await wait(OVER_MS)
    }
    expect(lines).to.have.length(6)
  })

  it('keeps no process alive', async () => {
    const { spawnSync } = await import('node:child_process')
    const script = `import { createRepeats } from './lib/kernel/repeats.ts'
      createRepeats().pass({ kind: 'a', detail: 'a' }, 3600, () => process.stdout.write('passed'))`
    const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect([stdout, status]).to.deep.equal(['passed', 0])
  })
})
