import { loadOnce } from '../../kernel/awaitable.js'
import type { Feature } from '../../sign-in/feature.js'
import type { AccountsDependencies } from '../../users/dependencies.js'
import type { UserAccounts } from './user-accounts.js'

const page = loadOnce(() => import('./link-action.js'))
const actions = loadOnce(() => import('./link-action.js'))

const fails = { leadsBack: true, again: 'RemoveAccount' } as const

/** Accounts at providers that people add to their user, list and remove. */
export const linking: Feature = {
  routes: {
    link: {
      GET: async (visit) => (await page()).showLink(visit),
      getHasEffect: true,
      POST: async (visit) => (await page()).postLink(visit),
      takesProvider: true,
      fails: { asPage: true, leadsBack: true },
    },
    accounts: {
      GET: async (visit) => (await actions()).getAccounts(visit),
      getHasEffect: true,
      fails,
      below: { unlink: { POST: async (visit) => (await actions()).postUnlinkAccount(visit), fails } },
    },
  },
}

/** The accounts of users in an adapter. Their code is loaded when it is first needed. */
export function deferredUserAccounts(dependencies: AccountsDependencies): UserAccounts {
  const load = loadOnce(async () => (await import('./user-accounts.js')).createUserAccounts(dependencies))
  return {
    list: async (userId) => (await load()).list(userId),
    unlink: async (userId, reference, options) => (await load()).unlink(userId, reference, options),
  }
}
