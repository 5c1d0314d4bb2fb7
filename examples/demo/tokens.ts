// Your own application imports from 'latchkey'.
import type { IssuedToken, ListedSession } from '../../lib/index.js'
import { confirmed } from './confirmation.js'
import { dateOf, hidden } from './fields.js'
import { type Html, html } from './html.js'

/** What the tokens of the demo are for. */
export const TOKEN_SCOPE = 'profile:read'

/** Seconds to the end of a token. */
export const TOKEN_LIFETIME = 30 * 24 * 60 * 60

/** A user's tokens for programs, with a form that makes one, and one that revokes it. */
export const tokenCard = (sessions: readonly ListedSession[], csrfToken: string): Html => {
  const tokens = sessions.filter(({ kind }) => kind === 'token')
  return html`
  <section class="card" id="tokens">
    <h2>Tokens for programs</h2>
    ${
      tokens.length === 0
        ? html`<p>You have no token. A program reads <code>/api/me</code> with one, and can do nothing else.</p>`
        : html`<ul class="rows">${tokens.map((token, index) => row(token, index, csrfToken))}</ul>`
    }
    <form method="post" action="/private/tokens" class="inline">
      ${hidden({ csrfToken })}
      <label for="token-name">Program</label>
      <input id="token-name" name="name" type="text" value="Backup" maxlength="60" autocomplete="off" required>
      <button class="plain">Make a token</button>
    </form>
  </section>`
}

const row = ({ id, name, createdAt, expires }: ListedSession, index: number, csrfToken: string): Html => html`
  <li>
    <div>
      <strong>${name ?? 'A program'}</strong>
      <span class="muted">made ${dateOf(createdAt)}</span>
      <span class="muted">ends ${dateOf(expires)}</span>
    </div>
    ${confirmed({
      id: `revoke-token-${index}`,
      opener: 'Revoke',
      openerLabel: `Revoke the token ${name ?? ''}`,
      question: `Revoke the token “${name ?? ''}”?`,
      consequence: 'The program that uses it can read nothing from now on.',
      submit: 'Revoke it',
      action: '/private/sessions/end',
      fields: { csrfToken, id, kind: 'token' },
    })}
  </li>`

/** Shows a new token, once: nothing keeps it. @param url of the application */
export const newToken = (
  { token }: IssuedToken,
  name: string,
  url: string,
): Html => html`The token for “${name}”. Copy it now, because
  it is shown only once. Try it: <code class="block">curl -H "Authorization: Bearer ${token}" ${url}/api/me</code>`
