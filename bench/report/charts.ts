import type { Results, Section } from '../section.js'
import { barChart } from './bar-chart.js'
import { lineChart } from './line-chart.js'

/** A diagram of a section. */
export interface Chart {
  readonly sectionId: string
  readonly file: string
  readonly svg: string
  /** What it shows, for those who do not see it. */
  readonly alternative: string
}

/** All diagrams: what each guard adds, and every section that has curves. */
export function chartsOf({ sections }: Results): Chart[] {
  return sections.flatMap((section) => [...barsOf(section), ...curvesOf(section)])
}

/** Bars for the guards: the column with what is added. */
function barsOf(section: Section): Chart[] {
  if (section.id !== 'guard') return []
  const column = section.columns.findIndex((heading) => /added.*µs/.test(heading))
  const bars = section.rows.flatMap(({ name, cells }) => {
    const value = cells[column]
    return value && typeof value !== 'string' ? [{ name, value, isOwn: name.startsWith('Latchkey') }] : []
  })
  if (bars.length === 0) return []
  const title = 'CPU time that a guard adds to a request, µs'
  return [chart(section, `${title}. Shorter is better.`, barChart({ title, note: 'shorter is better', bars }))]
}

function curvesOf(section: Section): Chart[] {
  const { curves } = section
  const lines = curves?.lines.filter(({ points }) => points.length > 0) ?? []
  if (!curves || lines.length === 0) return []
  const alternative = `${section.title}: ${curves.y}, over ${curves.x}, for ${lines.map(({ name }) => name).join(', ')}.`
  return [chart(section, alternative, lineChart({ ...curves, lines, title: section.title }))]
}

const chart = ({ id }: Section, alternative: string, svg: string): Chart => ({
  sectionId: id,
  file: `${id}.svg`,
  svg,
  alternative,
})
