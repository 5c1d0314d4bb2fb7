import type { Goal, Row, Section, Spread } from '../section.js'

/** Whether a figure is as good as the project has set itself. */
export const isMet = ({ is, limit, reached }: Goal): boolean => (is === 'at most' ? reached <= limit : reached >= limit)

/** A section as text for the terminal. */
export function sectionAsText({ title, how, columns, rows, curves }: Section): string {
  const parts = [`\n${title}\n${'='.repeat(title.length)}`, how]
  if (rows.length > 0) parts.push(tableOf(['', ...columns], rows.map(cellsOf)))
  for (const { name, points } of curves?.lines ?? []) {
    parts.push(`${name}: ${points.map(({ x, y }) => `${x} → ${figure(y.median)}`).join(', ')}`)
  }
  return parts.join('\n')
}

/** All goals, and which are missed. */
export function goalsAsText(goals: readonly Goal[]): string {
  const rows = goals.map((goal) => [
    goal.name,
    `${goal.is} ${goal.limit} ${goal.unit}`.trim(),
    figure(goal.reached),
    isMet(goal) ? 'met' : 'MISSED',
  ])
  const missed = goals.filter((goal) => !isMet(goal)).length
  return `\nGoals\n=====\n${tableOf(['', 'Goal', 'Reached', ''], rows)}\n${
    missed === 0 ? 'All are met.' : `${missed} of ${goals.length} are missed.`
  }`
}

const cellsOf = ({ name, cells }: Row): string[] => [
  name,
  ...cells.map((cell) => (cell === null ? '' : typeof cell === 'string' ? cell : spreadAsText(cell))),
]

const spreadAsText = ({ median, low, high }: Spread): string =>
  low === high ? figure(median) : `${figure(median)} (${figure(low)} – ${figure(high)})`

const figure = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)

function tableOf(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) =>
        column === 0 ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width),
      )
      .join('  ')
  return [line(heading), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}
