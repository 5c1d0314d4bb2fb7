/** One line of the report: something that was found out, with the reason or the cure. */
export interface Finding {
  readonly kind: 'fact' | 'good' | 'warning' | 'problem'
  readonly text: string
  /** What to do about it. */
  readonly cure?: string
}

/** A part of the report. */
export interface Section {
  readonly title: string
  readonly findings: readonly Finding[]
}

export const fact = (text: string): Finding => ({ kind: 'fact', text })
export const good = (text: string): Finding => ({ kind: 'good', text })
export const warning = (text: string, cure?: string): Finding => ({ kind: 'warning', text, ...(cure && { cure }) })
export const problem = (text: string, cure?: string): Finding => ({ kind: 'problem', text, ...(cure && { cure }) })

const MARKS = { fact: ' ', good: '✓', warning: '!', problem: '✗' }
/** Select Graphic Rendition of ECMA-48: bold, green, yellow and red. */
const COLOURS = { fact: null, good: 32, warning: 33, problem: 31 }
const BOLD = 1

/** The report as lines for a terminal or a file. */
export function linesOf(sections: readonly Section[], colours: boolean): string[] {
  const paint = (text: string, code: number | null) =>
    colours && code !== null ? `\u001b[${code}m${text}\u001b[0m` : text
  return sections.flatMap(({ title, findings }) => [
    paint(title, BOLD),
    ...findings.flatMap(({ kind, text, cure }) => [
      `  ${paint(MARKS[kind], COLOURS[kind])} ${text}`,
      ...(cure === undefined ? [] : [`    → ${cure}`]),
    ]),
    '',
  ])
}

/** How many findings of the report are of a kind. */
export const countOf = (sections: readonly Section[], kind: Finding['kind']): number =>
  sections.flatMap(({ findings }) => findings).filter((finding) => finding.kind === kind).length
