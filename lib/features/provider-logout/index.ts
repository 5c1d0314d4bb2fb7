import type { Adapter } from '../../adapters/adapter.js'
import { missingMethods } from '../../adapters/gateway.js'
import { loadOnce } from '../../kernel/awaitable.js'
import { type AuthError, MissingAdapterMethods } from '../../kernel/errors.js'
import { invalid } from '../../kernel/shape.js'
import { isOAuthProvider, type ResolvedOAuthProvider, type ResolvedProvider } from '../../providers/provider.js'
import type { Feature } from '../../sign-in/feature.js'
import { createUsedLogoutTokens, endsThere, LOGOUT_TRANSACTION, offer, PROVIDER_LOGOUT } from './service.js'

const there = loadOnce(() => import('./provider-logout.js'))

/** Sign-outs at providers: those that people begin here, and those that a provider tells of. */
export const providerLogout: Feature<KeptSessions> = {
  check: checkLogout,
  services({ options: { instance }, sessionStore, store, sessionsOfProvider, tokenSecrets, tokens, now }, services) {
    services.set(PROVIDER_LOGOUT, {
      used: createUsedLogoutTokens({ store: sessionStore ?? store, secrets: tokenSecrets, instance, now }),
      endsSessions: sessionsOfProvider !== null,
      tokens,
    })
  },
  transaction: LOGOUT_TRANSACTION,
  routes: {
    'backchannel-logout': {
      POST: async (visit) => (await import('./backchannel-logout.js')).backChannelLogout(visit),
      takesProvider: true,
      csrf: 'never',
    },
    'frontchannel-logout': {
      GET: async (visit) => (await import('./backchannel-logout.js')).frontChannelLogout(visit),
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

/** Where a configuration keeps sessions. */
interface KeptSessions {
  readonly instance?: string | undefined
  readonly adapter?: Adapter | undefined
  readonly session: { readonly strategy: 'jwt' | 'database'; readonly revocation?: { readonly store: Adapter } }
}

/** What keeps a provider from signing people out, each with its fix. */
function checkLogout(options: KeptSessions, providers: readonly ResolvedProvider[]): AuthError[] {
  return providers.flatMap((provider) => {
    if (!isOAuthProvider(provider)) return []
    return [...checkProtocol(provider), ...checkEndpoint(provider), ...checkStore(options, provider)]
  })
}

/** Plain OAuth has no ID token, and so neither a `sid` nor a logout token. */
function checkProtocol({ id, type, backChannelLogout, frontChannelLogout }: ResolvedOAuthProvider): AuthError[] {
  if (type === 'oidc' || !(backChannelLogout || frontChannelLogout)) return []
  const option = backChannelLogout ? 'backChannelLogout' : 'frontChannelLogout'
  return [invalid(`Provider "${id}": ${option} needs OpenID Connect, and its type is "oauth". Leave the option out.`)]
}

function checkEndpoint({ id, endSession, tokenFacts, discoveryUrl }: ResolvedOAuthProvider): AuthError[] {
  if (endSession === null) return []
  const { endSession: facts } = tokenFacts
  if (facts === null) return [invalid(`Provider "${id}" has no logout endpoint. Leave endSession out.`)]
  if (discoveryUrl !== null || (facts && facts.url !== 'metadata')) return []
  return [
    invalid(
      `Provider "${id}": endSession needs the address of its logout endpoint. Set tokenFacts: { endSession: { url, returnParam } }, or its issuer, whose metadata have the address.`,
    ),
  ]
}

/** A configuration that promises to end sessions must be able to. */
function checkStore(
  options: KeptSessions,
  { id, backChannelLogout, frontChannelLogout }: ResolvedOAuthProvider,
): AuthError[] {
  if (!backChannelLogout && !frontChannelLogout) return []
  const option = backChannelLogout ? 'backChannelLogout' : 'frontChannelLogout'
  const { session, adapter } = options
  if (session.strategy === 'database') {
    if (!adapter) return []
    const missing = missingMethods(adapter, ['listSessionsByProvider', 'listSessionsByUserId'])
    return missing.length === 0 ? [] : [lacking(id, option, 'The adapter', missing)]
  }
  const store: Adapter | undefined = session.revocation?.store
  // A logout in a frame ends the session of its own browser also without a store.
  if (!store) return backChannelLogout ? [invalid(`Provider "${id}": backChannelLogout ${NEEDS_STORE}`)] : []
  const missing = missingMethods(store, ['listTokenSessionsByProvider'])
  return missing.length === 0 ? [] : [lacking(id, option, 'The store of `session.revocation`', missing)]
}

const NEEDS_STORE =
  'cannot end sessions that are in tokens only. Set `session.revocation: { store }`, or keep sessions in a store with `session.strategy: "database"`.'

const lacking = (id: string, option: string, what: string, missing: readonly string[]): AuthError =>
  new MissingAdapterMethods(
    `${what} lacks ${missing.join(', ')}, which ${option} of provider "${id}" needs. Use an adapter of Latchkey.`,
  )
