import { InvalidConfiguration } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import { text } from '../../kernel/shape.js'
import type { RenderedAccount } from '../../pages/renderer.js'
import { SHOWN_PARTS } from '../../sign-in/account-part.js'
import type { Config } from '../../sign-in/config.js'
import { type Operation, required } from '../../sign-in/operation.js'

/** What the forms of the account page have in them. */
export interface AccountRendering {
  /** The CSRF token of the browser, from `csrfToken` or the `csrf` action. */
  readonly csrfToken: string
}

const check = required(object<AccountRendering>({ csrfToken: text }))

export const renderAccount: Operation<[options: AccountRendering], RenderedAccount> = {
  parameters: ['{ csrfToken }'],
  check(options, call) {
    check(options, call)
    // Without one, each form would be refused when somebody sends it.
    if ((options as Partial<AccountRendering>).csrfToken === undefined) {
      throw new InvalidConfiguration(`\`csrfToken\` is missing. Call it: ${call}.`)
    }
  },
  requires(config: Config) {
    if (config.services.get(SHOWN_PARTS) === null) {
      throw new InvalidConfiguration('renderAccount() shows nothing with `accountPage: false`.')
    }
  },
  run: async (asked, { csrfToken }) => (await import('./actions.js')).renderParts(asked, csrfToken),
}
