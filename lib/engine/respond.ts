import type { Outcome } from '../context/outcome.js'
import type { MountRequest } from '../context/read-request.js'
import { type CookieChange, mergeCookieChanges } from '../http/cookies.js'
import { NO_STORE } from '../http/no-store.js'
import type { ResponseInternal } from '../http/response-internal.js'

const JSON_HEADERS = { ...NO_STORE, 'content-type': 'application/json' }

/**
 * Makes the answer of the mount to a request. Every outcome becomes an answer here, so only this function decides about
 * `Location`, cookies and caching. Functions in `express/` that work in routes of the application do not use it: they append
 * cookies to the answer of the route, with `appendCookies` of `http/node-response.ts`.
 */
export async function respond(outcome: Outcome, { incoming, config }: MountRequest): Promise<ResponseInternal> {
  const cookies = cookiesOf(outcome, incoming.method)
  switch (outcome.kind) {
    case 'redirect':
      // A script asks for the target as JSON: a fetch cannot see where a redirect leads.
      return incoming.header('x-auth-return-redirect')
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
        // As text: for the body `null` an integration would send no body.
        body: JSON.stringify(outcome.body),
        cookies,
      }
    case 'file':
      return { status: 200, headers: { ...outcome.headers }, body: outcome.text, cookies }
    case 'page': {
      const { html, byteLength, headers } = await config.renderer.render(outcome.view)
      return {
        status: outcome.view.status,
        headers: outcome.headers ? { ...headers, ...outcome.headers } : headers,
        body: html,
        byteLength,
        cookies,
      }
    }
  }
}

/** HEAD has the headers that GET would have, but no effect, so it changes no cookie. */
const cookiesOf = ({ cookies }: Outcome, method: string): CookieChange[] =>
  method === 'HEAD' ? [] : [...mergeCookieChanges(cookies)]
