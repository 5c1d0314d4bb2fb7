// Your own application imports from 'latchkey'.
import type { Passkey, RemovedPasskey } from '../../lib/index.js'
import { confirmed } from './confirmation.js'
import { dateOf, hidden } from './fields.js'
import { type Html, html } from './html.js'

/** The script that makes passkey buttons work. Latchkey serves it. The pages of the demo are in English. */
export const PASSKEY_SCRIPT = '/auth/assets/passkey-buttons.js?lang=en'

/** Data of a removed passkey, by which the script lets the browser forget the passkey. */
export const removedPasskey = ({ rpId, credentialId }: RemovedPasskey['signal']): Html =>
  html`<script type="application/json" data-removed-passkey="${credentialId}" data-rp-id="${rpId}"></script>`

/** A user's passkeys, each with a form to rename it and a form to remove it. Only adding a passkey needs a script. */
export const passkeyCard = (passkeys: readonly Passkey[], csrfToken: string): Html => html`
  <section class="card" id="passkeys">
    <h2>Your passkeys</h2>
    ${
      passkeys.length === 0
        ? html`<p>You have no passkey yet. With a passkey you sign in by fingerprint, face or PIN, without a password.</p>`
        : html`<ul class="rows passkeys">${passkeys.map((passkey, index) => row(passkey, index, csrfToken))}</ul>`
    }
    <noscript><p class="muted">To add a passkey, turn on JavaScript: browsers make passkeys only for scripts.</p></noscript>
    <p class="muted" data-without-passkeys hidden>This browser has no passkeys here. Open the app at <code>localhost</code>.</p>
    <button type="button" class="plain" data-passkey="add" data-redirect-to="/private?done=added"
      data-passkey-status="passkey-status" hidden>Add a passkey</button>
    <p class="muted said" role="status" id="passkey-status"></p>
  </section>`

const row = (
  { credentialID, name, createdAt, lastUsedAt, kind }: Passkey,
  index: number,
  csrfToken: string,
): Html => html`
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
      <button class="plain small-button" aria-label="Rename ${name}">Rename</button>
    </form>
    ${confirmed({
      id: `remove-passkey-${index}`,
      opener: 'Remove',
      openerLabel: `Remove ${name}`,
      question: `Remove the passkey “${name}”?`,
      consequence: 'You can no longer sign in with it. The browser stops offering it, if it can.',
      submit: 'Remove it',
      action: '/private/passkeys/remove',
      fields: { csrfToken, credentialID },
    })}
  </li>`
