import type { Adapter } from '../../adapters/adapter.js'
import { unkept } from '../../adapters/gateway.js'
import { RECORD_METHODS } from '../../adapters/methods.js'
import { loadOnce } from '../../kernel/awaitable.js'
import { type AuthError, MissingAdapter } from '../../kernel/errors.js'
import { invalid } from '../../kernel/shape.js'
import type { Theme } from '../../pages/theme.js'
import { noticeSenderIn, type ResolvedCredentialsProvider, type ResolvedProvider } from '../../providers/provider.js'
import type { Config } from '../../sign-in/config.js'
import { type Feature, formRoute } from '../../sign-in/feature.js'
import type { SignUpMode } from '../../users/ask-sign-up.js'
import { PASSWORDS, serviceIn } from './operations.js'

/** The options that passwords read. */
interface PasswordOptions {
  readonly adapter?: Adapter | undefined
  readonly providers?: readonly unknown[]
  readonly signUp: SignUpMode
  readonly theme: Theme
}

const actions = loadOnce(() => import('./actions.js'))
const choosing = loadOnce(() => import('./choose.js'))
const signingIn = loadOnce(() => import('./password-sign-in.js'))

/** Of a form that people send who are not signed in. */
const failsForAll = { asPage: true, leadsBack: 'signed-in' } as const

const passwordsIn = async (config: Pick<Config, 'services'>) => (await serviceIn(config)).passwords

/** Passwords that Latchkey keeps. */
export const password: Feature<PasswordOptions> = {
  check: checkPasswords,
  holds: (config) => ({
    kind: 'password',
    removal: 'password-removed',
    count: async (userId) => ((await (await passwordsIn(config)).has(userId)) ? 1 : 0),
    revoke: async (userId) => ((await (await passwordsIn(config)).revoke(userId)) ? 1 : 0),
    stateOf: async (userId) => (await passwordsIn(config)).stateOf(userId),
  }),
  isServedBy: ({ services }) => services.get(PASSWORDS) !== null,
  mayEnter: async (visit, entering) => (await signingIn()).requireSamePassword(visit, entering),
  happened: {
    async changed({ config }, change) {
      await (await serviceIn(config)).links.endAfter(change)
    },
  },
  pages: {
    links: ({ urls }) => ({ forgot: urls.action('password'), signUp: `${urls.action('password')}?new` }),
    account: { password: async (caller) => (await actions()).passwordPart(caller) },
  },
  routes: {
    password: {
      GET: async (visit) => (await actions()).showAsk(visit),
      POST: async (visit) => (await actions()).postAsk(visit),
      fails: failsForAll,
      limit: { POST: 'mails' },
      below: {
        choose: formRoute({
          GET: async (visit) => (await choosing()).showChoose(visit),
          POST: async (visit) => (await choosing()).postChoose(visit),
          fails: failsForAll,
        }),
        change: formRoute({
          GET: async (visit) => (await actions()).showChange(visit),
          POST: async (visit) => (await actions()).postChange(visit),
          limit: { POST: 'guesses' },
        }),
        remove: formRoute({
          GET: async (visit) => (await actions()).showRemove(visit),
          POST: async (visit) => (await actions()).postRemove(visit),
          fails: { asJson: 503 },
        }),
      },
    },
  },
  services(parts, services) {
    const [provider = null] = keepersIn(parts.providers)
    const sender = noticeSenderIn(parts.providers)
    const load =
      provider && sender && (async () => (await import('./service.js')).createPasswords(provider, sender, parts))
    services.set(PASSWORDS, load && loadOnce(load))
  },
  ways: () => ({
    password: () => ({
      callbackMethods: ['POST'],
      callbackNeedsCsrf: true,
      limits: { finish: { POST: 'guesses' } },
      finish: async (visit) => (await signingIn()).signInWithPassword(visit),
    }),
  }),
}

const keepersIn = (providers: readonly ResolvedProvider[]) =>
  providers.filter((each): each is ResolvedCredentialsProvider => each.type === 'credentials' && each.password !== null)

/** What keeps passwords from being kept. */
function checkPasswords(
  { adapter, providers: given = [] }: PasswordOptions,
  providers: readonly ResolvedProvider[],
): AuthError[] {
  const { length } = keepersIn(providers)
  if (length === 0) return []
  const findings: AuthError[] = length > 1 ? [invalid(ONLY_ONE)] : []
  // A provider that was refused may be one that sends.
  if (!noticeSenderIn(providers) && given.length === providers.length) findings.push(invalid(NO_SENDER))
  if (!adapter) return [...findings, new MissingAdapter(NO_ADAPTER)]
  const methods = [...RECORD_METHODS, 'createUser', 'getUser', 'getUserByEmail', 'updateUser'] as const
  return [...findings, ...unkept(adapter, methods, 'passwords')]
}

const ONLY_ONE = 'A user has one password, so there is one provider of passwords. Leave out all but one Password().'
const NO_SENDER =
  'Password() mails the links with which people choose a password, and no e-mail provider can send them. Add one of Latchkey, such as Nodemailer() or Resend(), or give your Email() a `sendNotification`.'
const NO_ADAPTER = 'Password() keeps passwords in an adapter, and the configuration has none. Set `adapter`.'
