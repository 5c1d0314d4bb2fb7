import { AsyncLocalStorage } from 'node:async_hooks'
import { GLOBAL_NAME, type Place } from './instrument.js'

/** One call of a function. */
export interface Call extends Place {
  /** How many calls it is within. Work after an `await` is within the call that awaited. */
  readonly depth: number
}

const current = new AsyncLocalStorage<Call>()
let recording: Call[] | undefined

function call<T>(place: Place, body: () => T): T {
  if (!recording) return body()
  const made = { ...place, depth: (current.getStore()?.depth ?? -1) + 1 }
  recording.push(made)
  return current.run(made, body)
}

/** Gives instrumented code what it reports to. Such code fails when it is loaded and called before. */
export function installRecorder(): void {
  Object.defineProperty(globalThis, GLOBAL_NAME, { value: { call } })
}

/**
 * Records every call of instrumented code in the order of time.
 *
 * @returns ends the recording, and gives what it holds
 */
export function startRecording(): () => readonly Call[] {
  const calls: Call[] = []
  recording = calls
  return () => {
    if (recording === calls) recording = undefined
    return calls
  }
}
