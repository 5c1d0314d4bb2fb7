// Your own application imports from 'latchkey'.
import type { ListedSession } from '../../lib/index.js'
import { dateOf, hidden, textOfDate } from './fields.js'
import { type Html, html } from './html.js'

/** Where a user is signed in, with a form to end each session and a form to end all others. */
export const sessionCard = (sessions: readonly ListedSession[], csrfToken: string): Html => {
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length
  return html`
  <section class="card wide" id="sessions">
    <h2>Where you are signed in</h2>
    <ul class="rows">${sessions.map((session) => row(session, csrfToken))}</ul>
    ${
      others === 0
        ? html`<p class="muted">You are signed in nowhere else.</p>`
        : html`<form method="post" action="/private/sessions/end-others">
      ${hidden({ csrfToken })}
      <button class="plain">Sign out everywhere else</button>
    </form>`
    }
  </section>`
}

const row = (session: ListedSession, csrfToken: string): Html => {
  const { id, isCurrent, createdAt, lastSeenAt, network } = session
  const place = placeOf(session)
  return html`
  <li>
    <div>
      <strong>${place}</strong>
      ${isCurrent ? html`<span class="badge">this browser</span>` : ''}
      <span class="muted">signed in ${dateOf(createdAt)}</span>
      <span class="muted">last seen ${dateOf(lastSeenAt)}</span>
      ${network === null ? '' : html`<span class="muted">network ${network}</span>`}
    </div>
    ${
      isCurrent
        ? html`<a class="button plain" href="/auth/signout?callbackUrl=/">Sign out</a>`
        : html`<form method="post" action="/private/sessions/end">
      ${hidden({ csrfToken, id })}
      <button class="plain" aria-label="Sign out ${place}, last seen ${textOfDate(lastSeenAt)}">Sign out</button>
    </form>`
    }
  </li>`
}

/** The place in words: "Firefox 141 on Windows". */
function placeOf({ browser, system, kind, name }: ListedSession): string {
  if (kind === 'token') return name ?? 'A program'
  if (browser === null) return system ?? 'A browser that is not known'
  return system === null ? browser : `${browser} on ${system}`
}
