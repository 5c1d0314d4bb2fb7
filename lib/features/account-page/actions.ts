import type { Store } from '../../adapters/gateway.js'
import { AuthError, RequestRefused, withoutDetails } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { normalizedText } from '../../kernel/normalized-text.js'
import { canBeShown } from '../../kernel/shown-name.js'
import { siteOf } from '../../pages/action-urls.js'
import { formField } from '../../pages/form-field.js'
import type { RenderedAccount } from '../../pages/renderer.js'
import { ENGLISH, nameOfLanguage, pageText, type Text, type TextKey } from '../../pages/texts/text.js'
import type { AccountPart } from '../../pages/view.js'
import { ACT_AS } from '../../sessions/authentication.js'
import {
  accountUrl,
  asking,
  dated,
  isPartShown,
  partOfOne,
  SHOWN_PARTS,
  sends,
  shownBrowser,
  shownNetwork,
} from '../../sign-in/account-part.js'
import { csrfTokenOf } from '../../sign-in/csrf-token.js'
import { type AccountParts, pointsIn } from '../../sign-in/feature.js'
import { homeOf } from '../../sign-in/find-return-target.js'
import { acceptLanguageOf } from '../../sign-in/language.js'
import { leadingToSignIn } from '../../sign-in/leading-to-sign-in.js'
import { callerOf, changes, ifKept } from '../../sign-in/list-actions.js'
import { type Caller, carryOut, refuseSignedOut } from '../../sign-in/operation.js'
import { type Outcome, page, redirect } from '../../sign-in/outcome.js'
import { listSessions } from '../../sign-in/session-operations.js'
import { type Action, signedInAs, type Visit } from '../../sign-in/visit.js'

/** GET account: everything that the visitor has here, each part with what can be done about it. */
export const showAccount: Action = leadingToSignIn('account', async (visit) => {
  const own = visit.urls.ownPage('account')
  return own === undefined ? accountPage(visit) : redirect(own)
})

/** @param message why what was entered was refused; null for nothing */
async function accountPage(visit: Visit, message: Text | null = null): Promise<Outcome> {
  const reading = await visit.sessions.renew(visit)
  visit.keep.always('session', reading.cookies)
  if (reading.session === null) refuseSignedOut()
  const csrf = csrfTokenOf(visit)
  const { parts, missing } = await partsOf(callerOf(visit))
  const { origin, urls, config } = visit
  return page(
    {
      page: 'account',
      status: message === null ? 200 : 422,
      title: pageText('account.title'),
      user: signedInAs(reading),
      isActing: reading.actor !== undefined,
      done: doneIn(visit),
      message: message ?? missing,
      parts,
      homeUrl: homeOf(config, origin),
      // Without a way back: this page would only ask them to sign in.
      signOutUrl: urls.action('signout'),
      passkeyScript: parts.find(({ passkeyButton }) => passkeyButton)?.passkeyButton?.script ?? null,
      csrfToken: csrf.token,
      callbackUrl: accountUrl(visit),
      ...siteOf(origin),
    },
    csrf.cookies,
  )
}

/** The same for a page of the application, which has its own token for the forms. */
export async function renderParts(asked: Caller, csrfToken: string): Promise<RenderedAccount> {
  const visit = asked.visit()
  const { config, origin } = visit
  const { parts, missing } = await partsOf({ ...asked, visit: () => visit })
  const { host } = siteOf(origin)
  const view = { parts, done: doneIn(visit), message: missing, host, csrfToken, callbackUrl: accountUrl(visit) }
  return config.renderer.accountParts(view, acceptLanguageOf(visit))
}

/**
 * A part that fails is in the log, and left out: whoever came to sign out a lost device must not be kept from it by what another part
 * needs, be it a service of the application or a record that nobody can read.
 */
async function partsOf(caller: Caller) {
  const { config } = caller
  const made: AccountParts = Object.assign({}, ...pointsIn(config).pages.map(({ account }) => account))
  const isActedAs = (await caller.read()).actor !== undefined
  const making = (config.services.get(SHOWN_PARTS) ?? []).map(async (shown, index) => {
    const isOwn = typeof shown === 'function'
    const [name, make] = isOwn ? [`own${index}`, shown] : [shown, made[shown]]
    try {
      const part = await make?.(caller)
      const isOffered = !isActedAs || isOwn || shown === 'language'
      const seen = part && !isOffered ? withoutActions(part) : part
      return seen ? [{ ...seen, name }] : []
    } catch (error) {
      const place = isOwn ? `accountPage.parts[${index}]` : `The part ${name} of the account page`
      const fault = new AuthError(`${place} failed. The page is shown without it.`, { err: withoutDetails(error) })
      config.logger.error(fault, caller.visit().source)
      return null
    }
  })
  const parts = await Promise.all(making)
  const missing = parts.includes(null) ? pageText('error.unavailable.text') : null
  return { parts: parts.flatMap((each) => each ?? []), missing }
}

/** An administrator who acts as the person sees what there is, and nothing that would be refused: null for a part of actions alone. */
const withoutActions = ({ passkeyButton: _, items, ...part }: AccountPart): AccountPart | null =>
  items.length === 0 && part.none === undefined
    ? null
    : { ...part, items: items.map((item) => ({ ...item, actions: [] })), actions: [] }

/** How the texts begin that say what was done. */
const DONE = 'account.done.'

/** What has just been done, if a page of this origin led here: a link on another site could name anything. */
function doneIn({ query, header }: Visit): Text | null {
  const key = `${DONE}${query.get('done')}`
  const isOurs = header('sec-fetch-site') === 'same-origin' && Object.hasOwn(ENGLISH, key)
  return isOurs ? pageText(key as TextKey) : null
}

/** Characters of a name: more would be shown nowhere. */
const LONGEST_NAME = 100

/** The name of the person, where the store keeps it. */
export async function profilePart(caller: Caller): Promise<AccountPart | null> {
  const visit = caller.visit()
  const user = await storedUser(caller)
  if (user === null) return null
  const { name: value } = user
  const label = pageText('account.name')
  const input = { autocomplete: 'name', required: true, maxlength: String(LONGEST_NAME), ...(value && { value }) }
  const field = { ...formField('name', 'account', input), label }
  return partOfOne({ title: label, none: pageText('account.name.none') }, value ? { name: value } : null, [
    { ...sends(visit, 'account', pageText('account.change')), kind: 'field', field },
  ])
}

const NO_NAMES = 'No names are kept here.'

/** POST account: stores another name of the visitor. */
export const postName: Action = leadingToSignIn(
  'account',
  changes(NO_NAMES, async (caller, fields, visit) => {
    const { store } = visit.config
    if (!isPartShown(visit.config, 'profile') || !keepsNames(store)) throw new RequestRefused(404, NO_NAMES)
    const user = (await storedUser(caller)) ?? refuseSignedOut()
    const name = normalizedText(textOf(fields['name']), 'NFC').replace(/\s+/g, ' ').trim()
    if (!canBeShown(name) || [...name].length > LONGEST_NAME) {
      const message = pageText('account.name.wrong', { count: String(LONGEST_NAME) })
      return { body: { error: 'Name' }, status: 422, shows: await accountPage(visit, message) }
    }
    await store.updateUser({ id: user.id, name })
    const changed = { ...user, name }
    visit.keep.always('session', await visit.sessions.showUser(visit, changed))
    await visit.config.emit('updateUser', { user: changed }, visit.source)
    return { body: { name }, says: 'name' }
  }),
)

const keepsNames = (store: Store | null): store is Store => Boolean(store?.has('getUser') && store.has('updateUser'))

async function storedUser({ config: { store }, read }: Caller) {
  if (!keepsNames(store)) return null
  const { userId } = await read()
  return userId === null ? null : ((await store.getUser(userId)) ?? null)
}

/** What a session is called whose browser is not known. */
const UNNAMED = { acting: 'account.sessions.acting', other: 'account.sessions.unknown' } as const

/** The browsers in which the person is signed in. */
export async function sessionsPart(caller: Caller): Promise<AccountPart | null> {
  const all = await sessionsOf(caller)
  if (all === null) return null
  const sessions = all.filter(({ kind }) => kind === 'browser')
  const hasTokens = all.length > sessions.length
  const visit = caller.visit()
  const endOthers = sends(visit, 'sessions/revoke', pageText('account.sessions.endOthers'), { others: 'true' })
  return {
    title: pageText('account.sessions'),
    items: sessions.map(({ id, isCurrent, provider, network, createdAt, lastSeenAt, ...client }) => ({
      name: shownBrowser(client) || pageText(UNNAMED[provider === ACT_AS ? 'acting' : 'other']),
      ...(isCurrent && { mark: pageText('account.sessions.this') }),
      facts: [
        ...dated('account.used', isCurrent ? null : lastSeenAt, true),
        ...dated('account.since', createdAt),
        ...shownNetwork(network),
      ],
      actions: isCurrent ? [] : [sends(visit, 'sessions/revoke', pageText('account.sessions.end'), { id })],
    })),
    actions:
      sessions.length > 1
        ? // Tokens end with them.
          [hasTokens ? asking(pageText('account.sessions.withTokens'), endOthers) : endOthers]
        : [],
  }
}

/** The tokens that the application has issued for programs of the person. */
export async function tokensPart(caller: Caller): Promise<AccountPart | null> {
  const tokens = (await sessionsOf(caller))?.filter(({ kind }) => kind === 'token') ?? []
  if (tokens.length === 0) return null
  return {
    title: pageText('account.tokens'),
    items: tokens.map(({ id, name, scope, createdAt, lastSeenAt, expires }) => ({
      name: name ?? pageText('account.tokens.unnamed'),
      facts: [
        ...dated('account.since', createdAt),
        ...dated('account.used', lastSeenAt, true),
        ...dated('account.until', expires),
        ...(scope ? [pageText('account.tokens.scope', { scope })] : []),
      ],
      actions: [
        asking(
          pageText('account.tokens.question'),
          sends(caller.visit(), 'sessions/revoke', pageText('account.tokens.revoke'), { id, kind: 'token' }),
        ),
      ],
    })),
    actions: [],
  }
}

/** This browser first. Null where nothing lists sessions. */
async function sessionsOf(caller: Caller) {
  const sessions = await ifKept(() => carryOut(listSessions, caller, []))
  return sessions && [...sessions].sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent))
}

/** The language of pages and mails in this browser, where there are several. */
export async function languagePart(caller: Caller): Promise<AccountPart | null> {
  const visit = caller.visit()
  const { languages, languageOf } = visit.config.renderer
  if (languages.length === 0) return null
  const current = languageOf(acceptLanguageOf(visit))
  return {
    title: pageText('account.language'),
    items: [{ name: nameOfLanguage(current), facts: [], actions: [] }],
    actions: languages
      .filter((each) => each !== current)
      .map((language) => sends(visit, 'language', nameOfLanguage(language), { language })),
  }
}
