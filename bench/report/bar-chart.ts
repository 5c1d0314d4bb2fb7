import type { Spread } from '../section.js'
import { figure } from './figures.js'
import { drawing, element, STYLE, text, widthOf } from './svg.js'

/** One bar. */
export interface Bar {
  readonly name: string
  readonly value: Spread
  /** Whether it is to stand out. */
  readonly isOwn: boolean
}

const MARGIN = 16
const TOP = 64
const ROW = 28
const BAR = 16
const LENGTH = 460
const GAP = 10

/** Horizontal bars from zero, in the order given, with the value beside each; a line marks the quartiles. */
export function barChart({ title, note, bars }: { title: string; note: string; bars: readonly Bar[] }): string {
  const left = MARGIN + Math.max(...bars.map(({ name }) => widthOf(name))) + GAP
  const longest = Math.max(...bars.map(({ value }) => Math.max(value.median, value.high)), Number.MIN_VALUE)
  // Noise may come out below nothing: such a bar has no length, and its number tells.
  const lengthOf = (value: number) => (Math.max(0, value) / longest) * LENGTH
  const rows = bars.flatMap(({ name, value, isOwn }, index) => {
    const middle = TOP + index * ROW + ROW / 2
    const baseline = middle + STYLE.fontSize * 0.35
    const end = left + lengthOf(Math.max(value.median, value.high))
    return [
      text(name, left - GAP, baseline, { 'text-anchor': 'end', ...(isOwn ? { 'font-weight': 600 } : {}) }),
      element('rect', {
        x: left,
        y: middle - BAR / 2,
        width: Math.max(1, lengthOf(value.median)),
        height: BAR,
        fill: isOwn ? STYLE.own : STYLE.other,
      }),
      element('line', {
        x1: left + lengthOf(value.low),
        x2: left + lengthOf(value.high),
        y1: middle,
        y2: middle,
        stroke: STYLE.text,
        'stroke-width': 1.5,
      }),
      text(figure(value.median), end + GAP, baseline, isOwn ? { 'font-weight': 600 } : {}),
    ]
  })
  const bottom = TOP + bars.length * ROW
  const axis = element('line', { x1: left, x2: left, y1: TOP, y2: bottom, stroke: STYLE.faint })
  const width = left + LENGTH + GAP + widthOf('00,000') + MARGIN
  return drawing(width, bottom + MARGIN, title, [
    text(title, MARGIN, 28, { 'font-size': 16, 'font-weight': 600 }),
    text(note, MARGIN, 48, { fill: STYLE.faint }),
    ...rows,
    axis,
  ])
}
