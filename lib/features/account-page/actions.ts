import { RequestRefused } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { siteOf, withParams } from '../../pages/action-urls.js'
import { formField } from '../../pages/form-field.js'
import { pageText, type Text, type TextKey } from '../../pages/texts/text.js'
import type { AccountFact, AccountPart } from '../../pages/view.js'
import type { ListedSession } from '../../sessions/session-manager.js'
import { accountUrl, SHOWN_PARTS, sends } from '../../sign-in/account-part.js'
import { csrfTokenOf } from '../../sign-in/csrf-token.js'
import { type AccountParts, pointsIn } from '../../sign-in/feature.js'
import { leadingToSignIn } from '../../sign-in/leading-to-sign-in.js'
import { callerOf, changes, ifKept } from '../../sign-in/list-actions.js'
import { act, type Caller, refuseSignedOut } from '../../sign-in/operation.js'
import { page, redirect } from '../../sign-in/outcome.js'
import { listSessions } from '../../sign-in/session-operations.js'
import { type Action, signedInAs, type Visit } from '../../sign-in/visit.js'

/** What the page says after a change, by its name in the address. */
const DONE: Readonly<Record<string, TextKey>> = {
  name: 'account.done.name',
  session: 'account.done.session',
  sessions: 'account.done.sessions',
  account: 'account.done.account',
  passkey: 'account.done.passkey',
  'passkey-name': 'account.done.passkeyName',
}

/** GET account: everything that the visitor has here, each part with what can be done about it. */
export const showAccount: Action = leadingToSignIn('account', async (visit) => {
  const own = visit.urls.ownPage('account')
  if (own !== undefined) return redirect(own)
  const reading = await visit.sessions.renew(visit)
  visit.keep.always('session', reading.cookies)
  if (reading.session === null) refuseSignedOut()
  const csrf = csrfTokenOf(visit)
  const parts = await partsOf(visit)
  const { mountUrl, origin, urls } = visit
  return page(
    {
      page: 'account',
      status: 200,
      title: pageText('account.title'),
      user: signedInAs(reading),
      done: doneIn(visit),
      parts,
      signOutUrl: withParams(urls.action('signout'), { callbackUrl: accountUrl(visit) }, origin),
      passkeyScript: parts.some(({ passkeyButton }) => passkeyButton) ? `${mountUrl}/assets/passkey-buttons.js` : null,
      csrfToken: csrf.token,
      callbackUrl: accountUrl(visit),
      ...siteOf(origin),
    },
    csrf.cookies,
  )
})

async function partsOf(visit: Visit) {
  const { services } = visit.config
  const made: AccountParts = Object.assign({}, ...pointsIn(visit.config).pages.map(({ account }) => account))
  const caller = callerOf(visit)
  const parts = (services.get(SHOWN_PARTS) ?? []).map(async (name) => {
    const part = await made[name]?.(visit, caller)
    return part ? [{ ...part, name }] : []
  })
  return (await Promise.all(parts)).flat()
}

/** A link on another site could name anything: then nothing is said. */
function doneIn({ query, header }: Visit): Text | null {
  const name = query.get('done') ?? ''
  const isOurs = header('sec-fetch-site') === 'same-origin' && Object.hasOwn(DONE, name)
  const key = isOurs ? DONE[name] : undefined
  return key === undefined ? null : pageText(key)
}

/** Characters of a name: more would be shown nowhere. */
const LONGEST_NAME = 100

/** The name of the person, where the store keeps it. */
export async function profilePart(visit: Visit): Promise<AccountPart | null> {
  const user = await storedUser(visit)
  if (user === null) return null
  const value = user.name ?? ''
  const input = { autocomplete: 'name', required: true, maxlength: String(LONGEST_NAME), ...(value && { value }) }
  const field = { ...formField('name', 'account', input), label: pageText('account.name') }
  const change = sends(visit, 'account', pageText('account.change'), { field })
  return {
    title: pageText('account.name'),
    none: pageText('account.name.none'),
    items: value ? [{ name: value, facts: [], actions: [change] }] : [],
    actions: value ? [] : [change],
  }
}

/** POST account: stores another name of the visitor. */
export const postName: Action = leadingToSignIn(
  'account',
  changes('The configuration keeps no names.', async (caller, fields, visit) => {
    const { userId } = await caller.read()
    const { store } = visit.config
    const user = await storedUser(visit)
    if (userId === null || store === null || user === null) refuseSignedOut()
    const name = textOf(fields['name']).normalize('NFC').replace(/\s+/g, ' ').trim()
    if (name === '' || [...name].length > LONGEST_NAME || /\p{Cc}|\p{Bidi_Control}/u.test(name))
      throw new RequestRefused(422, `A name has 1 to ${LONGEST_NAME} characters, on one line.`)
    await store.updateUser({ id: user.id, name })
    const changed = { ...user, name }
    visit.keep.always('session', await visit.sessions.showUser(visit, changed))
    await visit.config.emit('updateUser', { user: changed }, visit.source)
    return { body: { name }, name: 'name' }
  }),
)

async function storedUser(visit: Visit) {
  const { store } = visit.config
  if (!store?.has('getUser') || !store.has('updateUser')) return null
  const { userId } = await visit.sessions.read(visit)
  return userId === null ? null : ((await store.getUser(userId)) ?? null)
}

/** The browsers in which the person is signed in. */
export async function sessionsPart(visit: Visit, caller: Caller): Promise<AccountPart | null> {
  const sessions = await sessionsOf(caller, 'browser')
  if (sessions === null) return null
  const end = (text: TextKey, hidden: Readonly<Record<string, string>>) =>
    sends(visit, 'sessions/revoke', pageText(text), { hidden })
  return {
    title: pageText('account.sessions'),
    items: sessions.map(({ id, isCurrent, browser, system, network, createdAt, lastSeenAt }) => ({
      name: [browser, system].filter(Boolean).join(', ') || pageText('account.sessions.unknown'),
      ...(isCurrent && { mark: pageText('account.sessions.this') }),
      facts: [
        ...dated('account.used', isCurrent ? null : lastSeenAt),
        ...dated('account.since', createdAt),
        ...(network ? [pageText('account.sessions.network', { network })] : []),
      ],
      actions: isCurrent ? [] : [end('account.sessions.end', { id })],
    })),
    actions: sessions.length > 1 ? [end('account.sessions.endOthers', { others: 'true' })] : [],
  }
}

/** The tokens that the application has issued for programs of the person. */
export async function tokensPart(visit: Visit, caller: Caller): Promise<AccountPart | null> {
  const tokens = await sessionsOf(caller, 'token')
  if (tokens === null || tokens.length === 0) return null
  return {
    title: pageText('account.tokens'),
    items: tokens.map(({ id, name, scope, createdAt, lastSeenAt, expires }) => ({
      name: name ?? pageText('account.tokens.unnamed'),
      facts: [
        ...dated('account.since', createdAt),
        ...dated('account.used', lastSeenAt),
        ...dated('account.until', expires),
        ...(scope ? [pageText('account.tokens.scope', { scope })] : []),
      ],
      actions: [
        sends(visit, 'sessions/revoke', pageText('account.tokens.revoke'), {
          hidden: { id },
          question: pageText('account.tokens.question'),
        }),
      ],
    })),
    actions: [],
  }
}

async function sessionsOf(caller: Caller, kind: ListedSession['kind']) {
  const sessions = await ifKept(() => act(listSessions, caller, []))
  const ofKind = sessions?.filter((each) => each.kind === kind) ?? null
  return ofKind && [...ofKind.filter(({ isCurrent }) => isCurrent), ...ofKind.filter(({ isCurrent }) => !isCurrent)]
}

const dated = (key: TextKey, date: Date | null): readonly AccountFact[] =>
  date === null ? [] : [{ ...pageText(key), date }]
