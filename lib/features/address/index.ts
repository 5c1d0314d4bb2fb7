import { RECORD_METHODS } from '../../adapters/methods.js'
import { loadOnce } from '../../kernel/awaitable.js'
import type { Theme } from '../../pages/theme.js'
import { noticeSenderIn } from '../../providers/provider.js'
import type { Config } from '../../sign-in/config.js'
import type { Feature } from '../../sign-in/feature.js'
import { ADDRESSES, addressesIn } from './dependencies.js'

const METHODS = [...RECORD_METHODS, 'getUser', 'getUserByEmail', 'updateUser'] as const

const actions = loadOnce(() => import('./actions.js'))

const isServedBy = ({ services }: Pick<Config, 'services'>): boolean => services.get(ADDRESSES) !== null

const fails = { asPage: true } as const

/** Lets people change the address that they have. */
export const address: Feature<{ readonly theme: Theme }> = {
  isUsed: isServedBy,
  happened: {
    async changed({ config }, change) {
      await (await addressesIn(config)).links.endAfter(change)
    },
  },
  pages: { account: { address: async (caller) => (await actions()).addressPart(caller) } },
  routes: {
    address: {
      GET: async (visit) => (await actions()).showAsk(visit),
      getHasEffect: true,
      POST: async (visit) => (await actions()).postAsk(visit),
      isServedBy,
      fails,
      limit: { POST: 'address-mails' },
      below: {
        confirm: {
          GET: async (visit) => (await actions()).showConfirm(visit),
          getHasEffect: true,
          POST: async (visit) => (await actions()).postConfirm(visit),
          isServedBy,
          fails,
          limit: { POST: 'requests' },
        },
      },
    },
  },
  services(parts, services) {
    const sender = noticeSenderIn(parts.providers)
    const isUsed = sender !== null && METHODS.every((name) => parts.store.has(name))
    const load = isUsed && (async () => (await import('./service.js')).createAddresses(sender, parts))
    services.set(ADDRESSES, load ? loadOnce(load) : null)
  },
}
