import type { Middleware } from '../../../dist/index.js'
import { emailIn, passThrough } from '../../loop/exchange.js'
import type { Loop } from '../../loop/hot-loop.js'
import { emailOf } from '../../loop/tokens.js'

/** Somebody who is signed in. */
export interface Visitor {
  readonly user: number
  /** The whole `Cookie` header. */
  readonly cookie: string
  readonly host?: string
}

/**
 * A loop that sends visitors through a guard in turn. Every request is checked: one that came through as somebody else, or as nobody, ends the
 * measurement.
 */
export const visitInTurn =
  (guard: Middleware, visitors: readonly Visitor[]): Loop['run'] =>
  async (index) => {
    const visitor = visitors[index % visitors.length]
    if (!visitor) throw new RangeError('there are no visitors')
    const email = emailIn(await passThrough(guard, visitor.cookie, visitor.host))
    if (email !== emailOf(visitor.user)) throw new Error(`${emailOf(visitor.user)} came through as ${String(email)}.`)
  }
