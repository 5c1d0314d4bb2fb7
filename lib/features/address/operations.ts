import { InvalidConfiguration, RequestRefused } from '../../kernel/errors.js'
import type { Config, ServiceKey } from '../../sign-in/config.js'
import { type Operation, refuseSignedOut } from '../../sign-in/operation.js'
import type { Visit } from '../../sign-in/visit.js'
import type { AddressService } from './service.js'

/** What changes addresses, loaded at the first use. Null if no mail can be sent, or the adapter lacks a method. */
export const ADDRESSES: ServiceKey<(() => Promise<AddressService>) | null> = { name: 'addresses' }

/** @throws {RequestRefused} 404 where nothing changes addresses */
export const serviceOf = ({ config }: Visit): Promise<AddressService> => addressesIn(config)

/** @throws {RequestRefused} 404 where nothing changes addresses */
export async function addressesIn(config: Pick<Config, 'services'>): Promise<AddressService> {
  const load = config.services.get(ADDRESSES)
  if (load) return load()
  throw new RequestRefused(404, 'The configuration lets nobody change an address.')
}

export const listAddresses: Operation<[], readonly string[]> = {
  parameters: [],
  requires({ services }: Config) {
    if (services.get(ADDRESSES)) return
    throw new InvalidConfiguration('listAddresses() needs an e-mail provider and an adapter of Latchkey.')
  },
  async run({ config, userId }) {
    const { store, others } = await addressesIn(config)
    const user = (await store.getUser(userId())) ?? refuseSignedOut()
    return [...(user.email && user.emailVerified ? [user.email] : []), ...(await others.of(user))]
  },
}
