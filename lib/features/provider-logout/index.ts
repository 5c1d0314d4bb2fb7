import { loadOnce } from '../../kernel/awaitable.js'
import type { Feature } from '../../sign-in/feature.js'
import { endsThere, LOGOUT_TRANSACTION, offer } from './service.js'

const there = loadOnce(() => import('./provider-logout.js'))

/** Sign-outs at providers: those that people begin here, and those that a provider tells of. */
export const providerLogout: Feature = {
  transaction: LOGOUT_TRANSACTION,
  routes: {
    'backchannel-logout': {
      POST: async (visit) => (await import('./backchannel-logout.js')).backChannelLogout(visit),
      takesProvider: true,
      csrf: 'never',
    },
    'frontchannel-logout': {
      GET: async (visit) => (await import('./frontchannel-logout.js')).frontChannelLogout(visit),
      getHasEffect: true,
      takesProvider: true,
    },
  },
  isUsed: endsThere,
  happened: {
    // A sign-out that is still under way is that of the session before, and perhaps of another person.
    entered: (visit) => visit.config.transactions.clearAll(visit, LOGOUT_TRANSACTION),
  },
  signOut: {
    offer,
    leave: async (visit) => (await there()).leave(visit),
    goOn: async (visit) => (await there()).goOn(visit),
    comeBack: async (visit) => (await there()).comeBack(visit),
  },
}
