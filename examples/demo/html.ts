/** A piece of HTML that is safe to print. */
export class Html {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text
  }
}

type Printable = Html | readonly Html[] | string | number | null | undefined

/** Makes HTML of a template. Each value is escaped, unless it is an {@link Html}. */
export function html(strings: TemplateStringsArray, ...values: readonly Printable[]): Html {
  return new Html(strings.reduce((text, string, index) => text + print(values[index - 1]) + string))
}

function print(value: Printable): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.join('')
  return String(value ?? '').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
