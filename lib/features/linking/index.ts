import { loadOnce } from '../../kernel/awaitable.js'
import { type Feature, formRoute } from '../../sign-in/feature.js'
import { ACCOUNTS } from './links.js'

const actions = loadOnce(() => import('./link-action.js'))

const fails = { asJson: 503, leadsBack: true, again: 'RemoveAccount' } as const

/** Accounts at providers that people add to their user, list and remove. */
export const linking: Feature<unknown> = {
  services: ({ users }, services) =>
    services.set(
      ACCOUNTS,
      users && loadOnce(async () => (await import('./user-accounts.js')).createUserAccounts(users)),
    ),
  pages: { account: { accounts: async (caller) => (await actions()).accountsPart(caller) } },
  routes: {
    link: formRoute({
      GET: async (visit) => (await actions()).showLink(visit),
      POST: async (visit) => (await actions()).postLink(visit),
      takesProvider: true,
    }),
    accounts: formRoute({
      GET: async (visit) => (await actions()).getAccounts(visit),
      fails,
      below: {
        unlink: formRoute({
          POST: async (visit) => (await actions()).postUnlinkAccount(visit),
          fails,
        }),
      },
    }),
  },
}
