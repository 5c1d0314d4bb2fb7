// In an application of your own: from 'latchkey'.
import type { Passkey, RemovedPasskey } from '../../lib/index.js'
import { type Html, html } from './html.js'

/** The path that {@link passkeyCard} wants its script at. */
export const PASSKEY_SCRIPT = '/add-passkey.js'

/** What the browser is told of a passkey that is gone, for the script to pass on. */
export const removedPasskey = ({ rpId, credentialId }: RemovedPasskey['signal']): Html =>
  html`<span hidden data-removed-passkey data-rp-id="${rpId}" data-credential-id="${credentialId}"></span>`

/** Somebody's passkeys, with a form each to rename and to remove it. Only adding one needs a script. */
export const passkeyCard = (passkeys: readonly Passkey[], csrfToken: string): Html => html`
  <section class="card wide">
    <h2>Your passkeys</h2>
    ${
      passkeys.length === 0
        ? html`<p>None yet. With one you sign in by fingerprint, face or PIN, and no password.</p>`
        : html`<ul class="passkeys">${passkeys.map((passkey) => row(passkey, csrfToken))}</ul>`
    }
    <noscript><p class="muted">Browsers make passkeys for scripts only. Turn JavaScript on to add one.</p></noscript>
    <div data-add-passkey hidden>
      <button type="button">Add a passkey</button>
      <p class="muted" role="status"></p>
    </div>
  </section>`

const row = ({ credentialID, name, createdAt, lastUsedAt, kind }: Passkey, csrfToken: string): Html => html`
  <li>
    <div>
      <strong>${name}</strong>
      <span class="muted">${kind === 'synced' ? 'synced between devices' : 'kept on one device'}</span>
      <span class="muted">made ${dateOf(createdAt)}</span>
      <span class="muted">${lastUsedAt ? html`last used ${dateOf(lastUsedAt)}` : 'not used yet'}</span>
    </div>
    <form method="post" action="/private/passkeys/rename">
      ${hidden({ csrfToken, credentialID })}
      <input name="name" type="text" value="${name}" maxlength="100" autocomplete="off" required aria-label="New name for ${name}">
      <button class="plain" aria-label="Rename ${name}">Rename</button>
    </form>
    <form method="post" action="/private/passkeys/remove">
      ${hidden({ csrfToken, credentialID })}
      <button class="plain" aria-label="Remove ${name}">Remove</button>
    </form>
  </li>`

const hidden = (fields: Readonly<Record<string, string>>): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

const dateOf = (date: Date | null): Html | string =>
  date
    ? html`<time datetime="${date.toISOString()}">${date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}</time>`
    : 'some time ago'
