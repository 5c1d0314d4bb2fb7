import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects what nothing refers to any more, and waits until those who asked for it have been told. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // Node tells them in a task of its own, and some objects are free only after the task that last used them.
  for (let n = 0; n < 3; n += 1) {
    await delay(5)
    collect()
  }
  await delay(5)
}
