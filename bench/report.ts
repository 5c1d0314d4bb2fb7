import { type Goal, type Quartiles, REFERENCE_BARE, type Results, type Row, type Section } from './results.js'

const ABOUT = [
  'How much processor time and memory does Latchkey need in an application, and how much do other packages need for the same work? Small servers with Express 5 answer this, one for each package. Each has a route behind the guard of its package, and, where the package has them, the routes of a sign-in. A program sends requests to a server, and the server tells how much processor time it has used for them.',
  'One of these figures concerns every request: what [a guard](#a-guarded-route) adds to a route. A sign-in is rare, and a start happens once for each process.',
]

const HOW_TO_READ = [
  '**Processor time, not waiting time.** A figure in µs is the time that the processor of the server worked for one request, in millionths of a second. It decides how many requests a machine can answer. How long a visitor waits depends on much more, such as the network.',
  '**Medians.** Each measurement was repeated. The figure is the median of the results, and the range after it goes from the first to the third quartile: half of the results lie in it.',
  '**The bare route.** The same machine is faster or slower from minute to minute. So each server also has a bare route: it answers the same, and has no guard. The program sends some requests to the one route and then some to the other, again and again. “Bare route meanwhile” is what the bare route took at that time.',
  `**Scaled.** To compare lines that were measured at different times, a figure is divided by the one of the bare route, and multiplied by ${REFERENCE_BARE} µs, which is about what a bare route takes on a machine that does nothing else. Compare the scaled figures and the ratios. The others show how much the machine varied.`,
  'The server has one core of the processor for itself; the program that sends the requests runs on another one.',
]

const ABOUT_GOALS = `These are goals that the project set itself before it measured. They are stricter than what an application notices, and show those who change Latchkey whether it becomes slower. All figures in µs are scaled to a bare route of ${REFERENCE_BARE} µs. [Where the time goes](where-time-goes.md) explains those that are missed.`

/** What a section is about, for somebody who does not know the programs. The method and its numbers are in the results. */
const INTRODUCTIONS: Readonly<Record<string, string>> = {
  guard:
    'The route answers with the name of the user who is signed in. The guard of each package finds out who that is. Sessions are kept in two ways. A *token* is the session itself, encrypted in a cookie. Latchkey decrypts a token once and remembers it for a while, so there is a line for a token that was *seen before* and one for a token that was *never seen*. A *stored* session is a row that the guard looks up; here the store is the memory of the process, so that no database is measured. “CPU added” is the guard alone: the route with the guard, less the bare route. “Bare route ÷ this” says how much of the speed of a route is left behind the guard; 1 would be all of it. In the first line, both routes are bare: it shows how far chance alone moves a figure away from 0.',
  endpoints:
    'These are the paths below `/auth` that pages and scripts ask for most: the CSRF token, the list of providers, the session, and the sign-in page. Latchkey is compared with `@auth/express`, which has the same paths.',
  'sign-in':
    'Somebody without any cookie signs in. The figure is the processor time of the application for all requests of that sign-in together. With credentials, checking the password costs nothing here, because a real check is slow on purpose and the same for all packages. With OpenID Connect, the person goes to a provider and comes back.',
  scale:
    'The guard of Latchkey, where one thing is larger than in the sections above: more providers in the configuration, more tenants, a session that needs several cookies, or more stored sessions.',
  memory:
    'How much memory does a server need? “Heap” is what JavaScript objects take after a garbage collection. “Resident” is the memory of the whole process, with Node itself; it varies from run to run, and a process gives it back late or never.',
  import:
    'How much later does a process start because it imports the package? That matters for functions that start often, and for tests. The first column is the time above that of a process that imports Express alone.',
  install: 'What does npm install beside Express, with all dependencies of the package?',
}

const MEASURE_AGAIN = `## Measure it yourself

The programs are in \`bench/\` of the repository, and the results of the last whole run in
\`bench/results.json\`:

\`\`\`sh
npm ci
npm run bench                    # everything; writes the results and this page
npm run bench -- --quick         # shows that everything works; figures are rough; writes nothing
npm run bench -- --only guard    # one section; writes nothing
\`\`\``

/** The page `docs/performance.md`. The same results always give the same page. */
export function renderReport({ takenOn, machine, quick, sections }: Results): string {
  const short = inShort(sections)
  const parts = [
    '# Performance',
    ...ABOUT.map(wrapped),
    wrapped(
      `Measured on ${takenOn.slice(0, 10)} with Node ${machine.node} under ${machine.system}, on ${machine.cores} cores of ${machine.cpu}. A program makes this page from the results; nobody edits the figures.`,
    ),
    ...(quick ? ['This was a quick run: the figures are rough.'] : []),
    ...(short.length > 0 ? ['## In short', short.map(item).join('\n')] : []),
    '## How to read the figures',
    ...HOW_TO_READ.map(wrapped),
    ...sections.map(renderSection),
    renderGoals(sections.flatMap(({ goals }) => goals)),
    MEASURE_AGAIN,
  ]
  return `${parts.join('\n\n')}\n`
}

/** The results that most readers want, in sentences. A sentence whose figures were not measured is left out. */
function inShort(sections: readonly Section[]): string[] {
  const value = (id: string, row: string, column: string): number => {
    const section = sections.find((one) => one.id === id)
    const cell = section?.rows.find(({ name }) => name === row)?.cells[section.columns.indexOf(column)]
    if (typeof cell === 'string') return Number(cell)
    return cell ? cell.median : Number.NaN
  }
  const added = (row: string) => value('guard', row, 'CPU added, scaled, µs')
  const signIn = (row: string) => value('sign-in', row, 'CPU, scaled, µs')
  const size = sections.find(({ id }) => id === 'install')?.rows.find(({ name }) => name === 'Latchkey')?.cells[1] ?? ''
  const say = (values: readonly number[], words: (...figures: string[]) => string) =>
    values.every(Number.isFinite) ? [words(...values.map(figure))] : []
  const seen = added('Latchkey, token seen before')
  return [
    ...say(
      [seen, (seen * 1000) / 10_000, added('@auth/express, token'), added('better-auth, cookie cache')],
      (own, share, authjs, better) =>
        `A guard of Latchkey adds ${own} µs to a request with a session token that the process has seen before. At 1,000 such requests a second, that is ${share} % of one core. The guard of \`@auth/express\` adds ${authjs} µs, that of better-auth with its cookie cache ${better} µs.`,
    ),
    ...say(
      [added('Latchkey, token never seen'), added('Latchkey, stored, memory adapter')],
      (unseen, stored) =>
        `The first request with a token adds ${unseen} µs, and a stored session ${stored} µs, without the time of the database.`,
    ),
    ...say(
      [
        signIn('Latchkey, credentials'),
        signIn('@auth/express, credentials'),
        signIn('Latchkey, OpenID Connect'),
        signIn('@auth/express, OpenID Connect'),
        signIn('express-openid-connect'),
      ],
      (own, authjs, ownProvider, authjsProvider, openIdConnect) =>
        `A whole sign-in with credentials takes ${own} µs, and ${authjs} µs with \`@auth/express\`. A sign-in at an OpenID provider takes ${ownProvider} µs, ${authjsProvider} µs with \`@auth/express\`, and ${openIdConnect} µs with \`express-openid-connect\`.`,
    ),
    ...say(
      [
        value('memory', 'Latchkey', 'heap after load, MiB') - value('memory', 'Express alone', 'heap after load, MiB'),
        value('import', 'Latchkey', 'above Express, ms'),
        value('install', 'Latchkey', 'packages'),
      ],
      (heap, start, packages) =>
        `Beside Express alone, Latchkey needs ${heap} MiB more heap under load, ${start} ms more at the start, and ${packages} packages with ${size} MB.`,
    ),
  ]
}

const item = (text: string) => `- ${wrapped(text).replaceAll('\n', '\n  ')}`

/** All goals, with the number of those that are missed. */
export function renderGoals(goals: readonly Goal[]): string {
  const missed = goals.filter((goal) => !isMet(goal)).length
  const rows = goals.map((goal) => [goal.name, wanted(goal), reached(goal), isMet(goal) ? 'met' : '**missed**'])
  const summary = missed === 0 ? 'All are met.' : `${missed} of ${goals.length} are missed.`
  return `## Goals\n\n${wrapped(ABOUT_GOALS)}\n\n${summary}\n\n${table(['measure', 'goal', 'reached', ''], rows)}`
}

/** The heading, what it is about, the table and the method of one section. */
export function renderSection({ id, title, how, columns, rows }: Section): string {
  const text = (cell: Row['cells'][number]) =>
    cell === null || typeof cell === 'string' ? (cell ?? '') : quartiles(cell)
  const introduction = INTRODUCTIONS[id]
  const parts = [
    `## ${title}`,
    ...(introduction === undefined ? [] : [wrapped(introduction)]),
    table(
      ['', ...columns],
      rows.map(({ name, cells }) => [name, ...cells.map(text)]),
    ),
    wrapped(`*How it was measured.* ${how}`),
  ]
  return parts.join('\n\n')
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
