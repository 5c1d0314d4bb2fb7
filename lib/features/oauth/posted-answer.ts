import { createValueEncryption } from '../../kernel/encrypted-values.js'
import { redirectUriAt } from '../../oauth/client.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { FlowRequest } from '../../sign-in/flow.js'

const PARAM = 'form'
/** The browser comes at once. */
const LIFETIME_SECONDS = 120

/**
 * Answers of providers that send a form from their own site (`response_mode: 'form_post'`). Browsers send no `SameSite=Lax` cookie
 * with it, and so no session. So the browser comes again with a GET, and the form is in its URL, encrypted:
 * no code is in a log. It is good in the browser that has the cookies of its transaction, and once, as the form itself.
 *
 * @param secrets at least one; the first encrypts
 * @param now milliseconds since the epoch
 */
export function createPostedAnswers(secrets: readonly string[], now: () => number) {
  const encryption = createValueEncryption(secrets, 'posted-answer', now)
  return {
    /** The URL of the callback with an answer that came. */
    async urlOf(request: FlowRequest, provider: ResolvedOAuthProvider, received: URLSearchParams): Promise<string> {
      const form = await encryption.encrypt(String(received), LIFETIME_SECONDS)
      return `${redirectUriAt(request.mountUrl, provider)}?${PARAM}=${form}`
    },
    /** The parameters of the answer: of the body, of the encrypted form in the query, or of the query itself. */
    async paramsOf(request: FlowRequest, { responseMode }: ResolvedOAuthProvider): Promise<URLSearchParams> {
      const { query, fields, incoming } = request
      if (responseMode !== 'form_post') return query
      if (incoming.method === 'POST') {
        const texts = Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string')
        return new URLSearchParams(texts)
      }
      const form = query.get(PARAM)
      if (form === null) return query
      const posted = await encryption.decrypt(form)
      // Whoever cannot encrypt gets an answer without a state, which is refused.
      return new URLSearchParams(typeof posted === 'string' ? posted : '')
    },
  }
}
