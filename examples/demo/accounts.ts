// Your own application imports from 'latchkey'.
import type { LinkedAccount } from '../../lib/index.js'
import { hidden } from './fields.js'
import { type Html, html } from './html.js'

/** A user's accounts at providers, each with a form to disconnect it, and a link to connect another one. */
export const accountCard = (accounts: readonly LinkedAccount[], csrfToken: string): Html => html`
  <section class="card wide" id="accounts">
    <h2>Connected accounts</h2>
    ${
      accounts.length === 0
        ? html`<p>No account is connected. With a connected account you can sign in at its provider.</p>`
        : html`<ul class="rows">${accounts.map((account) => row(account, csrfToken))}</ul>`
    }
    <a class="button plain" href="/auth/link/harbour?callbackUrl=/private">Connect Harbour ID</a>
  </section>`

const row = ({ id, name, providerAccountId, isOnlyWayIn }: LinkedAccount, csrfToken: string): Html => html`
  <li>
    <div>
      <strong>${name}</strong>
      <span class="muted">account <code>${providerAccountId}</code></span>
      ${isOnlyWayIn ? html`<span class="muted">your only way to sign in that Latchkey knows of</span>` : ''}
    </div>
    <form method="post" action="/private/accounts/unlink">
      ${hidden({ csrfToken, id })}
      <button class="plain" aria-label="Disconnect ${name}, account ${providerAccountId}">Disconnect</button>
    </form>
  </li>`
