/** Colours and sizes of all diagrams. They have a background of their own, so pages may be light or dark. */
export const STYLE = {
  background: '#ffffff',
  border: '#d0d7de',
  text: '#1f2328',
  faint: '#59636e',
  grid: '#e4e8ec',
  own: '#0072b2',
  other: '#9aa4af',
  fontSize: 13,
} as const

/** Lines are told apart by these, which colour-blind readers can tell apart as well (Okabe and Ito), and by their markers. */
export const LINE_COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#8a6d00', '#56b4e9', '#555555', '#7a3db8']

type Attributes = Readonly<Record<string, string | number>>

/** An element. Children are markup already; {@link text} makes it of texts. */
export function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(shown(value))}"`)
  return children.length === 0
    ? `<${name}${list.join('')}/>`
    : `<${name}${list.join('')}>${children.join('')}</${name}>`
}

/** A line of text at a point. */
export const text = (content: string, x: number, y: number, more: Attributes = {}): string =>
  element('text', { x, y, fill: STYLE.text, ...more }, [escaped(content)])

/** How wide a text is, about: a little more than most typefaces need, since nobody knows which one a browser takes. */
export const widthOf = (content: string): number => content.length * STYLE.fontSize * 0.56

/** A whole diagram. */
export function drawing(width: number, height: number, title: string, content: readonly string[]): string {
  const root = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
    width: Math.ceil(width),
    height: Math.ceil(height),
    role: 'img',
    'font-family': 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", Arial, sans-serif',
    'font-size': STYLE.fontSize,
  }
  const paper = element('rect', {
    x: 0.5,
    y: 0.5,
    width: Math.ceil(width) - 1,
    height: Math.ceil(height) - 1,
    rx: 6,
    fill: STYLE.background,
    stroke: STYLE.border,
  })
  const body = [element('title', {}, [escaped(title)]), paper, ...content]
  return `${element('svg', root, ['\n', body.join('\n'), '\n'])}\n`
}

/** A tenth of a pixel is exact enough, and keeps files that changed little alike. */
const shown = (value: string | number) => (typeof value === 'number' ? String(Math.round(value * 10) / 10) : value)

const escaped = (content: string) =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
