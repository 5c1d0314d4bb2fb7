import type { Answer } from './browser.js'

/** The beginning of the text that a visitor reads on a page. */
export const textOf = ({ text }: Answer): string =>
  text
    .replace(/<(style|script|svg|title)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
