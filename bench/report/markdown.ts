import type { Goal, Results, Row, Section } from '../section.js'
import { type Chart, chartsOf } from './charts.js'
import { isMet, reached, spread, wanted } from './figures.js'

/** The document: goals first, then everything that was measured. */
export function documentOf(results: Results): string {
  const goals = results.sections.flatMap((section) => section.goals)
  const charts = chartsOf(results)
  return `${[
    introduction(results),
    goalsOf(goals),
    ...results.sections.flatMap((section) => sectionOf(section, charts)),
  ].join('\n\n')}\n`
}

function introduction({ takenOn, machine, quick }: Results): string {
  const rough = quick ? ' It was a quick run, so the figures are rough.' : ''
  return `# Performance

Latchkey measured beside its peers, by the programs in [\`bench/\`](../bench). This page and its diagrams are made of
[\`bench/results.json\`](../bench/results.json), which a whole run writes:

\`\`\`sh
npm ci
npm run bench               # everything, about five minutes
npm run bench -- --quick    # about one minute, figures are rough; writes nothing
\`\`\`

Taken on ${takenOn.slice(0, 10)} with Node ${machine.node} under ${machine.system}, on ${machine.cores} cores of ${cell(machine.cpu)}.${rough}
[Where the time goes](where-time-goes.md) says what is behind the figures that miss their goals.
Times depend on the machine and on what else it does: compare figures of one run with each other, and ratios between runs.

A figure is the median of several rounds. Where there is a range after it, half of the rounds lay within.`
}

function goalsOf(goals: readonly Goal[]): string {
  const missed = goals.filter((goal) => !isMet(goal)).length
  const verdict =
    goals.length === 0
      ? 'None was measured.'
      : missed === 0
        ? 'All are met.'
        : `${missed} of ${goals.length} are missed.`
  const rows = goals.map((goal) => [cell(goal.name), wanted(goal), reached(goal), isMet(goal) ? 'met' : '**missed**'])
  return `## Goals\n\nWhat the project has set itself. ${verdict}${goals.length === 0 ? '' : `\n\n${table(['measure', 'goal', 'reached', ''], rows)}`}`
}

function sectionOf(section: Section, charts: readonly Chart[]): string[] {
  const diagrams = charts
    .filter(({ sectionId }) => sectionId === section.id)
    .map(({ file, alternative }) => `![${alternative}](performance/${file})`)
  const rows = section.rows.map((row) => [cell(row.name), ...cellsOf(row)])
  return [
    `## ${section.title}`,
    section.how,
    ...diagrams,
    ...(rows.length > 0 ? [table(['', ...section.columns.map(cell)], rows)] : []),
  ]
}

const cellsOf = ({ cells }: Row) =>
  cells.map((content) => (content === null ? '' : typeof content === 'string' ? cell(content) : spread(content)))

/** Names are in columns to the left, figures to the right. */
function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = heading.map((_, column) => (column === 0 ? '---' : '--:'))
  return [line(heading), `|${rule.join('|')}|`, ...rows.map(line)].join('\n')
}

/** A text that ends no cell. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
