import { setTimeout as wait } from 'node:timers/promises'
import type { RedisDependencies } from './client.js'
import * as signUpScripts from './scripts/sign-ups.js'

/** A sign-up takes a few calls. If its last sign of life is older than this, it was interrupted. */
const SILENCE_MS = 2000

/** Pause between two looks at a sign-up of somebody else that is not finished, and the most looks. */
const LOOK_MS = 50
const LOOKS = 60

/**
 * Whether a user exists and their sign-up is finished. A sign-up that was interrupted is removed.
 *
 * @param renew called while the function waits for the sign-up of somebody else, to keep the caller's own sign-up alive
 */
export type IsSettled = (userId: string, renew?: () => Promise<void>) => Promise<boolean>

export const createSettledCheck =
  ({ keys, run }: Omit<RedisDependencies, 'client'>): IsSettled =>
  async (userId, renew) => {
    for (let looks = 0; looks < LOOKS; looks++) {
      const reply = await run(signUpScripts.IS_SETTLED, [keys.user(userId)], [String(Date.now() - SILENCE_MS)])
      if (reply !== 2) return reply === 1
      await wait(LOOK_MS)
      await renew?.()
    }
    return true
  }
