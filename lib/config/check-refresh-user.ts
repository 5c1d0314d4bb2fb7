import { missingMethods } from '../adapters/gateway.js'
import type { Finding } from '../providers/provider.js'
import { strategyOf } from './choose-sessions.js'
import { invalid } from './configuration-error.js'
import type { AuthConfig } from './options.js'

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
