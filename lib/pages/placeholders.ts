/** A text whose placeholders were replaced, and its length as UTF-8. */
export interface FilledText {
  readonly text: string
  readonly byteLength: number
}

/** Gives the text with these values in place of its placeholders. */
export type Fill<Name extends string> = (values: Readonly<Record<Name, string>>) => FilledText

/**
 * Splits a text at its placeholders, so that the parts between them are made only once.
 *
 * @param placeholders what stands in the text for each value: letters and digits, so random that no other part of the
 *   text is equal to one of them
 */
export function splitAtPlaceholders<Name extends string>(
  text: string,
  placeholders: Readonly<Record<Name, string>>,
): Fill<Name> {
  const names = Object.keys(placeholders) as Name[]
  const [start = '', ...parts] = text.split(new RegExp(`(${names.map((name) => placeholders[name]).join('|')})`))
  const between: { readonly name: Name; readonly after: string }[] = []
  for (let at = 0; at < parts.length; at += 2) {
    const name = names.find((name) => placeholders[name] === parts[at])
    if (name !== undefined) between.push({ name, after: parts[at + 1] ?? '' })
  }
  const ownLength = [start, ...between.map(({ after }) => after)].reduce(
    (sum, part) => sum + Buffer.byteLength(part),
    0,
  )
  const counts = names.map((name) => ({ name, count: between.filter((part) => part.name === name).length }))
  return (values) => {
    let filled = start
    for (const { name, after } of between) filled += values[name] + after
    let byteLength = ownLength
    for (const { name, count } of counts) byteLength += Buffer.byteLength(values[name]) * count
    return { text: filled, byteLength }
  }
}
