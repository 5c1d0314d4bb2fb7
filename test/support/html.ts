/** The elements of a page in order, each with the names of its attributes: what data must never be able to change. */
export const skeleton = (html: string): readonly string[] =>
  Array.from(html.matchAll(/<(?:\/?[a-z!][^\s>]*)(?:\s+[^\s=>]+(?:="[^"]*")?)*\s*>/gi), ([tag]) =>
    tag.replace(/="[^"]*"/g, ''),
  )

/** The start tags of one kind, each as its attributes, unescaped. */
export const elements = (html: string, name: string): readonly ReadonlyMap<string, string>[] =>
  Array.from(
    html.matchAll(new RegExp(`<${name}((?:\\s+[^\\s=>]+(?:="[^"]*")?)*)\\s*/?>`, 'gi')),
    ([, attributes = '']) => attributesOf(attributes),
  )

/** Text of the page without its markup and stylesheets. */
export const visibleText = (html: string): string =>
  unescaped(
    html
      .replace(/<(style|title|script|template)[^>]*>.*?<\/\1>/gs, '')
      .replaceAll('<wbr>', '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  ).trim()

const attributesOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    Array.from(text.matchAll(/([^\s=]+)(?:="([^"]*)")?/g), ([, name = '', value = '']) => [name, unescaped(value)]),
  )

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

const unescaped = (text: string): string =>
  text.replace(/&(?:lt|gt|quot|amp|#39);/g, (entity) => ENTITIES[entity] ?? '')
