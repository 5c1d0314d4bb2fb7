import { createValueEncryption } from '../../kernel/encrypted-values.js'

/** A request that a user adds an account at a provider, or allows more there. */
export interface LinkRequest {
  /** Id of the provider. */
  readonly provider: string
  /** The user it is for, as `userDigest` gives it. Nobody else may use the request. */
  readonly userDigest: string
  /** What the provider is to be asked for, beside its configured scope (RFC 6749 §3.3); null for nothing more. */
  readonly scope: string | null
  /** Whether the provider is to be asked for a refresh token, in the way that `tokenFacts` say. */
  readonly offline: boolean
  /** Return target. Whoever reads the request lets the `redirect` callback map it. */
  readonly callbackUrl: string
}

/** Makes and reads link requests, which are parameters of URLs. */
export interface LinkRequests {
  /** The request as a text that is safe in a query. It is accepted for an hour. */
  make(request: LinkRequest): Promise<string>
  /** The request; null if it was not made here, has expired, or is damaged. */
  read(text: string): Promise<LinkRequest | null>
}

const LIFETIME_SECONDS = 60 * 60

/**
 * Link requests are encrypted: nobody else can make one, so nobody can send a user to a provider with a scope of their own
 * choice.
 *
 * @param secrets at least one; the first encrypts
 * @param now milliseconds since the epoch
 */
export function createLinkRequests(secrets: readonly string[], now: () => number): LinkRequests {
  const encryption = createValueEncryption(secrets, 'link-request', now)
  return {
    make: ({ provider, userDigest, scope, offline, callbackUrl }) =>
      encryption.encrypt({ provider, userDigest, scope, offline, callbackUrl }, LIFETIME_SECONDS),
    read: async (text) => parse(await encryption.decrypt(text)),
  }
}

function parse(value: unknown): LinkRequest | null {
  if (typeof value !== 'object' || value === null) return null
  const { provider, userDigest, scope, offline, callbackUrl } = value as Record<string, unknown>
  if (typeof provider !== 'string' || typeof userDigest !== 'string' || typeof callbackUrl !== 'string') return null
  if (scope !== null && typeof scope !== 'string') return null
  return { provider, userDigest, scope, offline: offline === true, callbackUrl }
}
