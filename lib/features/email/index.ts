import { loadOnce } from '../../kernel/awaitable.js'
import type { Theme } from '../../pages/theme.js'
import { hasProvider, type ResolvedEmailProvider } from '../../providers/provider.js'
import type { SignInCallback } from '../../sign-in/ask-signin.js'
import type { Feature } from '../../sign-in/feature.js'
import type { Flow } from '../../sign-in/flow.js'
import { EMAIL_TRANSACTION, type EmailFlowSettings } from './dependencies.js'

const pages = loadOnce(() => import('./send-link-form.js'))

/** The options that mailed links read. */
interface EmailOptions {
  readonly theme: Theme
  readonly callbacks: { readonly signIn?: SignInCallback | undefined }
}

/** Links that are mailed. */
export const email: Feature<EmailOptions> = {
  ways: ({ options: { theme, callbacks }, ...parts }) => ({
    email: (provider) => emailFlow(provider, { ...parts, theme, signIn: callbacks.signIn ?? (() => true) }),
  }),
  identities: { email: async () => (await import('../../users/email-identity.js')).createEmailKind },
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

function emailFlow(provider: ResolvedEmailProvider, settings: EmailFlowSettings): Flow {
  const load = loadOnce(async () => {
    const { emailSteps } = await import('./email-flow.js')
    return emailSteps(provider, settings)
  })
  return {
    callbackMethods: ['GET', 'POST'],
    callbackNeedsCsrf: true,
    keepsReturnTarget: false,
    start: async (request, initiator) => (await load()).start(request, initiator),
    finish: async (request) => (await load()).finish(request),
  }
}
