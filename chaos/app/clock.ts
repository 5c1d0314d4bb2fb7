/** The right clock of the machine. */
const RightDate = Date

let offset = 0

/** A clock that can be wrong. Modules that are loaded after this one use it. */
class Clock extends RightDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RightDate.now() + offset)
    else super(...(given as [number]))
  }

  static override now(): number {
    return RightDate.now() + offset
  }
}
globalThis.Date = Clock as DateConstructor

/** @param milliseconds are added to the right time from now on */
export function setClock(milliseconds: number): void {
  offset = milliseconds
}
