import { expect } from 'chai'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { redisAdapter } from '../../lib/adapters/redis.js'
import { resolveConfig } from '../../lib/compose.js'
import { readEnv } from '../../lib/config/env.js'
import { type AuthConfig, requireAuth } from '../../lib/index.js'
import Email from '../../lib/providers/email.js'
import { createLog, testConfig } from '../support/app.js'

const PRODUCTION = { NODE_ENV: 'production' }

/** What each warning at the start says to do, by its code. */
function warningsOf(more: Partial<AuthConfig>, variables: Record<string, string> = {}): Map<string, string> {
  const warnings = new Map<string, string>()
  const warn = (code: string, data?: unknown) =>
    void warnings.set(code, `${warnings.get(code) ?? ''}${JSON.stringify(data)}`)
  const logger = { warn, error() {}, debug() {} }
  resolveConfig(testConfig({ url: 'https://app.example', ...more, logger }), {
    env: readEnv(variables),
    now: Date.now,
  })
  return warnings
}

describe('a revocation store that forgets', () => {
  const store = memoryAdapter()

  it('gives a warning in production, because a restart lets revoked sessions in again', () => {
    for (const forgetful of [store, { ...store }]) {
      const warnings = warningsOf({ session: { revocation: { store: forgetful } } }, PRODUCTION)
      expect(warnings.get('memory-revocations')).to.match(/After a restart .* Use redisAdapter\(\) or sqlAdapter\(\)/)
    }
  })

  it('gives none elsewhere, nor for a store that keeps revocations', () => {
    expect([...warningsOf({ session: { revocation: { store } } }).keys()]).to.not.include('memory-revocations')
    const lasting = redisAdapter({ url: 'redis://localhost' })
    const session = { revocation: { store: lasting } }
    expect([...warningsOf({ session }, PRODUCTION).keys()]).to.not.include('memory-revocations')
  })
})

describe('milliseconds in place of seconds', () => {
  it('give a warning that names the option', () => {
    const session = { maxAge: 2_592_000_000, recentAuthAge: 900_000, remember: { maxAge: 2_592_000_000 } }
    const fixes = warningsOf({ session }).get('implausible-seconds')
    for (const name of ['maxAge', 'recentAuthAge', 'remember.maxAge']) {
      expect(fixes).to.match(new RegExp(`\`session\\.${name}\` is \\d+ seconds, which is \\d+ days\\.`))
    }
    expect(fixes).to.include(
      '2592000000 seconds, which is 30000 days. It is in seconds, not in milliseconds: 30 days are 2592000.',
    )
  })

  it('give a warning for tokens and mailed links', () => {
    const mail = Email({ maxAge: 86_400_000, sendVerificationRequest: () => {} })
    const more = { jwt: { maxAge: 2_592_000_000 }, providers: [mail], adapter: memoryAdapter() }
    const fixes = warningsOf({ ...more, session: { strategy: 'jwt' } }).get('implausible-seconds')
    expect(fixes)
      .to.include('`jwt.maxAge` is 2592000000 seconds')
      .and.include('`maxAge` of the provider `email` is 86400000 seconds, which is 1000 days.')
      .and.include('1 day is 86400.')
  })

  it('give a warning for a guard', () => {
    const log = createLog()
    const config = testConfig({ logger: log.logger })
    for (const maxAuthAge of [900, 604_800, Number.POSITIVE_INFINITY]) requireAuth(config, { maxAuthAge })
    expect(log.warnings).to.not.include('implausible-seconds')
    requireAuth(config, { maxAuthAge: 900_000 })
    expect(log.warnings).to.include('implausible-seconds')
  })

  it('are refused with the length in days, if they are more than a hundred years', () => {
    const start = () => warningsOf({ session: { maxAge: 7_776_000_000 } })
    expect(start).to.throw('At most a hundred years. It was given 7776000000 seconds, which is 90000 days.')
    expect(start).to.throw('90 days are 7776000.')
  })

  it('give none for times that people choose, and for Infinity', () => {
    const session = { maxAge: 31_536_000, recentAuthAge: Number.POSITIVE_INFINITY, maxLifetime: 31_536_000 }
    expect([...warningsOf({ session }).keys()]).to.not.include('implausible-seconds')
  })

  it('are refused for `checkEvery`: a revoked session would count for days', () => {
    const start = (checkEvery: number) =>
      warningsOf({ session: { revocation: { store: memoryAdapter(), checkEvery } } })
    expect(() => start(30_000_000)).to.throw(/`session\.revocation\.checkEvery` is 30000000.*not in milliseconds/)
    expect(start(30_000).get('implausible-seconds')).to.match(/checkEvery` is 30000 seconds, which is 8.3 hours/)
    expect([...start(3600).keys()]).to.not.include('implausible-seconds')
  })
})
