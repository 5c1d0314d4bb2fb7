import { isProtected } from '../kernel/back-channel.js'
import type { Finding } from '../kernel/finding.js'
import { isAbsoluteUrl } from '../kernel/urls.js'
import type { OAuthMembers } from './check-oauth-provider.js'
import type { ResolvedEndpoint } from './provider.js'

/** Reads the URLs of a provider, and collects findings about those that cannot be used. */
export class UrlReader {
  readonly findings: Finding[] = []
  readonly #members: OAuthMembers

  constructor(members: OAuthMembers) {
    this.#members = members
  }

  endpoint(name: 'authorization' | 'token' | 'userinfo'): ResolvedEndpoint {
    const { url, params } = this.#members[name] ?? {}
    return Object.freeze({ url: this.read(`${name}.url`, url), params: Object.freeze({ ...params }) })
  }

  read(option: string, value: unknown): URL | null {
    if (value === undefined || value === null || value === '') return null
    const text = value instanceof URL ? value.href : value
    const { id, allowInsecureHttp } = this.#members
    // `localhost:8080/realm` can be parsed, too: its scheme is `localhost`.
    if (typeof text === 'string' && /^https?:/i.test(text) && isAbsoluteUrl(text)) {
      const url = new URL(text)
      if (isProtected(url, allowInsecureHttp) || (option === 'redirectProxyUrl' && url.protocol === 'http:')) return url
      this.#found(
        `Provider "${id}": ${option} is ${url.protocol}//${url.host}, and tokens must not cross a network unencrypted. Use https, or set allowInsecureHttp: true for a test network.`,
      )
    } else {
      this.#found(`Provider "${id}": ${option} is not an absolute URL. Write it with its scheme: https://…`)
    }
    return null
  }

  #found(message: string): void {
    this.findings.push({ type: 'InvalidEndpoints', message })
  }
}

/** An endpoint's URL with its parameters in the query. */
export function withParameters({ url, params }: ResolvedEndpoint): URL {
  const complete = new URL(url ?? '')
  for (const [name, value] of Object.entries(params)) complete.searchParams.set(name, String(value))
  return complete
}
