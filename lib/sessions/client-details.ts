import type { SessionDetails } from '../adapters/adapter.js'
import type { RequestContext } from '../http/request-context.js'
import { networkOf } from '../logging/network.js'
import { MAX_USER_AGENT } from './user-agent.js'

/**
 * What a request says about its client, as the list of sessions keeps it: the `User-Agent` header, at most 512 characters,
 * and the network of the client, /24 of IPv4 and /48 of IPv6. Null for what is not known.
 */
export const clientDetails = (request: RequestContext): Pick<SessionDetails, 'userAgent' | 'network'> => ({
  userAgent: request.header('user-agent')?.trim().slice(0, MAX_USER_AGENT) || null,
  network: networkOf(addressOf(request)),
})

/** Gives the function that says what is kept of a client: nothing if the configuration keeps no devices. */
export const keptClientDetails = (keepsDevices: boolean): typeof clientDetails =>
  keepsDevices ? clientDetails : () => ({ userAgent: null, network: null })

/** A framework may throw where it knows no address, and so may the `trust proxy` function of the application. */
function addressOf(request: RequestContext): unknown {
  try {
    return request.clientAddress?.()
  } catch {
    return undefined
  }
}
