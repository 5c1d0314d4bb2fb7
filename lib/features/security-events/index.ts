import type { Adapter } from '../../adapters/adapter.js'
import { unkept } from '../../adapters/gateway.js'
import { RECORD_METHODS } from '../../adapters/methods.js'
import { loadOnce } from '../../kernel/awaitable.js'
import { AuthError, MissingAdapter } from '../../kernel/errors.js'
import { LIST_SECURITY_EVENTS, type ServiceKey } from '../../sign-in/config.js'
import type { Arrived, Feature } from '../../sign-in/feature.js'
import type { Sent } from '../../sign-in/visit.js'
import type { NotedEvent, SecurityEvents } from './events.js'
import { NINETY_DAYS, type SecurityEventsOptions } from './options.js'

/** The options that security events read. */
interface Options {
  readonly adapter?: Adapter | undefined
  readonly events: { readonly security?: unknown }
  readonly securityEvents?: SecurityEventsOptions | boolean | undefined
  readonly session: { readonly devices: boolean }
}

/** Null if nobody wants to know. */
const SECURITY_EVENTS: ServiceKey<(() => Promise<SecurityEvents>) | null> = { name: 'security-events' }

/** Tells the application what matters for the security of accounts, and keeps it for the people whose accounts they are. */
export const securityEvents: Feature<Options> = {
  check: checkSecurityEvents,
  isUsed: ({ services }) => services.get(SECURITY_EVENTS) !== null,
  services({ options, ...parts }, services) {
    const { events, securityEvents: given = false, session } = options
    const { maxAge = NINETY_DAYS } = given === true || given === false ? {} : given
    const settings = { devices: session.devices, maxAge: given === false ? null : maxAge }
    const isWanted = given !== false || events.security !== undefined
    const load = loadOnce(async () => (await import('./events.js')).createSecurityEvents(settings, parts))
    services.set(SECURITY_EVENTS, isWanted ? load : null)
    services.set(LIST_SECURITY_EVENTS, given === false ? null : async (userId) => (await load()).list(userId))
  },
  happened: {
    async entered(visit, arrived) {
      const { user, account, authentication } = arrived
      const signedIn = {
        type: 'sign-in',
        userId: String(user.id),
        provider: account.provider,
        ...authentication,
      } as const
      await note(visit, [...additionIn(arrived), signedIn])
    },
    added: (visit, arrived) => note(visit, additionIn(arrived)),
    changed: (sent, { kind: type, userId, provider, count = 1, actorId = null }) =>
      count === 0 ? undefined : note(sent, [{ type, userId, provider, count, actorId }]),
    ended: (sent, { kind: type, userId, at }) => note(sent, [{ type, userId, provider: at?.provider }]),
    failed: (visit, { kind: type, ...failure }) => note(visit, [{ type, ...failure }]),
  },
  pages: { account: { securityEvents: async (caller) => (await import('./part.js')).securityEventsPart(caller) } },
}

/** What a sign-in has added to its user, or somebody on purpose. */
const additionIn = ({ added, user, account: { provider } }: Arrived): readonly NotedEvent[] =>
  added ? [{ type: added === 'passkey' ? 'passkey-added' : 'account-linked', userId: String(user.id), provider }] : []

async function note(sent: Sent, events: readonly NotedEvent[]): Promise<undefined> {
  const load = sent.config.services.get(SECURITY_EVENTS)
  if (load === null) throw new AuthError('The configuration has no security events.')
  await (await load()).note(sent, events)
}

/** What keeps events from being kept. */
function checkSecurityEvents({ adapter, securityEvents: given = false }: Options) {
  if (given === false) return []
  if (!adapter)
    return [
      new MissingAdapter('`securityEvents` are kept in an adapter, and the configuration has none. Set `adapter`.'),
    ]
  return unkept(adapter, [...RECORD_METHODS, 'getUser'], '`securityEvents`')
}
