import type { Awaitable } from '../kernel/awaitable.js'
import { ProviderFault, ProviderOutage } from './faults.js'
import { blackOut, type ErrorWords, saying, secretsSent, wordsOfAnswer } from './provider-words.js'
import { doingOfAnswer } from './refusals.js'

/** One endpoint of a provider, and what the provider's entry says of the calls to it. */
interface Endpoint {
  /** What it is called in an error: `token endpoint`. */
  readonly name: string
  /** Texts that must not be logged, beside what a call sends. */
  readonly secrets: Iterable<string | undefined>
  /** Headers of each call, in the place of those of the library. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Makes a standard answer of one that is not; undefined for an answer that stays as it is. */
  readonly conform?: ((response: Response) => Awaitable<Response | undefined>) | undefined
}

/**
 * The `fetch` for one endpoint of a provider. All calls that Latchkey itself makes to a provider go through here, so that no
 * error answer is lost: it is thrown, with what it says.
 *
 * Headers of the provider's entry replace those of the library, in upper or lower case, and the entry's `conform` may change
 * the answer.
 *
 * @throws {ProviderFault} from the `fetch`, when the status is 400 or more; {@link ProviderOutage} when the same call may
 *   succeed soon
 */
export function endpointFetch(channel: typeof fetch, endpoint: Endpoint): typeof fetch {
  const { headers, conform } = endpoint
  return async (input, init = {}) => {
    const given = headers ? { ...init, headers: replaced(init.headers, headers) } : init
    const first = await channel(input, given)
    // A server that fails may write anything, which an entry does not know.
    const answer = first.status >= 500 ? first : ((await conform?.(first.clone())) ?? first)
    if (answer.status < 400) return answer
    const words = await wordsIn(answer)
    // The library calls once more, with the nonce of this answer (RFC 9449 §8, §9).
    if (words.code === 'use_dpop_nonce' && answer.headers.has('dpop-nonce')) return answer
    throw answerFault(endpoint, answer.status, words, given)
  }
}

function replaced(sent: HeadersInit | undefined, headers: NonNullable<Endpoint['headers']>): Record<string, string> {
  const all = new Headers(sent)
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  return Object.fromEntries(all)
}

/**
 * The `fetch` of hooks, which get every answer as it is.
 *
 * @param hear gets what the last answer says if it is an error, as a sentence for the log; empty if it is none
 */
export function heardFetch(
  channel: typeof fetch,
  secrets: Endpoint['secrets'],
  hear: (said: string) => void,
): typeof fetch {
  return async (input, init = {}) => {
    const answer = await channel(input, init)
    hear('')
    if (answer.status < 400) return answer
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input)
    const endpoint = { name: `${origin}${blackOut(pathname, secrets)}`, secrets }
    hear(answerFault(endpoint, answer.status, await wordsIn(answer), init).message)
    return answer
  }
}

const wordsIn = async (answer: Response) =>
  wordsOfAnswer(await answer.clone().text(), answer.headers.get('www-authenticate'))

/** The fault that an error answer stands for. Nothing of it is shown to a visitor. */
export function answerFault(
  { name, secrets }: Endpoint,
  status: number,
  words: ErrorWords,
  sent: Pick<RequestInit, 'body' | 'headers'>,
): ProviderFault {
  const { code } = words
  const error = code ? `the error "${code}" (status ${status})` : `the status ${status}`
  const subject = name.startsWith('http') ? name : `The ${name}`
  const said = `${subject} answered with ${error}${saying(words, [...secrets, ...secretsSent(sent)])}.`
  const doing = doingOfAnswer(status, code)
  const advice = adviceFor(status, code)
  return doing === 'provider'
    ? new ProviderOutage(said, { status, code })
    : new ProviderFault(`${said}${advice}`, { doing, status, code })
}

/** What to look at; empty for errors that say enough. */
const adviceFor = (status: number, code: string | null): string =>
  code === 'invalid_client' || code === 'unauthorized_client' || (!code && status === 401)
    ? ' Check clientId, clientSecret and client.token_endpoint_auth_method.'
    : ''
