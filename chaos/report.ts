import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Finding } from './finding.js'
import { EXPERIMENTS } from './names.js'

/** The result of one experiment. */
export interface Report {
  readonly name: string
  readonly title: string
  readonly seconds: number
  readonly findings: readonly Finding[]
}

/** The results of one version of the package. */
export interface Results {
  /** When the last run was, in ISO 8601. */
  readonly takenOn: string
  readonly reports: readonly Report[]
}

/** Adds the results of a run to those in a file. Results of the same experiments are replaced. */
export async function keepResults(file: string, reports: readonly Report[]): Promise<void> {
  const kept = await readFile(file, 'utf8').catch(() => null)
  const before = kept === null ? [] : (JSON.parse(kept) as Results).reports
  const others = before.filter(({ name }) => !reports.some((report) => report.name === name))
  const inOrder = EXPERIMENTS.flatMap((name) => [...others, ...reports].filter((report) => report.name === name))
  const results: Results = { takenOn: new Date().toISOString(), reports: inOrder }
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
}

/** The part of the page between these two lines is made of results. */
const MARKS = ['<!-- figures: npx tsx chaos/report.ts -->', '<!-- end of figures -->'] as const

/** The page with the figures of two versions side by side. */
export function renderPage(page: string, before: Results, after: Results): string {
  const [head = '', rest = ''] = page.split(MARKS[0])
  const [, tail = ''] = rest.split(MARKS[1])
  const sections = after.reports.map((report) => section(report, before))
  return `${head}${MARKS[0]}\n\n${sections.join('\n')}\n${MARKS[1]}${tail}`
}

function section({ name, title, findings }: Report, before: Results): string {
  const earlier = before.reports.find((report) => report.name === name)?.findings ?? []
  const rows = findings.map((finding) => {
    const { what, wanted = '' } = finding
    return `| ${[what, cell(earlier.find((one) => one.what === what)), cell(finding), wanted].map(escaped).join(' | ')} |`
  })
  const sentence = `${title.slice(0, 1).toUpperCase()}${title.slice(1)}.`
  return [`### ${name}`, '', sentence, '', '| | before | now | wanted |', '|---|---|---|---|', ...rows, ''].join('\n')
}

function cell(finding: Finding | undefined): string {
  if (!finding) return ''
  return finding.holds === false ? `**${finding.measured}**` : finding.measured
}

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const PAGE = fileURLToPath(new URL('../docs/resilience.md', import.meta.url))
const resultsOf = async (name: string) =>
  JSON.parse(await readFile(fileURLToPath(new URL(`results/${name}.json`, import.meta.url)), 'utf8')) as Results

/** The page, made of the stored results. */
export const renderedPage = async (): Promise<string> =>
  renderPage(await readFile(PAGE, 'utf8'), await resultsOf('before'), await resultsOf('after'))

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(PAGE, await renderedPage())
