import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { type AdapterSuiteOptions, describeAdapter, type TestRunner } from '../../lib/testing/adapter.js'

/**
 * Runs the suite with a test runner of its own, and gives the titles of what failed.
 *
 * @param topic the titles of the checks that run
 */
export async function failuresOf(options: AdapterSuiteOptions, topic = /./): Promise<string[]> {
  const steps: (() => Promise<string | null>)[] = []
  const collect = (title: string, body: () => Promise<void>) => {
    steps.push(() =>
      body().then(
        () => null,
        () => title,
      ),
    )
  }
  const closing: (() => Promise<void>)[] = []
  const runner: TestRunner = {
    describe: (_, body) => body(),
    it: (title, body) => topic.test(title) && collect(title, body),
    before: (hook) => collect('before', hook),
    after: (hook) => closing.push(hook),
  }
  describeAdapter('sabotaged', { ...options, runner })
  const failures: string[] = []
  for (const step of steps) {
    const failure = await step()
    if (failure !== null) failures.push(failure)
  }
  for (const hook of closing) await hook()
  return failures
}

/** The memory adapter with some methods replaced. */
export const sabotaged = (change: (sound: Required<Adapter>) => Partial<Adapter>) => () => {
  const sound = memoryAdapter()
  return { ...sound, ...change(sound) }
}
