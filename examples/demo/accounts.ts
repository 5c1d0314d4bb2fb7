// Your own application imports from 'latchkey'.
import type { LinkedAccount } from '../../lib/index.js'
import { confirmed } from './confirmation.js'
import { type Html, html } from './html.js'

/** A user's accounts at providers, each with a form to disconnect it, and a link to connect another one. */
export const accountCard = (accounts: readonly LinkedAccount[], csrfToken: string): Html => html`
  <section class="card" id="accounts">
    <h2>Connected accounts</h2>
    ${
      accounts.length === 0
        ? html`<p>No account is connected. With a connected account you can sign in at its provider.</p>`
        : html`<ul class="rows">${accounts.map((account, index) => row(account, index, csrfToken))}</ul>`
    }
    <a class="button plain" href="/auth/link/harbour?callbackUrl=/private">Connect Harbour ID</a>
  </section>`

const row = (
  { id, name, providerAccountId, isOnlyWayIn }: LinkedAccount,
  index: number,
  csrfToken: string,
): Html => html`
  <li>
    <div>
      <strong>${name}</strong>
      <span class="muted">account <code>${providerAccountId.slice(0, 8)}…</code></span>
      ${isOnlyWayIn ? html`<span class="muted">your only way to sign in that Latchkey knows of</span>` : ''}
    </div>
    ${confirmed({
      id: `disconnect-${index}`,
      opener: 'Disconnect',
      openerLabel: `Disconnect ${name}, account ${providerAccountId.slice(0, 8)}`,
      question: `Disconnect ${name}?`,
      consequence: `You can no longer sign in with this account at ${name}. You stay signed in here.`,
      submit: 'Disconnect it',
      action: '/private/accounts/unlink',
      fields: { csrfToken, id },
    })}
  </li>`
