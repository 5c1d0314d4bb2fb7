import type { SessionLookup } from '../engine/engine.js'

/**
 * Whether somebody proved who they are recently enough. Sessions slide, so theirs may be old in an open browser that a stranger finds.
 *
 * @param maxAuthAge seconds; `Infinity` asks nothing
 * @param now gives milliseconds since the epoch
 */
export const isRecent = (
  { authenticatedAt }: Pick<SessionLookup, 'authenticatedAt'>,
  maxAuthAge: number,
  now: () => number,
) =>
  maxAuthAge === Number.POSITIVE_INFINITY || (authenticatedAt !== null && now() - authenticatedAt <= maxAuthAge * 1000)
