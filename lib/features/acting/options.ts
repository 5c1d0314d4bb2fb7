import type { AdapterUser } from '../../adapters/adapter.js'
import type { Awaitable } from '../../kernel/awaitable.js'
import { object } from '../../kernel/object-shape.js'
import { call, seconds } from '../../kernel/shape.js'
import type { ServiceKey } from '../../sign-in/config.js'

/** How administrators act as users. */
export interface ActAsOptions {
  /**
   * Whether an administrator may act as a user; both as they are stored. Only `true` is a yes. It is asked once, when it begins: let
   * it refuse users who may do more than the administrator.
   */
  allow: (request: { actor: AdapterUser; user: AdapterUser }) => Awaitable<boolean>
  /** Seconds until it ends by itself; 3600, an hour, by default; at least 60, and at most 43200. */
  maxAge?: number
}

export const actAsShape = object<ActAsOptions>({
  allow: { ...call, isLimit: true },
  maxAge: seconds(60, { most: 12 * 60 * 60 }),
})

/** Who may act as whom, and for how long; null for nobody. */
export const ACTING: ServiceKey<Required<ActAsOptions> | null> = { name: 'acting' }

export const AN_HOUR = 60 * 60
