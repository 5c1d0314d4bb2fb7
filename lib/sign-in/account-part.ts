import { withParams } from '../pages/action-urls.js'
import type { FormField } from '../pages/form-field.js'
import type { Text } from '../pages/texts/text.js'
import type { AccountAction } from '../pages/view.js'
import type { Config, ServiceKey } from './config.js'
import type { Visit } from './visit.js'

/** The names of the parts that the account page shows, in their order. Null if there is no page. */
export const SHOWN_PARTS: ServiceKey<readonly string[] | null> = { name: 'account-page' }

/** Whether the account page has a part. */
export const isPartShown = ({ services }: Pick<Config, 'services'>, name: string): boolean =>
  services.get(SHOWN_PARTS)?.includes(name) ?? false

/** The address of the account page. */
export const accountUrl = ({ urls }: Visit): string => urls.action('account')

/** Leads from the account page to a page of the mount, and from there back. */
export const leadsTo = (visit: Visit, path: string, text: Text): AccountAction => ({
  kind: 'link',
  url: withParams(`${visit.mountUrl}/${path}`, { callbackUrl: accountUrl(visit) }, visit.origin),
  text,
})

/** Sends a form from the account page to a path of the mount, which leads back. */
export const sends = (
  visit: Visit,
  path: string,
  text: Text,
  { hidden = {}, ...asked }: { hidden?: Readonly<Record<string, string>>; question?: Text; field?: FormField } = {},
): AccountAction => ({
  kind: 'form',
  action: `${visit.mountUrl}/${path}`,
  hidden: Object.entries(hidden),
  text,
  ...asked,
})
