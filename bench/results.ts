/** The median of measured values, with the quartiles: half of the values lie between `low` and `high`. */
export type Quartiles = Readonly<Record<'median' | 'low' | 'high', number>>

/** One line of a table. A cell is null where the column does not apply. */
export type Row = Readonly<{ name: string; cells: readonly (Quartiles | string | null)[] }>

/** A figure that the project wants to reach, and the figure that was measured: NaN when it was not. */
export interface Goal {
  readonly name: string
  readonly unit: string
  readonly limit: number
  readonly is: 'at most' | 'at least'
  readonly reached: number
}

/** CPU microseconds of the bare route on the machine for which the goals were set. */
export const REFERENCE_BARE = 95

/** The result of one measurement. `how` is the method in a few sentences of Markdown. Columns have their units. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly how: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  readonly goals: readonly Goal[]
}

/** A measurement, which each file of `sections/` exports as `measure`. A quick one only shows that everything works. */
export type Measure = (quick: boolean) => Promise<Section>

/** The result of a whole run: the content of `results.json`. `takenOn` is in ISO 8601. */
export interface Results {
  readonly takenOn: string
  readonly machine: { readonly node: string; readonly cpu: string; readonly cores: number; readonly system: string }
  readonly quick: boolean
  readonly sections: readonly Section[]
}

export function goal(name: string, is: Goal['is'], limit: number, unit: string, reached = Number.NaN): Goal {
  return { name, unit, limit, is, reached }
}

/** Median and quartiles of measured values, interpolated between neighbours. */
export function quartilesOf(values: readonly number[]): Quartiles {
  const sorted = values.toSorted((left, right) => left - right)
  const at = (share: number) => {
    const place = (sorted.length - 1) * share
    const below = sorted[Math.floor(place)] ?? Number.NaN
    const above = sorted[Math.ceil(place)] ?? below
    return below + (above - below) * (place - Math.floor(place))
  }
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}
