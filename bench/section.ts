/** What several rounds of one measurement gave. */
export interface Spread {
  readonly median: number
  /** Quartiles: half of the rounds lie between them. */
  readonly low: number
  readonly high: number
}

/** One line of a table. A cell is a spread of measured values, a plain text, or absent where the measure does not apply. */
export interface Row {
  readonly name: string
  readonly cells: readonly (Spread | string | null)[]
}

/** A figure that the project has set itself, and what was reached. */
export interface Goal {
  /** What is measured, in words: "CPU added per guarded request, token session seen before". */
  readonly name: string
  readonly unit: string
  readonly limit: number
  readonly is: 'at most' | 'at least'
  readonly reached: number
}

/** One line of a diagram: `y` over `x`. */
export interface Curve {
  readonly name: string
  readonly points: readonly { readonly x: number; readonly y: Spread }[]
}

/** What one measurement has to say: a table, or curves, or both. */
export interface Section {
  readonly id: string
  readonly title: string
  /** How it was measured, in a sentence or two of Markdown. */
  readonly how: string
  /** Headings of the cells, with their units: "CPU per request, µs". */
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  readonly goals: readonly Goal[]
  readonly curves?: { readonly x: string; readonly y: string; readonly lines: readonly Curve[] }
}

/** How much time a measurement may take. */
export interface Effort {
  /** A minute for everything, to see that it works: figures are rough. */
  readonly quick: boolean
  /** Says what is going on, on one line. */
  readonly progress: (text: string) => void
}

/** A measurement: a file of `measures/` exports one as `measure`. */
export type Measure = (effort: Effort) => Promise<Section>

/** What a whole run gave: the content of `results.json`. */
export interface Results {
  /** ISO 8601. */
  readonly takenOn: string
  readonly machine: { readonly node: string; readonly cpu: string; readonly cores: number; readonly system: string }
  readonly quick: boolean
  readonly sections: readonly Section[]
}
