import { type Goal, type Quartiles, REFERENCE_BARE, type Results, type Row, type Section } from './results.js'

const ABOUT = [
  'Processor time and memory of Latchkey in an application, beside other packages that do the same work. Each package has a small server with Express 5. A program on another core sends requests, and the server tells how much processor time it has used for them. How long a visitor waits depends on much more, such as the network.',
  `A figure in µs is the median of many samples; the range after it goes from the first to the third quartile. The same machine is faster or slower from minute to minute, so requests to the route alternate with requests to a *bare* route in the same process, which has no guard. A figure is divided by that of the bare route, and multiplied by ${REFERENCE_BARE} µs, about what a bare route takes on a machine that does nothing else.`,
]

const ABOUT_GOALS = `All figures in µs are scaled to a bare route of ${REFERENCE_BARE} µs.`

/** What the page has of a section: what it is about, and which columns. */
const SHOWN: Readonly<Record<string, { readonly about: string; readonly columns: readonly string[] }>> = {
  guard: {
    about:
      'What a guard adds to each request. Latchkey decrypts a token once and remembers it for a while. A stored session is in the memory of the process, so that no database is measured. In the first line both routes are bare: so far does chance alone move a figure. The last column compares with Latchkey, seen before / never seen, or with its stored session.',
    columns: ['CPU added, scaled, µs', 'CPU added ÷ that of Latchkey'],
  },
  endpoints: { about: 'The paths below `/auth` that pages and scripts ask for most.', columns: ['CPU, scaled, µs'] },
  'sign-in': {
    about:
      'All requests to the application of one sign-in by somebody without any cookie. Checking the password costs nothing here. Metadata and keys of the provider are known.',
    columns: ['CPU, scaled, µs', 'requests of the application to the provider'],
  },
}

/** Figures beside those of Express alone, which the page has in one table. */
const BESIDE_EXPRESS = {
  about:
    'What comes on top of Express alone: packages that npm installs, the time of `import` in a new process, and objects in memory after 1,200 requests, those of Express included.',
  columns: [
    ['install', 'packages'],
    ['install', 'MB'],
    ['import', 'above Express, ms'],
    ['memory', 'heap after load, MiB'],
  ],
} as const

const MEASURE_AGAIN = `## Measure it yourself

\`\`\`sh
npm run bench                    # everything; writes bench/results.json and this page
npm run bench -- --only guard    # one section; writes nothing. A file of bench/sections/ has its method
\`\`\``

/** The page `docs/performance.md`. The same results always give the same page. */
export function renderReport({ takenOn, machine, quick, sections }: Results): string {
  const chosen = sections.filter(({ id }) => SHOWN[id] !== undefined)
  const parts = [
    '# Performance',
    ...ABOUT.map(wrapped),
    wrapped(
      `Measured on ${takenOn.slice(0, 10)} with Node ${machine.node} under ${machine.system}, on ${machine.cores} cores of ${machine.cpu}. A program makes this page from the results; nobody edits the figures.`,
    ),
    ...(quick ? ['This was a quick run: the figures are rough.'] : []),
    ...chosen.map(({ id, title, columns, rows }) => {
      const { about, columns: wantedColumns } = SHOWN[id] ?? { about: '', columns: [] }
      const places = wantedColumns.map((column) => columns.indexOf(column))
      const cells = rows.map((row) => [row.name, ...places.map((place) => textOf(row.cells[place] ?? null))])
      return `## ${title}\n\n${wrapped(about)}\n\n${table(['', ...wantedColumns], cells)}`
    }),
    `## Beside Express\n\n${wrapped(BESIDE_EXPRESS.about)}\n\n${tableBesideExpress(sections)}`,
    MEASURE_AGAIN,
  ]
  return `${parts.join('\n\n')}\n`
}

function tableBesideExpress(sections: readonly Section[]): string {
  const cell = (name: string, id: string, column: string) => {
    const section = sections.find((one) => one.id === id)
    const row = section?.rows.find((one) => one.name === name)
    return textOf(row?.cells[section?.columns.indexOf(column) ?? -1] ?? null)
  }
  const names = sections.find(({ id }) => id === 'install')?.rows.map(({ name }) => name) ?? []
  const rows = names.map((name) => [name, ...BESIDE_EXPRESS.columns.map(([id, column]) => cell(name, id, column))])
  return table(['', ...BESIDE_EXPRESS.columns.map(([, column]) => column)], rows)
}

const textOf = (cell: Row['cells'][number]) =>
  cell === null || typeof cell === 'string' ? (cell ?? '') : quartiles(cell)

/** All goals, with the number of those that are missed. */
export function renderGoals(goals: readonly Goal[]): string {
  const missed = goals.filter((goal) => !isMet(goal)).length
  const rows = goals.map((goal) => [goal.name, wanted(goal), reached(goal), isMet(goal) ? 'met' : '**missed**'])
  const summary = missed === 0 ? 'All are met.' : `${missed} of ${goals.length} are missed.`
  return `## Goals\n\n${wrapped(ABOUT_GOALS)}\n\n${summary}\n\n${table(['measure', 'goal', 'reached', ''], rows)}`
}

/** The heading, the whole table and the method of one section, for the terminal. */
export const renderSection = ({ title, how, columns, rows }: Section): string =>
  [
    `## ${title}`,
    table(
      ['', ...columns],
      rows.map(({ name, cells }) => [name, ...cells.map(textOf)]),
    ),
    wrapped(`*How it was measured.* ${how}`),
  ].join('\n\n')

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
