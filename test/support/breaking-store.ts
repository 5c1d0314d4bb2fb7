import type { Adapter } from '../../lib/adapters/adapter.js'

type AnyMethod = (...args: unknown[]) => unknown

/** The methods that an adapter has, with their names. */
export const methodsOf = (adapter: Adapter) =>
  Object.entries(adapter).filter((entry): entry is [string, AnyMethod] => typeof entry[1] === 'function')

/**
 * A store that breaks down at a call, before or after the call was done, and fails from then on, or that many times. Notes the
 * names of its calls.
 */
export function breakingAt(adapter: Adapter, call: number, isDone = false, times = Number.POSITIVE_INFINITY) {
  const asked: string[] = []
  const down = () => new Error('Connection terminated unexpectedly')
  const entries = methodsOf(adapter).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      asked.push(name)
      const isDown = asked.length >= call && asked.length < call + times
      if (isDown && (asked.length > call || !isDone)) throw down()
      const answer = await method.apply(adapter, args)
      if (asked.length === call) throw down()
      return answer
    },
  ])
  return { adapter: Object.fromEntries(entries) as Adapter, asked }
}
