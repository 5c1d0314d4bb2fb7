import { hidden } from './fields.js'
import { type Html, html } from './html.js'

/** A change that cannot be taken back, and what its visitor is asked before it. */
export interface Confirmation {
  /** Unique on the page. */
  readonly id: string
  /** Text of the button that asks. */
  readonly opener: string
  /** What a screen reader says for this button, because several buttons of a page have the same text. */
  readonly openerLabel: string
  readonly question: string
  readonly consequence: string
  /** Text of the button that makes the change. */
  readonly submit: string
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

/** A button that asks before its form is sent. It opens a popover, for which browsers need no script. */
export const confirmed = ({
  id,
  opener,
  openerLabel,
  question,
  consequence,
  submit,
  action,
  fields,
}: Confirmation): Html => html`
  <button type="button" class="plain small-button" popovertarget="${id}" aria-label="${openerLabel}">${opener}</button>
  <div popover id="${id}" class="ask" role="alertdialog" aria-labelledby="${id}-question" aria-describedby="${id}-consequence">
    <h3 id="${id}-question">${question}</h3>
    <p id="${id}-consequence">${consequence}</p>
    <form method="post" action="${action}" class="actions">
      ${hidden(fields)}
      <button class="danger">${submit}</button>
      <button type="button" class="plain" popovertarget="${id}" popovertargetaction="hide" autofocus>Cancel</button>
    </form>
  </div>`
