/** The machine's clock as it was before anybody set it wrong. */
const RightDate = Date

let offset = 0

/** A clock that can be wrong: what is loaded after this module reads it. */
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

/** @param milliseconds that are added to the right time from now on */
export function setClock(milliseconds: number): void {
  offset = milliseconds
}
