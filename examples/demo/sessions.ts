// Your own application imports from 'latchkey'.
import type { ListedSession } from '../../lib/index.js'
import { confirmed } from './confirmation.js'
import { dateOf, textOfDate } from './fields.js'
import { type Html, html } from './html.js'

/** Where a user is signed in, with a form to end each session and a form to end all others. */
export const sessionCard = (sessions: readonly ListedSession[], csrfToken: string): Html => {
  const browsers = sessions.filter(({ kind }) => kind === 'browser')
  return html`
  <section class="card" id="sessions">
    <h2>Where you are signed in</h2>
    <ul class="rows">${browsers.map((session, index) => row(session, index, csrfToken))}</ul>
    ${
      browsers.length === 1
        ? html`<p class="muted">You are signed in nowhere else. Sign in with another browser, and it appears here.</p>`
        : confirmed({
            id: 'end-others',
            opener: 'Sign out everywhere else',
            openerLabel: 'Sign out everywhere else',
            question: 'Sign out everywhere else?',
            consequence: 'All other browsers are signed out, and all tokens are revoked. This browser stays signed in.',
            submit: 'Sign out there',
            action: '/private/sessions/end-others',
            fields: { csrfToken },
          })
    }
  </section>`
}

const row = (session: ListedSession, index: number, csrfToken: string): Html => {
  const { id, isCurrent, createdAt, lastSeenAt, network } = session
  const place = placeOf(session)
  return html`
  <li>
    <div>
      <strong>${place} ${isCurrent ? html`<span class="badge">this browser</span>` : ''}</strong>
      <span class="muted">signed in ${dateOf(createdAt)}</span>
      <span class="muted">last seen ${dateOf(lastSeenAt)}</span>
      ${network === null ? '' : html`<span class="muted">network ${network}</span>`}
    </div>
    ${
      isCurrent
        ? html`<a class="button plain small-button" href="/auth/signout?callbackUrl=/">Sign out</a>`
        : confirmed({
            id: `end-session-${index}`,
            opener: 'Sign out',
            openerLabel: `Sign out ${place}, last seen ${textOfDate(lastSeenAt)}`,
            question: `Sign out ${place}?`,
            consequence: 'Whoever uses that browser has to sign in again.',
            submit: 'Sign it out',
            action: '/private/sessions/end',
            fields: { csrfToken, id },
          })
    }
  </li>`
}

/** The place in words: "Firefox 141 on Windows". */
function placeOf({ browser, system }: ListedSession): string {
  if (browser === null) return system ?? 'A browser that is not known'
  return system === null ? browser : `${browser} on ${system}`
}
