import { type Html, html } from './html.js'

/** Hidden fields of a form. */
export const hidden = (fields: Readonly<Record<string, string>>): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** A time as text, in the words of the demo. */
export const textOfDate = (date: Date | null): string =>
  date?.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }) ?? 'at an unknown time'

/** A time for people and for programs. */
export const dateOf = (date: Date | null): Html | string =>
  date ? html`<time datetime="${date.toISOString()}">${textOfDate(date)}</time>` : textOfDate(date)
