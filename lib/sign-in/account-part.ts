import { withParams } from '../pages/action-urls.js'
import { pageText, type Text, type TextKey, type Wording } from '../pages/texts/text.js'
import type { AccountAction, AccountFact, AccountItem, AccountPart } from '../pages/view.js'
import type { Config, ServiceKey } from './config.js'
import type { Caller } from './operation.js'
import type { SecurityEvent } from './security-event.js'
import type { Visit } from './visit.js'

/** All parts of the account page, in the order in which they are shown. */
export const PART_NAMES = [
  'profile',
  'address',
  'password',
  'passkeys',
  'secondFactor',
  'accounts',
  'sessions',
  'tokens',
  'language',
  'securityEvents',
  'data',
  'deletion',
] as const

/** A part of the account page: it is there if the configuration keeps something of the kind. */
export type AccountPartName = (typeof PART_NAMES)[number]

/** The parts that the account page shows, in their order: names, and what makes those of the application. Null if there is no page. */
export const SHOWN_PARTS: ServiceKey<readonly (AccountPartName | AccountPartMaker)[] | null> = { name: 'account-page' }

/** Makes a part of the account page for somebody who is signed in. Null for none. */
export type AccountPartMaker = (caller: Caller) => Promise<AccountPart | null>

/** Whether the account page has a part. */
export const isPartShown = ({ services }: Pick<Config, 'services'>, name: AccountPartName): boolean =>
  services.get(SHOWN_PARTS)?.includes(name) ?? false

/** The address of the account page, of the application or ours: where its forms come back to. */
export const accountUrl = ({ urls, origin }: Pick<Visit, 'urls' | 'origin'>): string =>
  new URL(urls.ownPage('account') ?? urls.action('account'), origin).href

/** A part that is about one thing, which may be missing. */
export const partOfOne = (
  { title, none }: Required<Pick<AccountPart, 'title' | 'none'>>,
  item: Omit<AccountItem, 'facts' | 'actions'> | null,
  actions: readonly AccountAction[],
): AccountPart => ({
  title,
  none,
  items: item ? [{ ...item, facts: [], actions }] : [],
  actions: item ? [] : actions,
})

/** A fact with a date; none if nobody knows it. */
export const dated = (key: TextKey, date: Date | null, hasTime = false): readonly AccountFact[] =>
  date === null ? [] : [{ ...pageText(key), date, hasTime }]

/** The browser of a client and its system; empty if nobody knows them. */
export const shownBrowser = ({ browser, system }: Pick<SecurityEvent, 'browser' | 'system'>): string =>
  [browser, system].filter(Boolean).join(', ')

/** The network of a client; none if nobody knows it, or it is that of this computer, which says nothing. */
export const shownNetwork = (network: string | null): readonly AccountFact[] =>
  network === null || /^(?:::|127\.)/.test(network) ? [] : [pageText('account.sessions.network', { network })]

/** Leads from the account page to a page of the mount, and from there back. */
export const leadsTo = (visit: Visit, path: string, text: Text): Extract<AccountAction, { kind: 'link' }> => ({
  kind: 'link',
  url: withParams(`${visit.mountUrl}/${path}`, { callbackUrl: accountUrl(visit) }, visit.origin),
  text,
})

/** The same, to a page that takes away what no sign-in brings back. */
export const leadsToRemoval = (...to: Parameters<typeof leadsTo>): ReturnType<typeof leadsTo> => ({
  ...leadsTo(...to),
  isDangerous: true,
})

/** Sends a form from the account page to a path of the mount, which leads back. */
export const sends = (
  { mountUrl }: Visit,
  path: string,
  text: Wording,
  hidden: Readonly<Record<string, string>> = {},
): Extract<AccountAction, { kind: 'form' }> => ({
  kind: 'form',
  action: `${mountUrl}/${path}`,
  hidden: Object.entries(hidden),
  text,
})

/** The same, once a question is answered: where it takes away what no sign-in brings back. */
export const asking = (question: Text, form: ReturnType<typeof sends>): AccountAction => ({
  ...form,
  kind: 'question',
  question,
})
