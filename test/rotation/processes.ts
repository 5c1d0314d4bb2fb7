import type { AuthConfig } from '../../lib/index.js'
import { Clock, openTestApp, type TestApp, type TestAppOptions, TestBrowser } from '../support/test-app.js'

export const OLD = 'the old secret that is long enough for it'
export const NEW = 'the new secret that is long enough for it'

/** The lists of the three steps, with what is before them. */
export const STEPS = {
  before: [OLD],
  accept: [OLD, NEW],
  use: [NEW, OLD],
  drop: [NEW],
} as const satisfies Record<string, readonly string[]>

export type Step = keyof typeof STEPS

/** Pairs of steps that processes of one application have at the same time while a roll-out is under way. */
export const NEIGHBOURS: readonly (readonly [Step, Step])[] = [
  ['before', 'accept'],
  ['accept', 'use'],
  ['use', 'drop'],
]

/** A process of an application: what it remembers is its own, since its clock is. */
export const startAt = (step: Step, options: Partial<AuthConfig> = {}, more: TestAppOptions = {}): TestApp =>
  openTestApp({ secret: [...STEPS[step]], ...options }, { clock: new Clock(), ...more })

/** The same browser before another process: one jar. */
export function atProcess(testApp: TestApp, browser: TestBrowser): TestBrowser {
  const there = new TestBrowser(testApp.engine, testApp.clock, testApp.origin)
  Object.assign(there, { jar: browser.jar })
  return there
}
