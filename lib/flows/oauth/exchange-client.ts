import type { CustomFetch } from 'openid-client'
import { type ClientSettings, clockSkewOf, type OAuthClient, openClient } from './client.js'
import type { ProviderMetadata } from './metadata.js'

/** A client that one code exchange has for itself. */
export interface ExchangeClient extends OAuthClient {
  /** Seconds from the clock of this machine to that of the configuration, as the client was made with them. */
  readonly clockSkew: number
}

/** Clients that no exchange has at the moment. The metadata of each provider of a configuration are an object of their own. */
const idle = new WeakMap<ProviderMetadata, ExchangeClient[]>()

/** More than so many exchanges at the same time make clients that are not kept. */
const MOST_IDLE = 8

/**
 * A client for one code exchange. Only {@link giveBack} lets another exchange have it: the library reads its `fetch`
 * again when it repeats a call, so that two exchanges with one client could get the answers of each other.
 */
export async function takeExchangeClient(settings: ClientSettings): Promise<ExchangeClient> {
  const { metadata, fetch, now } = settings
  const clockSkew = clockSkewOf(now)
  const kept = idle.get(metadata)?.pop()
  if (kept?.clockSkew === clockSkew) {
    kept.configuration[kept.library.customFetch] = fetch as CustomFetch
    return kept
  }
  // `iss` of the answer is compared before the exchange, and the library is not shown it.
  const server = { ...metadata.server, authorization_response_iss_parameter_supported: false }
  return { ...(await openClient({ ...settings, metadata: { ...metadata, server } })), clockSkew }
}

/** Keeps a client for a later exchange. After a failure it is not given back. */
export function giveBack(client: ExchangeClient, metadata: ProviderMetadata): void {
  // Its `fetch` holds the code and the tokens of the exchange.
  client.configuration[client.library.customFetch] = refuseCalls
  const kept = idle.get(metadata)
  if (!kept) idle.set(metadata, [client])
  else if (kept.length < MOST_IDLE) kept.push(client)
}

const refuseCalls: CustomFetch = () => Promise.reject(new Error('No code exchange has this client.'))
