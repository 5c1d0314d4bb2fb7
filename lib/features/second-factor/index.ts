import type { Adapter } from '../../adapters/adapter.js'
import { unkept } from '../../adapters/gateway.js'
import { RECORD_METHODS } from '../../adapters/methods.js'
import { loadOnce } from '../../kernel/awaitable.js'
import { type AuthError, MissingAdapter } from '../../kernel/errors.js'
import { isInstalled } from '../../kernel/packages.js'
import { invalid } from '../../kernel/shape.js'
import type { Theme } from '../../pages/theme.js'
import type { ResolvedProvider } from '../../providers/provider.js'
import { ENDING_CHANGES } from '../../sign-in/account-change.js'
import { SECOND_FACTOR_PAGE } from '../../sign-in/config.js'
import { type Feature, formRoute } from '../../sign-in/feature.js'
import { happened } from '../../sign-in/happened.js'
import { dropHeld, dropHeldOf } from '../../sign-in/held-sign-in.js'
import { ADDS, ASKS, FACTOR_COOKIES, SECOND_FACTORS, secondFactorsIn } from './dependencies.js'
import { NO_PACKAGES, PACKAGES, type SecondFactorOptions } from './options.js'

/** The options that second factors read. */
interface Options {
  readonly adapter?: Adapter | undefined
  readonly secondFactor?: SecondFactorOptions | boolean | undefined
  readonly session: {
    readonly strategy: 'jwt' | 'database'
    readonly revocation?: unknown
    readonly devices: boolean
  }
  readonly theme: Theme
}

const asking = loadOnce(() => import('./ask.js'))
const adding = loadOnce(() => import('./add.js'))
const changing = loadOnce(() => import('./change.js'))
const entering = loadOnce(() => import('./may-enter.js'))

/** A second factor beside the way in which people sign in: an authenticator app, and recovery codes. */
export const secondFactor: Feature<Options> = {
  check: checkSecondFactor,
  cookies: FACTOR_COOKIES,
  holds: (config) => ({
    kind: 'second-factor',
    removal: 'second-factor-removed',
    count: async (userId) => ((await (await secondFactorsIn(config)).factors.find(userId)) ? 1 : 0),
    async revoke(userId) {
      const { store, factors, browsers } = await secondFactorsIn(config)
      await browsers.forgetAll(userId)
      await dropHeldOf({ store }, userId)
      return (await factors.remove(userId)) ? 1 : 0
    },
  }),
  isServedBy: ({ services }) => services.get(SECOND_FACTORS) !== null,
  mayEnter: async (visit, somebody) => (await entering()).askSecondFactor(visit, somebody),
  happened: {
    async entered(visit, { user }) {
      const dropped = await dropHeld(visit)
      const { factors, browsers } = await secondFactorsIn(visit.config)
      const userId = String(user.id)
      const factor = await factors.find(userId)
      return factor ? [...dropped, ...(await browsers.renew(visit, userId, factor.since))] : dropped
    },
    async changed(sent, { kind, userId, isEverywhere }) {
      if (!(isEverywhere || ENDING_CHANGES.has(kind) || OF_FACTORS.has(kind))) return
      const { config } = sent
      const count = await (await secondFactorsIn(config)).browsers.forgetAll(userId)
      await dropHeldOf(config, userId)
      // Their owner sees why those browsers ask again.
      if (count > 0) await happened.changed(sent, { kind: 'browser-trust-ended', userId, count })
    },
  },
  pages: { account: { secondFactor: async (caller) => (await changing()).secondFactorPart(caller) } },
  routes: {
    'second-factor': formRoute({
      GET: async (visit) => (await asking()).showFactor(visit),
      POST: async (visit) => (await asking()).postFactor(visit),
      fails: { isSignIn: true, waysOn: async (visit) => (await asking()).waysWithout(visit, ASKS) },
      limit: { POST: 'codes' },
      below: {
        add: formRoute({
          GET: async (visit) => (await adding()).showAdd(visit),
          POST: async (visit) => (await adding()).postAdd(visit),
          fails: { asJson: 503, waysOn: async (visit) => (await asking()).waysWithout(visit, ADDS) },
        }),
        codes: formRoute({
          GET: async (visit) => (await changing()).showRenew(visit),
          POST: async (visit) => (await changing()).postRenew(visit),
          fails: { asJson: 503 },
        }),
        remove: formRoute({
          GET: async (visit) => (await changing()).showFactorRemoval(visit),
          POST: async (visit) => (await changing()).postFactorRemoval(visit),
        }),
        browsers: formRoute({ GET: async (visit) => (await changing()).getBrowsers(visit), fails: { asJson: 503 } }),
        forget: formRoute({ POST: async (visit) => (await changing()).postForget(visit), fails: { asJson: 503 } }),
      },
    }),
  },
  services(parts, services) {
    const { options, users } = parts
    const { secondFactor: given = false } = options
    const chosen = given === true ? {} : given
    const load = chosen && users && (async () => (await import('./service.js')).createSecondFactors(chosen, parts))
    const loaded = load ? loadOnce(load) : null
    services.set(SECOND_FACTORS, loaded)
    if (!loaded) return
    const canAnswer = async (userId: string) => (await (await loaded()).factors.find(userId)) !== null
    services.set(SECOND_FACTOR_PAGE, {
      path: ASKS,
      canAnswer,
      lacksOne: async (config, reading) => (await import('./may-enter.js')).lacksOne(config, reading),
      async needsPasskeys(userId) {
        const { store, factors, isRequired } = await loaded()
        const user = await store.getUser(userId)
        return user !== null && (await factors.find(userId)) === null && isRequired(user)
      },
    })
  },
}

/** What keeps second factors from being asked for. */
function checkSecondFactor(
  { adapter, secondFactor: given = false, session }: Options,
  providers: readonly ResolvedProvider[],
) {
  if (given === false) return []
  if (!adapter) return [new MissingAdapter(NO_ADAPTER)]
  const isStored = session.strategy !== 'jwt'
  const { trusts = [] } = given === true ? {} : given
  const isTrustable = (id: string) => providers.some((provider) => provider.id === id && provider.type === 'oidc')
  const unknown = trusts.filter((id) => !isTrustable(id))
  const findings: AuthError[] = unknown.map((id) =>
    invalid(`\`secondFactor.trusts\` names "${id}", which is no OpenID Connect provider of this configuration.`),
  )
  if (!isStored && !session.revocation) findings.push(invalid(NO_END))
  if (!PACKAGES.every(isInstalled)) findings.push(invalid(NO_PACKAGES))
  return [...findings, ...unkept(adapter, [...METHODS, ...(isStored ? OF_SESSIONS : [])], 'second factors')]
}

/** After these, what was begun with another second factor, or with none, is of no use. */
const OF_FACTORS: ReadonlySet<string> = new Set([
  'second-factor-added',
  'second-factor-replaced',
  'second-factor-removed',
])

const METHODS = [...RECORD_METHODS, 'getUser', 'getUserByEmail', 'getUserByAccount'] as const
const OF_SESSIONS = ['listSessionsByUserId', 'deleteSessionsByUserId', 'changeSessionToken'] as const

const NO_END =
  'Who adds a second factor ends the sessions that began without it, and those in tokens alone cannot be ended. Set `session.revocation`, or leave out `session.strategy`.'
const NO_ADAPTER = 'A second factor is kept in an adapter, and the configuration has none. Set `adapter`.'
