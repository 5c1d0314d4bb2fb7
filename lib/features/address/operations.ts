import { InvalidConfiguration } from '../../kernel/errors.js'
import type { Config } from '../../sign-in/config.js'
import { type Operation, refuseSignedOut } from '../../sign-in/operation.js'
import { ADDRESSES, addressesIn } from './dependencies.js'

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
