import type { Goal, Quartiles, Results, Row, Section } from './results.js'

const HOW_TO_READ = [
  'A figure is a median. The range after it is from the first to the third quartile: half of the measured values lie in it. One disturbance, such as a garbage collection, changes a mean, but hardly a median.',
  'Times depend on the machine, and on what else it does at that moment. So every measurement of a request alternates with one of the bare route: a route without any guard, in the same process. Compare the ratios to the bare route, and not the microseconds of different runs. Where a column has a reference of 95 µs, it is the ratio times 95 µs, so the lines of one table can be compared.',
  'The server process has one core of the processor for itself. The program that sends the requests runs on another core.',
]

const ABOUT_GOALS =
  'Goals that the project set itself before the work. They guide those who change Latchkey, and are stricter than what an application notices. Goals in microseconds count where the bare route costs 95 µs. [Where the time goes](where-time-goes.md) explains those that are missed.'

const MEASURE_AGAIN = `## Measure it yourself

The programs are in [\`bench/\`](../bench), and the results of the last whole run in
[\`bench/results.json\`](../bench/results.json):

\`\`\`sh
npm ci
npm run bench                    # everything; writes the results and this page
npm run bench -- --quick         # shows that everything works; figures are rough; writes nothing
npm run bench -- --only guard    # one section; writes nothing
\`\`\``

/** The page `docs/performance.md`. The same results always give the same page. */
export function renderReport({ takenOn, machine, quick, sections }: Results): string {
  const parts = [
    `# Performance

This page shows how much processor time and memory Latchkey takes in an application, beside other packages in the same
application. The table that matters most is the first one: every request to a guarded route pays it. A sign-in happens
seldom, and a start once for each process.`,
    wrapped(
      `Measured on ${takenOn.slice(0, 10)} with Node ${machine.node} under ${machine.system}, on ${machine.cores} cores of ${machine.cpu}. A program makes this page from the results; nobody edits the figures.`,
    ),
    ...(quick ? ['This was a quick run: the figures are rough.'] : []),
    '## How to read the figures',
    ...HOW_TO_READ.map(wrapped),
    ...sections.map(renderSection),
    renderGoals(sections.flatMap(({ goals }) => goals)),
    MEASURE_AGAIN,
  ]
  return `${parts.join('\n\n')}\n`
}

/** All goals, with the number of those that are missed. */
export function renderGoals(goals: readonly Goal[]): string {
  const missed = goals.filter((goal) => !isMet(goal)).length
  const rows = goals.map((goal) => [goal.name, wanted(goal), reached(goal), isMet(goal) ? 'met' : '**missed**'])
  const summary = missed === 0 ? 'All are met.' : `${missed} of ${goals.length} are missed.`
  return `## Goals\n\n${wrapped(ABOUT_GOALS)}\n\n${summary}\n\n${table(['measure', 'goal', 'reached', ''], rows)}`
}

/** The heading, the method and the table of one section. */
export function renderSection({ title, how, columns, rows }: Section): string {
  const text = (cell: Row['cells'][number]) =>
    cell === null || typeof cell === 'string' ? (cell ?? '') : quartiles(cell)
  return `## ${title}\n\n${wrapped(how)}\n\n${table(
    ['', ...columns],
    rows.map(({ name, cells }) => [name, ...cells.map(text)]),
  )}`
}

/** A number with three significant digits, with two below one. Thousands are separated. Whole numbers stay whole. */
export const figure = (value: number): string => (Number.isFinite(value) ? fixed(value, decimalsOf(value)) : '–')

/** A median with its quartiles. The median stands alone where they are equal to it. */
export function quartiles({ median, low, high }: Quartiles): string {
  const [middle, from, to] = [figure(median), figure(low), figure(high)]
  return from === middle && to === middle ? middle : `${middle} (${from} … ${to})`
}

/** The figure that was measured, with enough digits to show on which side of the limit it is. */
export function reached(goal: Goal): string {
  if (!Number.isFinite(goal.reached)) return 'not measured'
  const fewest = decimalsOf(goal.reached)
  const isClear = (digits: number) => isMet({ ...goal, reached: Number(goal.reached.toFixed(digits)) }) === isMet(goal)
  const decimals = [0, 1, 2, 3, 4, 5].map((more) => fewest + more).find(isClear)
  return `${decimals === undefined ? goal.reached : fixed(goal.reached, decimals)} ${goal.unit}`.trim()
}

/** The limit of a goal: "at most 15 ms". */
export const wanted = ({ is, limit, unit }: Goal): string => `${is} ${limit.toLocaleString('en')} ${unit}`.trim()

// A goal that was not measured is missed: NaN is on neither side of a limit.
const isMet = ({ is, limit, reached }: Goal) => (is === 'at most' ? reached <= limit : reached >= limit)

function decimalsOf(value: number): number {
  if (Number.isInteger(value)) return 0
  const size = Math.abs(Number(value.toPrecision(3)))
  if (size === 0 || size >= 100) return 0
  if (size >= 1) return size >= 10 ? 1 : 2
  return Math.min(4, 1 - Math.floor(Math.log10(size)))
}

function fixed(value: number, decimals: number): string {
  const text = value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  // A difference that rounds to zero would otherwise read "-0".
  return /[1-9]/.test(text) ? text.replace('-', '−') : text.replace('-', '')
}

/** A Markdown table. Names are aligned to the left, figures to the right. */
function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = (cell: string) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`
  const rule = heading.map((_, column) => (column === 0 ? '---' : '--:'))
  return [line(heading), `|${rule.join('|')}|`, ...rows.map(line)].join('\n')
}

/** The same Markdown with the columns of its tables in line, for the terminal. */
export function withAlignedColumns(markdown: string): string {
  return markdown.replace(/(?:^\|.*\n?)+/gm, (text) => {
    const rows = text.split(/\n/).map((line) => line.split(/ *\| */).slice(1, -1))
    const pad = (cell: string, column: number) => cell.padEnd(Math.max(...rows.map((row) => row[column]?.length ?? 0)))
    return rows.map((row) => (row.length > 0 ? `| ${row.map(pad).join(' | ')} |` : '')).join('\n')
  })
}

const wrapped = (text: string) => text.replace(/(.{1,120})(?: |$)/g, '$1\n').trimEnd()
