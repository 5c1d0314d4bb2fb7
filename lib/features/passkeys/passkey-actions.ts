import { withParams } from '../../pages/action-urls.js'
import { formField } from '../../pages/form-field.js'
import { buttonsScript, buttonsScriptUrl, loadScript } from '../../pages/loaded-assets.js'
import { pageText } from '../../pages/texts/text.js'
import type { AccountPart } from '../../pages/view.js'
import { accountUrl, asking, dated, sends } from '../../sign-in/account-part.js'
import { flowOf } from '../../sign-in/flow.js'
import { acceptLanguageOf } from '../../sign-in/language.js'
import { changes, ifKept, lists, requiredText } from '../../sign-in/list-actions.js'
import { REMOVED } from '../../sign-in/note.js'
import { type Caller, carryOut } from '../../sign-in/operation.js'
import { file, json } from '../../sign-in/outcome.js'
import type { Action } from '../../sign-in/visit.js'
import * as operations from './operations.js'
import { MAX_NAME_LENGTH, type Passkey } from './user-passkeys.js'

const FILE = {
  'content-type': 'text/javascript; charset=utf-8',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/**
 * GET of the script for passkey buttons of pages of the application. It says what it says in the language that `lang` names,
 * else in that of the browser.
 */
export const serveButtonsScript: Action = async (visit) => {
  const { config, query } = visit
  const language = query.get('lang') ?? acceptLanguageOf(visit)
  return file(await buttonsScript(await config.renderer.passkeyTexts(language)), {
    ...FILE,
    // The path stays the same in every version.
    'cache-control': 'private, max-age=3600',
    vary: 'Accept-Language, Cookie',
  })
}

/** GET of the sign-in page's script, which is the same for everybody. */
export const serveScript: Action = async ({ incoming }) => {
  const script = await loadScript()
  const isCurrent = incoming.path.endsWith(`/${script.path}`)
  return file(script.source, {
    ...FILE,
    // While one version takes over from another, a page of one version may ask a process of the other version for its
    // script. The page gets the script that is there, which nobody may keep under that address.
    'cache-control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-store',
  })
}

/** GET webauthn-options: the options that a script hands to `navigator.credentials`. */
export const getWebAuthnOptions: Action = async (visit) => {
  const flow = visit.provider && flowOf(visit.config, visit.provider)
  if (!flow?.options) return json({ error: 'Invalid request' }, [], 400)
  const { body, cookies, status } = await flow.options(visit)
  return json(body, cookies, status)
}

const NO_PASSKEYS = 'No list of passkeys is kept here. It needs an adapter that lists, renames and removes passkeys.'

const publicPasskey = ({ credentialID: id, name, createdAt, lastUsedAt, kind, backedUp, transports }: Passkey) => ({
  id,
  name,
  createdAt,
  lastUsedAt,
  kind,
  backedUp,
  transports,
})

export const getPasskeys = lists(NO_PASSKEYS, async (caller) => ({
  passkeys: (await carryOut(operations.listPasskeys, caller, [])).map(publicPasskey),
}))

export const postRenamePasskey = changes(NO_PASSKEYS, async (caller, { id, name }) => {
  const change = {
    credentialID: requiredText(id, 'Say which passkey to rename: `id`.'),
    name: requiredText(name, 'Say the new name of the passkey: `name`.'),
  }
  return {
    body: { passkey: publicPasskey(await carryOut(operations.renamePasskey, caller, [change])) },
    says: 'passkeyName',
  }
})

export const postRemovePasskey = changes(NO_PASSKEYS, async (caller, { id }, visit) => {
  const credentialID = requiredText(id, 'Say which passkey to remove: `id`.')
  const { signal } = await carryOut(operations.removePasskey, caller, [{ credentialID }])
  const note = { about: REMOVED, removedPasskey: signal }
  const cookies = visit.wantsPage ? visit.config.notes.leave(visit, note) : []
  return { body: { removed: true, signal }, says: 'passkey', cookies }
})

/** The passkeys of the visitor, and the button that adds one. */
export async function passkeysPart(caller: Caller): Promise<AccountPart | null> {
  const visit = caller.visit()
  const { config, mountUrl } = visit
  const provider = [...config.providers.values()].find(({ type }) => type === 'webauthn')
  const passkeys = provider ? await ifKept(() => carryOut(operations.listPasskeys, caller, [])) : null
  if (!provider || passkeys === null) return null
  const isOnlyWayIn = passkeys.length === 1 && (await operations.isPasskeyOnlyWayIn(caller))
  const isNeeded = passkeys.length === 1 && !isOnlyWayIn && (await operations.isPasskeyNeeded(caller))
  const { note, cookies } = config.notes.take(visit, REMOVED)
  visit.keep.always('note', cookies)
  return {
    title: pageText('account.passkeys'),
    none: pageText('account.passkeys.none'),
    items: passkeys.map(({ credentialID: id, name, createdAt, lastUsedAt, kind }) => ({
      name,
      facts: [
        pageText(kind === 'synced' ? 'account.passkeys.synced' : 'account.passkeys.bound'),
        ...dated('account.since', createdAt),
        ...dated('account.used', lastUsedAt, true),
        ...(isOnlyWayIn ? [pageText('account.onlyWay')] : isNeeded ? [pageText('account.passkeys.needed')] : []),
      ],
      actions: [
        {
          ...sends(visit, 'passkeys/rename', pageText('account.rename'), { id }),
          kind: 'field',
          field: nameField(id, name),
        },
        ...(isOnlyWayIn || isNeeded
          ? []
          : [
              asking(
                pageText('account.passkeys.question', { name }),
                sends(visit, 'passkeys/remove', pageText('account.remove'), { id }),
              ),
            ]),
      ],
    })),
    actions: [],
    passkeyButton: {
      providerId: provider.id,
      text: pageText('account.passkeys.add'),
      script: buttonsScriptUrl(mountUrl),
      leadsTo: withParams(accountUrl(visit), { done: 'passkeyAdded' }, visit.origin),
    },
    removedPasskey: note?.removedPasskey,
  }
}

function nameField(credentialID: string, value: string) {
  const input = { autocomplete: 'off', required: true, maxlength: String(MAX_NAME_LENGTH), value }
  return { ...formField('name', 'passkey', { ...input, id: `name-${credentialID}` }), label: pageText('account.name') }
}
