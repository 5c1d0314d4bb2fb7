import { within } from '../../kernel/awaitable.js'
import { AuthError, InvalidConfiguration } from '../../kernel/errors.js'
import { object } from '../../kernel/object-shape.js'
import { listOf, oneOf, problemsOf, recordOf, text } from '../../kernel/shape.js'
import { parseUrl } from '../../kernel/urls.js'
import type { AccountAction, AccountPart } from '../../pages/view.js'
import type { CurrentSession } from '../../sessions/session.js'
import { acceptLanguageOf } from '../../sign-in/language.js'
import type { Caller } from '../../sign-in/operation.js'

/** Who looks at the account page. */
export interface AccountPageVisitor {
  /** As `getSession` gives it. */
  readonly session: CurrentSession
  /** The language of the page, as a BCP 47 tag: `de`. */
  readonly language: string
}

/**
 * Makes a part of the account page for whoever looks at it; null for none. If it throws, or takes longer than `storeTimeout`,
 * the log has it, and the page is shown without the part, and says so.
 */
export type OwnAccountPart = (
  visitor: AccountPageVisitor,
) => Promise<OwnAccountPartContent | null> | OwnAccountPartContent | null

/** What the part shows. Every text is shown as it is, never as HTML. */
export interface OwnAccountPartContent {
  /** The heading. */
  readonly title: string
  /** What the part is about; absent where its title says it. */
  readonly lead?: string
  /** What stands in place of the list where it is empty. */
  readonly none?: string
  readonly items?: readonly OwnAccountItem[]
  /** What can be done beside what each of the items offers. */
  readonly actions?: readonly OwnAccountAction[]
}

/** One thing in the list of the part. */
export interface OwnAccountItem {
  readonly name: string
  /** What sets it apart from the others, in a word or two. */
  readonly mark?: string
  readonly facts?: readonly string[]
  readonly actions?: readonly OwnAccountAction[]
}

/** A link, or a button that sends a form. */
export interface OwnAccountAction {
  readonly text: string
  /** A path, or an http(s) URL. A form can be sent to this origin only. */
  readonly url: string
  /**
   * Sends a form. It has the field `csrfToken`, for `verifyCsrfToken`, and `callbackUrl` with the address of the account page, to
   * which the answer can redirect. By default, the action is a link.
   */
  readonly method?: 'POST'
  /** Further fields of the form, which are hidden. */
  readonly fields?: Readonly<Record<string, string>>
  /** What is asked before the form is sent. */
  readonly question?: string
}

const actions = listOf(
  object<OwnAccountAction>({ text, url: text, method: oneOf('POST'), fields: recordOf(text), question: text }),
  'actions',
)
const CONTENT = object<OwnAccountPartContent>({
  title: text,
  lead: text,
  none: text,
  items: listOf(object<OwnAccountItem>({ name: text, mark: text, facts: listOf(text, 'texts'), actions }), 'items'),
  actions,
})

/**
 * The part that code of the application makes; null if it makes none.
 *
 * @throws {AuthError} if it fails, or takes too long
 */
export async function ownPart(make: OwnAccountPart, caller: Caller): Promise<AccountPart | null> {
  const visit = caller.visit()
  const { config, origin } = visit
  const { session } = await caller.read()
  if (session === null) return null
  const visitor = { session, language: config.renderer.languageOf(acceptLanguageOf(visit)) }
  const making = (async () => make(visitor))()
  const content = await within(making, config.storeTimeout * 1000, () => new AuthError('It took too long.'))
  return content === null ? null : partOf(content, origin)
}

/** @throws {InvalidConfiguration} if it is not what a part can be */
function partOf(content: OwnAccountPartContent, origin: string): AccountPart {
  const problems = CONTENT.fits(content) ? problemsOf(content, CONTENT, 'part') : [{ message: 'It is no object.' }]
  if (problems.length > 0) throw new InvalidConfiguration(problems.map(({ message }) => message).join(' '))
  const actionsOf = (given: readonly OwnAccountAction[] = []) => given.map((each) => actionOf(each, origin))
  const { title, lead, none, items = [] } = content
  return {
    title: required(title, 'title'),
    ...(lead !== undefined && { lead }),
    ...(none !== undefined && { none }),
    items: items.map(({ name, mark, facts = [], actions }) => ({
      name: required(name, 'name'),
      ...(mark !== undefined && { mark }),
      facts,
      actions: actionsOf(actions),
    })),
    actions: actionsOf(content.actions),
  }
}

function required(value: string | undefined, name: string): string {
  if (!value) throw new InvalidConfiguration(`\`${name}\` is missing or empty.`)
  return value
}

/** A form goes to this origin only: its fields have a CSRF token, and no policy of the page need name another host. */
function actionOf({ text, url, method, fields, question }: OwnAccountAction, origin: string): AccountAction {
  const shown = required(text, 'text')
  const target = parseUrl(required(url, 'url'), origin)
  if (!target || !/^https?:$/.test(target.protocol))
    throw new InvalidConfiguration('A `url` is no path and no http(s) URL.')
  if (method === undefined) {
    if (fields ?? question)
      throw new InvalidConfiguration("`fields` and `question` are of forms: add `method: 'POST'`.")
    return { kind: 'link', url: target.href, text: shown }
  }
  if (target.origin !== origin) throw new InvalidConfiguration('The `url` of a form is not on this origin.')
  const taken = ['csrfToken', 'callbackUrl'].find((name) => fields && Object.hasOwn(fields, name))
  if (taken) throw new InvalidConfiguration(`Every form has the field \`${taken}\` already.`)
  const form = { action: target.href, hidden: Object.entries(fields ?? {}), text: shown }
  return question ? { ...form, kind: 'question', question } : { ...form, kind: 'form' }
}
