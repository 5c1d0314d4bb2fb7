import type { Adapter } from '../../adapters/adapter.js'
import { missingMethods } from '../../adapters/gateway.js'
import { strategyOf } from '../../config/choose-sessions.js'
import { invalid } from '../../config/configuration-error.js'
import type { AuthConfig } from '../../config/options.js'
import type { Finding, ResolvedOAuthProvider, ResolvedProvider } from '../../providers/provider.js'

/** What keeps a provider from signing people out, each with its fix. */
export function checkLogout(options: AuthConfig, providers: readonly ResolvedProvider[]): Finding[] {
  return providers.flatMap((provider) => {
    if (provider.type !== 'oauth' && provider.type !== 'oidc') return []
    return [...checkProtocol(provider), ...checkEndpoint(provider), ...checkStore(options, provider)]
  })
}

/** Plain OAuth has no ID token, and so neither a `sid` nor a logout token. */
function checkProtocol({ id, type, backChannelLogout, frontChannelLogout }: ResolvedOAuthProvider): Finding[] {
  if (type === 'oidc' || !(backChannelLogout || frontChannelLogout)) return []
  const option = backChannelLogout ? 'backChannelLogout' : 'frontChannelLogout'
  return [invalid(`Provider "${id}": ${option} needs OpenID Connect, and its type is "oauth". Leave the option out.`)]
}

function checkEndpoint({ id, endSession, tokenFacts, discoveryUrl }: ResolvedOAuthProvider): Finding[] {
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
  options: AuthConfig,
  { id, backChannelLogout, frontChannelLogout }: ResolvedOAuthProvider,
): Finding[] {
  if (!backChannelLogout && !frontChannelLogout) return []
  const option = backChannelLogout ? 'backChannelLogout' : 'frontChannelLogout'
  const { session, adapter } = options
  if (strategyOf(options) === 'database') {
    if (!adapter) return []
    const missing = missingMethods(adapter, ['listSessionsByProvider', 'listSessionsByUserId'])
    return missing.length === 0 ? [] : [lacking(id, option, 'The adapter', missing)]
  }
  const store: Adapter | undefined = session?.revocation?.store
  // A logout in a frame ends the session of its own browser also without a store.
  if (!store) return backChannelLogout ? [invalid(`Provider "${id}": backChannelLogout ${NEEDS_STORE}`)] : []
  const missing = missingMethods(store, ['listTokenSessionsByProvider'])
  return missing.length === 0 ? [] : [lacking(id, option, 'The store of `session.revocation`', missing)]
}

const NEEDS_STORE =
  'cannot end sessions that are in tokens only. Set `session.revocation: { store }`, or keep sessions in a store with `session.strategy: "database"`.'

const lacking = (id: string, option: string, what: string, missing: readonly string[]): Finding => ({
  type: 'MissingAdapterMethods',
  message: `${what} lacks ${missing.join(', ')}, which ${option} of provider "${id}" needs. Use an adapter of Latchkey.`,
})

/** Whether the sessions that began at a provider can be found and ended. */
export function endsSessionsOfProviders(options: AuthConfig): boolean {
  const { session, adapter } = options
  const [store, method] =
    strategyOf(options) === 'database'
      ? ([adapter, 'listSessionsByProvider'] as const)
      : ([session?.revocation?.store, 'listTokenSessionsByProvider'] as const)
  return typeof store?.[method] === 'function'
}

/**
 * What keeps users from being read again as the application wants it. A callback that is never called is refused: the
 * application relies on it to keep disabled users out.
 */
export function checkRefreshUser(
  { session, callbacks, adapter }: AuthConfig,
  { faulty }: { readonly faulty: ReadonlySet<string> },
): Finding[] {
  if (['session', 'callbacks', 'adapter'].some((name) => faulty.has(name))) return []
  const hasCallback = callbacks?.refreshUser !== undefined
  if (session?.refreshUser === undefined) return hasCallback ? [NO_SECONDS] : []
  // The checks of the adapter require `getUser` for stored sessions.
  if (strategyOf({ session, adapter }) === 'database') return hasCallback ? [NOT_FOR_ROWS] : []
  if (hasCallback) return []
  if (!adapter) return [NO_SOURCE]
  return missingMethods(adapter, ['getUser']).length === 0 ? [] : [NO_METHOD]
}

const NO_SECONDS = invalid(
  '`callbacks.refreshUser` is never called without `session.refreshUser`, the seconds after which the user of a session is read again. Set it, or remove the callback.',
)

const NOT_FOR_ROWS = invalid(
  '`callbacks.refreshUser` is never called with stored sessions, which read their user from the adapter for every request. Remove it, or set `session.strategy` to "jwt".',
)

const NO_SOURCE: Finding = {
  type: 'MissingAdapter',
  message:
    '`session.refreshUser` is set, but nothing says who the user of a token is now. Set `callbacks.refreshUser`, or an `adapter`.',
}

const NO_METHOD: Finding = {
  type: 'MissingAdapterMethods',
  message: 'The adapter lacks getUser, which `session.refreshUser` needs. Or set `callbacks.refreshUser`.',
}
