import type { Outcome } from '../actions/action.js'
import { type MaybePromise, whenReady } from '../awaitable.js'
import { type CookieChange, mergeCookieChanges } from '../http/cookies.js'
import { NO_STORE } from '../http/no-store.js'
import type { ResponseInternal } from '../http/response-internal.js'
import type { PageRenderer } from '../pages/renderer.js'
import type { Arrival } from './read-arrival.js'

const JSON_HEADERS = { ...NO_STORE, 'content-type': 'application/json' }

/** Writes an outcome down: the only place that makes `Set-Cookie` and `Location`. There is no promise where nothing has to be waited for. */
export function respond(outcome: Outcome, arrival: Arrival, renderer: PageRenderer): MaybePromise<ResponseInternal> {
  const cookies = cookiesOf(outcome, arrival)
  switch (outcome.kind) {
    case 'redirect':
      // Clients with code of their own ask for the target as JSON: a fetch cannot see where a redirect leads.
      return arrival.incoming.header('x-auth-return-redirect')
        ? {
            status: 200,
            headers: { ...JSON_HEADERS },
            body: { url: outcome.to },
            redirect: outcome.to,
            cookies,
          }
        : { status: 302, headers: { ...NO_STORE }, redirect: outcome.to, cookies }
    case 'json':
      return {
        status: outcome.status,
        headers: { ...JSON_HEADERS, ...outcome.headers },
        // As text, since an integration that is handed `null` for a body would send none.
        body: JSON.stringify(outcome.body),
        cookies,
      }
    case 'file':
      return { status: 200, headers: { ...outcome.headers }, body: outcome.text, cookies }
    case 'page':
      return whenReady(renderer.render(outcome.view), ({ html, byteLength, headers }) => ({
        status: outcome.view.status,
        headers: outcome.headers ? { ...headers, ...outcome.headers } : headers,
        body: html,
        byteLength,
        cookies,
      }))
  }
}

/** HEAD tells what GET would answer and does nothing, so it changes no cookie either. */
function cookiesOf(outcome: Outcome, { incoming }: Arrival): CookieChange[] {
  return incoming.method === 'HEAD' ? [] : [...mergeCookieChanges(outcome.cookies)]
}
