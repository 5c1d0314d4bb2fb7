import type { Answer } from './browser.js'

/** What a visitor reads on a page, without the style sheet, and not all of it. */
export const textOf = ({ text }: Answer): string =>
  text
    .replace(/<(style|script|svg|title)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
