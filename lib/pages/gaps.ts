/** A text whose gaps were filled in, and its length as UTF-8. */
export interface FilledText {
  readonly text: string
  readonly byteLength: number
}

/** Puts a text together, with what is to stand in each gap. */
export type Fill<Name extends string> = (values: Readonly<Record<Name, string>>) => FilledText

/**
 * Cuts a text at its gaps, so that what lies between them is made once.
 *
 * @param gaps what stands in the text for each value, of letters and digits; so random that nothing else in the text reads the same
 */
export function cutAtGaps<Name extends string>(text: string, gaps: Readonly<Record<Name, string>>): Fill<Name> {
  const names = Object.keys(gaps) as Name[]
  const [start = '', ...parts] = text.split(new RegExp(`(${names.map((name) => gaps[name]).join('|')})`))
  const between: { readonly name: Name; readonly after: string }[] = []
  for (let at = 0; at < parts.length; at += 2) {
    const name = names.find((name) => gaps[name] === parts[at])
    if (name !== undefined) between.push({ name, after: parts[at + 1] ?? '' })
  }
  const ownLength = [start, ...between.map(({ after }) => after)].reduce(
    (sum, part) => sum + Buffer.byteLength(part),
    0,
  )
  const counts = names.map((name) => ({ name, count: between.filter((gap) => gap.name === name).length }))
  return (values) => {
    let filled = start
    for (const { name, after } of between) filled += values[name] + after
    let byteLength = ownLength
    for (const { name, count } of counts) byteLength += Buffer.byteLength(values[name]) * count
    return { text: filled, byteLength }
  }
}
