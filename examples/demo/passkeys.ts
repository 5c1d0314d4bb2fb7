// Your own application imports from 'latchkey'.
import type { Passkey, RemovedPasskey } from '../../lib/index.js'
import { dateOf, hidden } from './fields.js'
import { type Html, html } from './html.js'

/** The path of the script that {@link passkeyCard} needs. */
export const PASSKEY_SCRIPT = '/add-passkey.js'

/** Data of a removed passkey, from which the script tells the browser to forget the passkey. */
export const removedPasskey = ({ rpId, credentialId }: RemovedPasskey['signal']): Html =>
  html`<span hidden data-removed-passkey data-rp-id="${rpId}" data-credential-id="${credentialId}"></span>`

/** A user's passkeys, each with a form to rename it and a form to remove it. Only adding a passkey needs a script. */
export const passkeyCard = (passkeys: readonly Passkey[], csrfToken: string): Html => html`
  <section class="card wide">
    <h2>Your passkeys</h2>
    ${
      passkeys.length === 0
        ? html`<p>You have no passkey yet. With a passkey you sign in by fingerprint, face or PIN, without a password.</p>`
        : html`<ul class="rows passkeys">${passkeys.map((passkey) => row(passkey, csrfToken))}</ul>`
    }
    <noscript><p class="muted">To add a passkey, turn on JavaScript: browsers make passkeys only for scripts.</p></noscript>
    <div data-add-passkey hidden>
      <button type="button">Add a passkey</button>
      <p class="muted" role="status"></p>
    </div>
  </section>`

const row = ({ credentialID, name, createdAt, lastUsedAt, kind }: Passkey, csrfToken: string): Html => html`
  <li>
    <div>
      <strong>${name}</strong>
      <span class="muted">${kind === 'synced' ? 'synced between devices' : 'stored on one device'}</span>
      <span class="muted">added ${dateOf(createdAt)}</span>
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
