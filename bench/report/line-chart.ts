import type { Curve } from '../section.js'
import { figure } from './figures.js'
import { marker } from './marker.js'
import { logScale } from './scale.js'
import { drawing, element, LINE_COLOURS, STYLE, text, widthOf } from './svg.js'

const MARGIN = 16
const PLOT = { left: 72, top: 64, width: 520, height: 320 } as const
const LEGEND_ROW = 22

/** Curves over a logarithmic axis, on a logarithmic axis: whatever grows with its number shows as a slope. */
export function lineChart(diagram: { title: string; x: string; y: string; lines: readonly Curve[] }): string {
  const { lines } = diagram
  const all = lines.flatMap(({ points }) => points)
  const right = PLOT.left + PLOT.width
  const bottom = PLOT.top + PLOT.height
  const x = logScale(
    all.map((point) => point.x),
    [PLOT.left, right],
    8,
  )
  const y = logScale(
    all.flatMap((point) => [point.y.median, point.y.low, point.y.high]),
    [bottom, PLOT.top],
    12,
  )

  const grid = [
    ...y.ticks.map((value) => gridLine(PLOT.left, right, y.at(value), y.at(value))),
    ...x.ticks.map((value) => gridLine(x.at(value), x.at(value), PLOT.top, bottom)),
  ]
  const labels = [
    ...y.ticks.map((value) =>
      text(figure(value), PLOT.left - 8, y.at(value) + 4.5, { 'text-anchor': 'end', fill: STYLE.faint }),
    ),
    ...x.ticks.map((value) =>
      text(figure(value), x.at(value), bottom + 20, { 'text-anchor': 'middle', fill: STYLE.faint }),
    ),
  ]
  const drawn = lines.flatMap(({ points }, index) => drawLine(points, index, x.at, y.at))
  const legendLeft = right + 28
  const legend = lines.flatMap(({ name }, index) => {
    const middle = PLOT.top + LEGEND_ROW / 2 + index * LEGEND_ROW
    return [marker(index, legendLeft, middle, colourOf(index)), text(name, legendLeft + 14, middle + 4.5)]
  })
  const width = legendLeft + 14 + Math.max(...lines.map(({ name }) => widthOf(name))) + MARGIN
  const height = Math.max(bottom + 56, PLOT.top + lines.length * LEGEND_ROW + MARGIN)
  return drawing(width, height, diagram.title, [
    text(diagram.title, MARGIN, 28, { 'font-size': 16, 'font-weight': 600 }),
    text(diagram.y, MARGIN, 48, { fill: STYLE.faint }),
    ...grid,
    ...labels,
    text(diagram.x, PLOT.left + PLOT.width / 2, bottom + 42, { 'text-anchor': 'middle', fill: STYLE.faint }),
    ...drawn,
    ...legend,
  ])
}

const colourOf = (index: number): string => LINE_COLOURS[index % LINE_COLOURS.length] ?? STYLE.text

const gridLine = (x1: number, x2: number, y1: number, y2: number) =>
  element('line', { x1, x2, y1, y2, stroke: STYLE.grid })

/** A line with a marker at each point, and a stroke from quartile to quartile. */
function drawLine(
  points: Curve['points'],
  index: number,
  across: (value: number) => number,
  up: (value: number) => number,
): string[] {
  const stroke = colourOf(index)
  const at = points.map((point) => ({ x: across(point.x), y: up(point.y.median), point }))
  const path = at.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')
  const ranges = at.map(({ x, point }) =>
    element('line', { x1: x, x2: x, y1: up(point.y.low), y2: up(point.y.high), stroke, 'stroke-opacity': 0.45 }),
  )
  return [
    ...ranges,
    element('polyline', { points: path, fill: 'none', stroke, 'stroke-width': 2 }),
    ...at.map(({ x, y }) => marker(index, x, y, stroke)),
  ]
}
