import { memoryAdapter } from '../../lib/adapters/memory.js'
import type { Adapter, AuthConfig } from '../../lib/index.js'
import { Clock, openTestApp, type TestBrowser } from './test-app.js'

let count = 0
/** Each test has a secret of its own, because the sign-outs of a process belong to the secret. */
export const freshSecret = () => `a secret of one test of revocable tokens, number ${++count}`

/** A revocation store of a test. */
export interface Counted {
  readonly store: Required<Adapter>
  readonly adapter: Adapter
  readonly calls: string[]
  /** What a method does in place of its own work; it gets the own work. */
  replace(name: keyof Adapter, work: (own: (...args: never[]) => unknown, ...args: never[]) => unknown): void
  restore(): void
}

/** A revocation store that answers with promises, counts its calls, and can be made to fail. */
export function openStore(store = memoryAdapter()): Counted {
  const calls: string[] = []
  let replaced = new Map<string, (own: (...args: never[]) => unknown, ...args: never[]) => unknown>()
  const entries = Object.entries(store).map(([name, method]) => [
    name,
    async (...args: never[]) => {
      calls.push(name)
      const own = method as (...args: never[]) => unknown
      const other = replaced.get(name)
      return other ? other(own, ...args) : own(...args)
    },
  ])
  return {
    store,
    adapter: Object.fromEntries(entries) as Adapter,
    calls,
    replace: (name, work) => void replaced.set(name, work),
    restore: () => {
      replaced = new Map()
    },
  }
}

/** In place of a method of a store that is down. */
export const down = () => {
  throw new Error('the store is down')
}

/** A clock that shows the time of another. What a process remembers belongs to its clock, so this is another process. */
export const sibling = (clock: Clock): Clock => Object.defineProperty(new Clock(), 'ms', { get: () => clock.ms })

/** Several processes over one revocation store. */
export function openProcesses(options: Partial<AuthConfig> = {}, { checkEvery = 30 } = {}) {
  const clock = new Clock()
  const shared = openStore()
  const secret = freshSecret()
  const open = (more: Partial<AuthConfig> = {}) =>
    openTestApp(
      {
        secret,
        ...options,
        ...more,
        session: { ...options.session, ...more.session, revocation: { store: shared.adapter, checkEvery } },
      },
      { clock: sibling(clock) },
    )
  return { clock, shared, secret, open, one: open(), other: open() }
}

/** The same browser, with its requests going to another process. */
export function at(process: { browser(): TestBrowser }, browser: TestBrowser): TestBrowser {
  const copy = process.browser()
  for (const [name, cookie] of browser.jar) copy.jar.set(name, cookie)
  return copy
}

export const isIn = async (browser: TestBrowser): Promise<boolean> => (await browser.session()) !== null
