import { setTimeout as wait } from 'node:timers/promises'
import type { Means } from './client.js'
import * as scripts from './scripts.js'

/** A sign-up takes a few calls. One that has said nothing of itself for longer has broken off. */
const SILENCE_MS = 2000

/** How often, and how many times, somebody looks again who finds a sign-up of somebody else's under way. */
const LOOK_MS = 50
const LOOKS = 60

/** Whether users are there to stay. A sign-up that has broken off makes room for whoever asks. */
export function createStanding({ keys, run }: Omit<Means, 'client'>) {
  /** @param goesOn called while somebody waits, for a sign-up of their own */
  return async (userId: string, goesOn?: () => Promise<void>): Promise<boolean> => {
    for (let looks = 0; looks < LOOKS; looks++) {
      const reply = await run(scripts.STANDS, [keys.user(userId)], [String(Date.now() - SILENCE_MS)])
      if (reply !== 2) return reply === 1
      await wait(LOOK_MS)
      await goesOn?.()
    }
    return true
  }
}
