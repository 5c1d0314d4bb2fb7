import type { Adapter } from '../../adapters/adapter.js'
import { missingMethods } from '../../adapters/gateway.js'
import { RECORD_METHODS } from '../../adapters/methods.js'
import { loadOnce } from '../../kernel/awaitable.js'
import { invalid } from '../../kernel/shape.js'
import type { Theme } from '../../pages/theme.js'
import { noticeSenderIn, type ResolvedProvider } from '../../providers/provider.js'
import { LIST_OTHER_ADDRESSES } from '../../sign-in/config.js'
import { type Feature, formRoute } from '../../sign-in/feature.js'
import { ADDRESSES, addressesIn } from './operations.js'

const METHODS = [...RECORD_METHODS, 'getUser', 'getUserByEmail', 'updateUser'] as const

const actions = loadOnce(() => import('./actions.js'))

/** The options that addresses read. */
interface Options {
  readonly adapter?: Adapter | undefined
  readonly maxAddresses: number
  readonly theme: Theme
}

/** Lets people change the address that they have, or have several. */
export const address: Feature<Options> = {
  check: checkAddresses,
  // Also where each user has one: another process may have let them have several.
  holds: (config) => ({
    kind: 'address',
    count: async (userId) => (await addressesIn(config)).others.count(userId),
    revoke: async (userId) => (await addressesIn(config)).others.forgetAll(userId),
  }),
  isServedBy: ({ services }) => services.get(ADDRESSES) !== null,
  happened: {
    async changed({ config }, change) {
      await (await addressesIn(config)).links.endAfter(change)
    },
  },
  pages: { account: { address: async (caller) => (await actions()).addressPart(caller) } },
  routes: {
    address: formRoute({
      GET: async (visit) => (await actions()).showAsk(visit),
      POST: async (visit) => (await actions()).postAsk(visit),
      limit: { POST: 'address-mails' },
      below: {
        confirm: formRoute({
          GET: async (visit) => (await actions()).showConfirm(visit),
          POST: async (visit) => (await actions()).postConfirm(visit),
          fails: { leadsBack: 'signed-in' },
        }),
        primary: formRoute({ POST: async (visit) => (await actions()).postPrimary(visit), fails: { asJson: 503 } }),
        remove: formRoute({ POST: async (visit) => (await actions()).postRemove(visit), fails: { asJson: 503 } }),
      },
    }),
  },
  services(parts, services) {
    const sender = noticeSenderIn(parts.providers)
    const isUsed = sender !== null && METHODS.every((name) => parts.store.has(name))
    const load = isUsed && (async () => (await import('./service.js')).createAddresses(sender, parts))
    const once = load ? loadOnce(load) : null
    services.set(ADDRESSES, once)
    services.set(LIST_OTHER_ADDRESSES, once && (async (user) => (await once()).others.of(user)))
  },
}

/** What keeps people from having several addresses. */
function checkAddresses({ adapter, maxAddresses }: Options, providers: readonly ResolvedProvider[]) {
  if (maxAddresses === 1) return []
  const missing = missingMethods(adapter ?? {}, METHODS)
  if (noticeSenderIn(providers) && missing.length === 0) return []
  return [
    invalid(
      '`maxAddresses` needs an adapter of Latchkey, in which the addresses are kept, and an e-mail provider that can mail the links that confirm them: one of Latchkey, such as Nodemailer() or Resend(), or an Email() with a `sendNotification`.',
    ),
  ]
}
