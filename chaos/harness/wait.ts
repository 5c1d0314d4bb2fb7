export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** @throws after the limit. The work continues, but its result is ignored */
export async function atMost<Value>(milliseconds: number, what: string, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${milliseconds / 1000} s.`)), milliseconds)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Repeats a check. @returns milliseconds until it gave true, or null if it did not within the limit */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  limitMs: number,
  everyMs = 50,
): Promise<number | null> {
  const start = performance.now()
  while (performance.now() - start < limitMs) {
    if (await isSo()) return performance.now() - start
    await pause(everyMs)
  }
  return null
}

/** Runs some work for each item, a number of them at a time. @returns the results in the order of the items */
export async function eachOf<One, Result>(
  many: readonly One[],
  atOnce: number,
  work: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    while (next < many.length) {
      const index = next
      next += 1
      results[index] = await work(many[index] as One)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, many.length) }, worker))
  return results
}
