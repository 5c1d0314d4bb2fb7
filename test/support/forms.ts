import { elements } from './html.js'
import type { Answer, Visitor } from './visitor.js'

/** A form of a page, as a browser would send it. */
export interface Form {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

/** The forms of a page, with the values that are filled in. */
export const formsOf = ({ text }: Answer): readonly Form[] =>
  Array.from(text.matchAll(/<form[\s>][\s\S]*?<\/form>/g), ([html]) => ({
    action: elements(html, 'form')[0]?.get('action') ?? '',
    fields: Object.fromEntries(
      elements(html, 'input').map((input): [string, string] => [input.get('name') ?? '', input.get('value') ?? '']),
    ),
  }))

/** Sends the first form of a page whose address ends so. */
export function submit(
  visitor: Visitor,
  page: Answer,
  actionEnd: string,
  entered: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const form = formsOf(page).find(({ action }) => action.endsWith(actionEnd))
  if (!form)
    throw new Error(`The page has no form for ${actionEnd}; it has ${formsOf(page).map(({ action }) => action)}`)
  return visitor.post(new URL(form.action, visitor.origin).href, { ...form.fields, ...entered }, headers)
}
