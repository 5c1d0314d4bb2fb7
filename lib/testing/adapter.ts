import assert from 'node:assert/strict'
import type { Adapter } from '../adapters/adapter.js'
import { ADAPTER_METHODS, BEYOND_AUTHJS } from '../adapters/methods.js'
import { accountChangeChecks } from './adapter/account-changes.js'
import { accountChecks } from './adapter/accounts.js'
import { authenticatorChecks } from './adapter/authenticators.js'
import { type Check, callsOf, createChecks, type Level, type Method } from './adapter/check.js'
import { expiredChecks } from './adapter/expired.js'
import { sessionDetailChecks } from './adapter/listed-sessions.js'
import { manySessionChecks, manyTokenSessionChecks } from './adapter/many-sessions.js'
import { providerSessionChecks, providerTokenSessionChecks } from './adapter/provider-sessions.js'
import { recordChecks } from './adapter/records.js'
import { createSamples, type SampleOptions } from './adapter/samples.js'
import { sessionChecks } from './adapter/sessions.js'
import { signUpChecks } from './adapter/sign-ups.js'
import { tokenSessionRaceChecks } from './adapter/token-session-races.js'
import { tokenSessionChecks } from './adapter/token-sessions.js'
import { userChecks } from './adapter/users.js'
import { verificationTokenChecks } from './adapter/verification-tokens.js'

export type { Level, Method } from './adapter/check.js'
export type { SampleOptions } from './adapter/samples.js'

/**
 * The functions of a test runner that the suite uses: those of mocha, or functions of another runner with the same
 * names.
 */
export interface TestRunner {
  describe(title: string, body: () => void): unknown
  it(title: string, test: () => Promise<void>): unknown
  before(hook: () => Promise<void>): unknown
  after(hook: () => Promise<void>): unknown
}

/** What {@link describeAdapter} needs to know. */
export interface AdapterSuiteOptions extends SampleOptions {
  /**
   * Makes the adapter, once, before the first test. Its store may have other rows: the suite changes only its own rows,
   * and deletes expired rows.
   */
  create(): Adapter | Promise<Adapter>
  /** Runs once after the last test, also when `create` failed. */
  close?(): unknown
  /** Methods that the adapter lacks by design: their tests are left out. Any other missing method is a failure. */
  skip?: readonly Method[]
  /**
   * `strict`, the default, checks everything that Latchkey's own adapters do. `authjs` checks only what every sign-in
   * needs, and what adapters made for Auth.js do. It does not check parallel calls, uniqueness, or ids that differ only
   * in case or spaces.
   */
  level?: Level
  /** The test runner; mocha's globals by default. */
  runner?: TestRunner
}

const { checks: methodChecks, authjs } = createChecks()

authjs('are all there, but those skipped by design', [], async (adapter, _, { skip, level }) => {
  const known = level === 'authjs' ? [...skip, ...BEYOND_AUTHJS] : skip
  const missing = ADAPTER_METHODS.filter((name) => !known.includes(name) && !(name in adapter))
  assert.deepEqual(missing, [], 'name the methods that the adapter lacks by design in `skip`')
})

const TOPICS: Readonly<Record<string, readonly Check[]>> = {
  methods: methodChecks,
  // A store may look at all rows to find those, so the checks that leave thousands come later.
  'expired rows': expiredChecks,
  users: userChecks,
  accounts: [...accountChecks, ...accountChangeChecks],
  'sign-ups': signUpChecks,
  sessions: [...sessionChecks, ...sessionDetailChecks, ...providerSessionChecks, ...manySessionChecks],
  'token sessions': [
    ...tokenSessionChecks,
    ...tokenSessionRaceChecks,
    ...providerTokenSessionChecks,
    ...manyTokenSessionChecks,
  ],
  records: recordChecks,
  'verification tokens': verificationTokenChecks,
  authenticators: authenticatorChecks,
}

/**
 * Tests an adapter by the contract that Latchkey relies on: every method, rows that are absent, the values as they were
 * given, and parallel calls. Call it where `describe` may be called.
 *
 * @param name titles the suite
 */
export function describeAdapter(name: string, options: AdapterSuiteOptions): void {
  const { skip = [], level = 'strict' } = options
  const { describe, it, before, after } = options.runner ?? ambientRunner()
  const samples = createSamples(options)
  let adapter: Adapter | undefined

  const applies = (check: Check) =>
    (level === 'strict' || check.level === 'authjs') && !check.needs.some((method) => skip.includes(method))

  describe(`${name} keeps the adapter contract (${level})`, () => {
    before(async () => {
      adapter = await options.create()
    })
    after(async () => {
      await options.close?.()
    })

    for (const [topic, checks] of Object.entries(TOPICS)) {
      const applicable = checks.filter(applies)
      if (applicable.length === 0) continue
      describe(topic, () => {
        for (const check of applicable) {
          it(check.title, async () => {
            if (!adapter) throw new Error('create() gave no adapter.')
            await check.run(callsOf(adapter), samples, { skip, level })
          })
        }
      })
    }
  })
}

function ambientRunner(): TestRunner {
  const { describe, it, before, after } = globalThis as Partial<TestRunner>
  if (describe && it && before && after) return { describe, it, before, after }
  throw new Error(
    'describeAdapter() needs describe, it, before and after: run it under mocha, or pass those of your test runner as `runner`.',
  )
}
