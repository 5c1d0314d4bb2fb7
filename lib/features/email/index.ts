import { loadOnce } from '../../kernel/awaitable.js'
import { hasProvider, type ResolvedEmailProvider } from '../../providers/provider.js'
import type { Feature } from '../../sign-in/feature.js'
import type { Flow } from '../../sign-in/flow.js'
import { EMAIL_TRANSACTION, type EmailFlowSettings } from './dependencies.js'

const pages = loadOnce(() => import('./send-link-form.js'))

/** Links that are mailed. */
export const email: Feature = {
  transaction: EMAIL_TRANSACTION,
  routes: {
    'verify-request': { GET: async (visit) => (await pages()).showVerifyRequest(visit), fails: { asPage: true } },
  },
  isUsed: ({ providers }) => hasProvider(providers, 'email'),
  happened: {
    // A mailed link asks from now on before it signs somebody in. Other tabs may end their sign-ins, if they are those of the
    // same person.
    entered: (visit) => visit.config.transactions.clearAll(visit, EMAIL_TRANSACTION),
  },
  pages: {
    address: async (visit) => (await pages()).addressToCorrect(visit),
    error: async (visit, error) => (await pages()).showUnusableLink(visit, error),
  },
}

/** Makes the flow of each e-mail provider. */
export const emailFlows =
  (settings: EmailFlowSettings) =>
  (provider: ResolvedEmailProvider): Flow => {
    const load = loadOnce(async () => {
      const { emailFlow, withPage } = await import('./email-flow.js')
      return withPage(provider.id, emailFlow(provider, settings))
    })
    return {
      callbackMethods: ['GET', 'POST'],
      callbackNeedsCsrf: true,
      keepsReturnTarget: false,
      start: async (request, initiator) => (await load()).start(request, initiator),
      finish: async (request) => (await load()).finish(request),
    }
  }
