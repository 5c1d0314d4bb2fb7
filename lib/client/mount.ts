/// <reference lib="dom" />
import { ClientError } from './errors.js'

/** How the server answered a form. */
export interface FormResult {
  /** Where the visitor goes now: to the next step, or to the page that shows the failure. */
  readonly url: string
  /** The `error` that the page would be shown with; null when there is none. */
  readonly error: string | null
  /** The `code` beside it. */
  readonly code: string | null
}

/** Where the server is. */
export interface MountAddress {
  /** Origin of the server, such as `https://api.app.example`, where it is not that of the page. */
  readonly baseUrl?: string | undefined
  /** Path of the mount, such as `/auth`. */
  readonly basePath: string
}

/** The actions of one mount, as requests. */
export type Mount = ReturnType<typeof createMount>

/** @throws {TypeError} for a `baseUrl` that is no origin */
export function createMount({ baseUrl, basePath }: MountAddress) {
  if (baseUrl !== undefined && !/^https?:\/\/[^/?#]+\/?$/i.test(baseUrl)) {
    throw new TypeError(
      'The baseUrl must be the origin of the server, such as "https://api.app.example". Its path is the basePath.',
    )
  }
  const base = basePath.replace(/\/+$/, '')
  const urlOf = (path: string) => new URL(`${base}/${path}`, baseUrl ?? location.href)
  /** URL of an action or of a provider under it. */
  const url = (action: string, id?: string): URL =>
    urlOf(id === undefined ? action : `${action}/${encodeURIComponent(id)}`)
  /** Posts JSON to an action, and gives what it answers. */
  const postJson = (url: URL, body: object): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json' }
    return send(url, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  return {
    url,
    postJson,
    /** What the visitor has, such as `sessions`. */
    async getList<Entry>(action: string, signal?: AbortSignal): Promise<Entry[]> {
      const answer = (await send(url(action), { cache: 'no-store', signal: signal ?? null })) as Record<string, unknown>
      const list = answer?.[action]
      if (Array.isArray(list)) return list
      throw new ClientError('server-error', `The server answered something that is no list of ${action}.`)
    },
    /**
     * Changes what the visitor has, such as `accounts` by `unlink`, and gives what the server says of it.
     *
     * @throws {ClientError} also `last-way-in` and `sign-in-again`
     */
    change: async (action: string, change: string, body: object): Promise<Record<string, unknown>> =>
      Object(await postJson(url(action, change), body).catch(failWithReason)),
    /** Where the visitor goes afterwards: this page, if nothing is given. A path is one of the page, wherever the server is. */
    returnTarget: (redirectTo = location.href): string =>
      urlOf('').origin === location.origin ? redirectTo : new URL(redirectTo, location.href).href,
    /** @throws {ClientError} `offline`, `refused`, `server-error`; `aborted` with a signal */
    getJson: (url: URL, signal?: AbortSignal) => send(url, { cache: 'no-store', signal: signal ?? null }),
    /** Posts a form, and asks for the target of its redirect instead of following it. */
    async postForm(url: URL, fields: URLSearchParams): Promise<FormResult> {
      const headers = { 'X-Auth-Return-Redirect': '1' }
      const answer = (await send(url, { method: 'POST', headers, body: fields })) as { url?: unknown } | null
      if (typeof answer?.url !== 'string') throw new ClientError('server-error', `${url.pathname} named no target.`)
      return readTarget(new URL(answer.url, url), fields.get('callbackUrl'))
    },
  }
}

/** Throws with a code that the page can act on. */
export async function failWithReason(failure: unknown): Promise<never> {
  const { message, cause, body } = await readRefusal(failure)
  // A conflict that has a reason is another one.
  if (cause.status === 409 && body['reason'] === undefined) throw new ClientError('last-way-in', message, { cause })
  throw body['error'] === 'RecentSignInRequired' ? new ClientError('sign-in-again', message, { cause }) : failure
}

/**
 * The answer with which the server refused a request.
 *
 * @throws the failure itself, when it is no such answer
 */
export async function readRefusal(failure: unknown) {
  if (!(failure instanceof ClientError) || !(failure.cause instanceof Response)) throw failure
  const { message, cause } = failure
  const body: unknown = await cause
    .clone()
    .json()
    .catch(() => null)
  return { message, cause, body: Object(body) as Record<string, unknown> }
}

/** Loads a target. It is loaded again, too, when it differs from this page only in its fragment. */
export function navigate(target: string): void {
  const url = new URL(target, location.href)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ClientError('server-error', 'The target is no http(s) URL.')
  }
  const isFragment = url.hash !== '' && withoutFragment(url.href) === withoutFragment(location.href)
  location.assign(url)
  if (isFragment) location.reload()
}

const withoutFragment = (href: string) => href.replace(/#.*$/, '')

const HINT = 'Is the basePath the path of the mount?'
const ORIGIN_HINT = ' Does the server list the origin of this page in `origins`?'

/** Sends a request, and gives the JSON of its answer. */
async function send(url: URL, init: RequestInit): Promise<unknown> {
  const headers = { Accept: 'application/json', ...(init.headers as Record<string, string> | undefined) }
  let response: Response
  try {
    // The cookies of another origin go along only if a page asks for it, and the server allows it (`origins`).
    const credentials = url.origin === location.origin ? 'same-origin' : 'include'
    response = await fetch(url, { ...init, headers, credentials })
  } catch (cause) {
    if (init.signal?.aborted) throw abortedAt(url, cause)
    // A browser does not say whether the network failed, or the server does not allow the page to read the answer.
    const hint = url.origin === location.origin ? '' : ORIGIN_HINT
    throw new ClientError('offline', `${url.pathname} could not be reached.${hint}`, { cause })
  }
  if (!response.ok) {
    const code = response.status < 500 ? 'refused' : 'server-error'
    const hint = response.status === 404 ? ` ${HINT}` : ''
    throw new ClientError(code, `${url.pathname} answered ${response.status}.${hint}`, { cause: response })
  }
  try {
    return await response.json()
  } catch (cause) {
    if (init.signal?.aborted) throw abortedAt(url, cause)
    throw new ClientError('server-error', `${url.pathname} answered without JSON. ${HINT}`, { cause })
  }
}

const abortedAt = (url: URL, cause: unknown) =>
  new ClientError('aborted', `The request to ${url.pathname} was aborted.`, { cause })

/** Reads the target of a redirect. An `error` in the query of the return target is not ours, so it is ignored. */
function readTarget(url: URL, callbackUrl: string | null): FormResult {
  const isReturn = callbackUrl !== null && new URL(callbackUrl, location.href).href === url.href
  const error = isReturn ? null : url.searchParams.get('error')
  return { url: url.href, error, code: error === null ? null : url.searchParams.get('code') }
}
