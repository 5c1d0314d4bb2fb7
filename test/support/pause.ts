/** A point at which work waits, until a test lets it go on. */
export interface Pause {
  /** From now on: the next call of `wait` waits, and no other one. */
  start(): void
  wait(): Promise<void>
  /** Resolves when work waits. */
  readonly reached: Promise<void>
  /** Lets the work go on. */
  end(): void
}

export function createPause(): Pause {
  let isStarted = false
  let reach = () => {}
  let end = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return {
    start() {
      isStarted = true
    },
    async wait() {
      if (!isStarted) return
      isStarted = false
      reach()
      await ended
    },
    reached,
    end,
  }
}
