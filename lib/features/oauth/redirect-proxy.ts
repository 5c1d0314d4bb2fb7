import { isProtected } from '../../kernel/back-channel.js'
import { createValueEncryption, MAX_ENCRYPTED_LENGTH } from '../../kernel/encrypted-values.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { matchesHost } from '../../kernel/host-patterns.js'
import { textOf } from '../../kernel/json-object.js'
import { validityMessage } from '../../kernel/one-time.js'
import { randomToken } from '../../kernel/random.js'
import { isAbsoluteUrl } from '../../kernel/urls.js'
import { type RedirectUris, redirectUriAt } from '../../oauth/client.js'
import { UnusableAnswer } from '../../oauth/faults.js'
import { TRANSACTION_LIFETIME_SECONDS } from '../../oauth/times.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { Visit } from '../../sign-in/visit.js'
import { InvalidCheck, SignInExpired } from './errors.js'

/**
 * A redirect proxy for deployments that share these secrets, and one address that is registered with a provider.
 *
 * @param hosts patterns of their hosts. A deployment takes its own from the `Host` header, which anybody can write, so
 *   the encrypted state does not prove that the answer belongs there (RFC 9700 §4.1.3)
 */
export function createRedirectProxy(
  secrets: readonly string[],
  hosts: readonly string[] | undefined,
  now: () => number,
) {
  const encryption = createValueEncryption(secrets, 'proxy-state', now)
  return {
    /**
     * A state that says where the answer belongs, and that only the proxy can read.
     *
     * @param ownRedirectUri the redirect URI of this deployment itself
     */
    makeState: (provider: ResolvedOAuthProvider, ownRedirectUri: string): string =>
      encryption.encrypt(
        { random: randomToken(), origin: ownRedirectUri, provider: provider.id },
        TRANSACTION_LIFETIME_SECONDS,
      ),

    /**
     * The redirect URI of the deployment to hand an answer on to, or null when it belongs here.
     *
     * @throws {SignInExpired} when the sign-in has expired, or begins later by this machine's clock; {@link InvalidCheck}
     *   when the state was not made by a deployment that shares the secret, or names a host that is not on the list
     * @throws {InvalidConfiguration} when there is no list
     */
    targetOf(provider: ResolvedOAuthProvider, { own, sent }: RedirectUris, params: URLSearchParams): string | null {
      // Only the proxy itself hands answers on. At all other addresses, answers arrive that it has handed on.
      if (provider.redirectProxyUrl === undefined || own !== sent) return null
      const decrypted = encryption.decryptInTime(params.get('state') ?? '')
      if (decrypted && 'outOfTime' in decrypted) {
        const why = validityMessage(decrypted.outOfTime, TRANSACTION_LIFETIME_SECONDS)
        const isFault = decrypted.outOfTime.state === 'not-yet'
        throw new SignInExpired(`Provider "${provider.id}": the sign-in of a deployment ${why}. Start again.`, {
          isFault,
        })
      }
      const content = (decrypted?.value ?? null) as { origin?: unknown; provider?: unknown } | null
      if (content === null || content.provider !== provider.id || !isCallbackOf(provider, content.origin)) {
        throw new InvalidCheck(
          `Provider "${provider.id}": the state of the answer names no deployment, or the deployment has another secret than this redirect proxy.`,
        )
      }
      if (content.origin === own) return null
      const target = new URL(content.origin)
      if (!hosts) {
        throw new InvalidConfiguration(
          `Provider "${provider.id}": an answer is for ${target.origin}, and this redirect proxy has no list of hosts that it may hand answers on to. Set redirectProxyHosts.`,
        )
      }
      if (!isProtected(target) || !matchesHost(target.host, hosts)) {
        throw new InvalidCheck(
          `Provider "${provider.id}": an answer is for ${target.origin}, which is not https, or not on the list of this redirect proxy. If that is a deployment of yours, add its host to redirectProxyHosts.`,
        )
      }
      for (const [name, value] of params) target.searchParams.append(name, value)
      return target.href
    },
  }
}

function isCallbackOf({ id }: ResolvedOAuthProvider, text: unknown): text is string {
  if (typeof text !== 'string' || !isAbsoluteUrl(text)) return false
  const { protocol, username, password, pathname, search, hash } = new URL(text)
  const isPlain = username === '' && password === '' && search === '' && hash === ''
  return isPlain && (protocol === 'https:' || protocol === 'http:') && pathname.endsWith(`/callback/${id}`)
}

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
    /**
     * The URL of the callback with an answer that came.
     *
     * @throws {UnusableAnswer} when it would be too long: servers refuse long URLs
     */
    urlOf(request: Visit, provider: ResolvedOAuthProvider, received: URLSearchParams): string {
      const form = encryption.encrypt(String(received), LIFETIME_SECONDS)
      if (form.length > MAX_ENCRYPTED_LENGTH) {
        throw new UnusableAnswer(
          `Provider "${provider.id}": the posted answer is too long: the browser brings it again in a URL, which would have ${form.length} characters. Ask the provider for less in it.`,
        )
      }
      return `${redirectUriAt(request.mountUrl, provider)}?${PARAM}=${form}`
    },
    /** The parameters of the answer: of the body, of the encrypted form in the query, or of the query itself. */
    paramsOf(request: Visit, { responseMode }: ResolvedOAuthProvider): URLSearchParams {
      const { query, fields, incoming } = request
      if (responseMode !== 'form_post') return query
      if (incoming.method === 'POST') {
        const texts = Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string')
        return new URLSearchParams(texts)
      }
      const form = query.get(PARAM)
      if (form === null) return query
      const posted = encryption.decrypt(form)
      // Whoever cannot encrypt gets an answer without a state, which is refused.
      return new URLSearchParams(textOf(posted))
    },
  }
}
