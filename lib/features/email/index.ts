import type { Adapter } from '../../adapters/adapter.js'
import { missingMethods } from '../../adapters/gateway.js'
import { RECORD_METHODS } from '../../adapters/methods.js'
import { loadOnce } from '../../kernel/awaitable.js'
import { type AuthError, MissingAdapterMethods } from '../../kernel/errors.js'
import type { Theme } from '../../pages/theme.js'
import { hasProvider, type ResolvedEmailProvider, type ResolvedProvider } from '../../providers/provider.js'
import type { Feature } from '../../sign-in/feature.js'
import type { Flow } from '../../sign-in/flow.js'
import { EMAIL_TRANSACTION, type EmailFlowSettings } from './dependencies.js'

const pages = loadOnce(() => import('./send-link-form.js'))

/** The options that mailed links read. */
interface EmailOptions {
  readonly adapter?: Adapter | undefined
  readonly theme: Theme
}

/** Links that are mailed. */
export const email: Feature<EmailOptions> = {
  check: checkCodes,
  ways: ({ options: { theme }, ...parts }) => ({
    email: (provider) => emailFlow(provider, { ...parts, theme }),
  }),
  identities: { email: async () => (await import('../../users/email-identity.js')).createEmailKind },
  transaction: EMAIL_TRANSACTION,
  routes: {
    'verify-request': {
      GET: async (visit) => (await pages()).showVerifyRequest(visit),
      // Its forms are those of a sign-in.
      whileActing: [],
      fails: { asPage: true },
    },
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

/** What keeps codes from being mailed. That mailed links need an adapter is checked for all of them. */
function checkCodes({ adapter }: EmailOptions, providers: readonly ResolvedProvider[]): readonly AuthError[] {
  const provider = providers.find((each) => each.type === 'email' && each.code)
  const missing = provider && adapter ? missingMethods(adapter, RECORD_METHODS) : []
  if (!provider || missing.length === 0) return []
  const message = `Provider "${provider.id}" mails codes, and the adapter lacks ${missing.join(', ')}, with which their tries are counted. Use an adapter of Latchkey, or leave out \`code\`.`
  return [new MissingAdapterMethods(message)]
}

function emailFlow(provider: ResolvedEmailProvider, settings: EmailFlowSettings): Flow {
  const load = loadOnce(async () => {
    const { emailSteps } = await import('./email-flow.js')
    return emailSteps(provider, settings)
  })
  return {
    callbackMethods: ['GET', 'POST'],
    callbackNeedsCsrf: true,
    limits: {
      start: { POST: 'mails' },
      // A token of the application's own may be short, and the page of a link says whether it counts.
      finish: provider.source.generateVerificationToken ? { GET: 'guesses', POST: 'guesses' } : { POST: 'requests' },
    },
    start: async (request, initiator) => (await load()).start(request, initiator),
    finish: async (request) => (await load()).finish(request),
  }
}
