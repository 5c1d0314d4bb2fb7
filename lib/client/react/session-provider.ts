/// <reference lib="dom" />
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useInsertionEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { JsonValue } from '../../providers/user.js'
import type { Session } from '../../sessions/session.js'
import type { AuthClient } from '../client.js'
import type { ClientError } from '../errors.js'
import type { MountAddress } from '../mount.js'
import { isSame } from './session-state.js'
import { createSessionStore, type SessionStore } from './session-store.js'
import { createBoundClient, type RefetchOptions, watchForChanges } from './session-sync.js'

/** The properties of {@link SessionProvider}. */
export interface SessionProviderProps extends RefetchOptions {
  children?: ReactNode
  /**
   * The session that the server has read for this page, null if nobody is signed in. Then the page asks for nothing
   * when it loads. Undefined: the page asks the server.
   */
  session?: Session | null
  /** Origin of the server, where it is not that of the page; as in `createClient` of `latchkey/client`. */
  baseUrl?: string | undefined
  /** Public path of the mount; `/auth` by default. */
  basePath?: string
}

/** Options of {@link useSession}. */
export interface UseSessionOptions<Required extends boolean> {
  /** Whether the component is for signed-in visitors only. Others go to the sign-in page. */
  required: Required
  /** Is called instead of going to the sign-in page. */
  onUnauthenticated?: () => void
}

/** Hands `data` to the server's callbacks. Without data, asks the server for the session. */
export type UpdateSession = (data?: JsonValue) => Promise<Session | null>

/** What {@link useSession} gives. */
export type SessionContextValue<Required extends boolean = false> = {
  /** @throws {ClientError} when the server could not be asked */
  readonly update: UpdateSession
  /** Why the last look-up failed; null when it did not. `data` and `status` are then those of the look-up before. */
  readonly error: ClientError | null
} & (
  | { readonly data: Session; readonly status: 'authenticated' }
  | { readonly data: null; readonly status: Required extends true ? 'loading' : 'loading' | 'unauthenticated' }
)

interface MountedProvider {
  readonly store: SessionStore
  readonly client: AuthClient
  readonly update: UpdateSession
}

/** A provider as the page renders it. */
interface RenderedProvider {
  readonly provider: MountedProvider
  /** The session that the server rendered last; undefined when it gave none. */
  readonly session: Session | null | undefined
}

const ProviderContext = createContext<RenderedProvider | null>(null)

/** The providers in this page. Only effects write to it, and effects do not run on a server. */
const mounted: MountedProvider[] = []

/** The functions for the mount of the provider in this page; null before there is one. */
export const mountedClient = (): AuthClient | null => mounted.at(-1)?.client ?? null

/**
 * Gives the components in it the session of the visitor.
 *
 * @throws {Error} for a `session` that is no session, such as a promise, for a `basePath` that is no path, and for a `baseUrl`
 *   that is no origin
 */
export function SessionProvider({ basePath = '/auth', ...props }: SessionProviderProps): ReactElement {
  checkProperties(basePath, props.session)
  // Another mount has another session: nothing of the old one may stay.
  return createElement(ProviderOfMount, { key: `${props.baseUrl ?? ''}${basePath}`, basePath, ...props })
}

function ProviderOfMount({
  children,
  session,
  baseUrl,
  basePath,
  refetchInterval = 0,
  refetchOnWindowFocus = true,
  refetchWhenOffline = true,
}: SessionProviderProps & { basePath: string }) {
  const [provider] = useState(() => createProvider({ baseUrl, basePath }, session))
  const { store } = provider
  // A server gives a new object each time. Components are rendered again only for another session.
  const [rendered, setRendered] = useState(session)
  if (session !== undefined && !isSame(rendered, session)) setRendered(session)
  const value = useMemo(() => ({ provider, session: rendered }), [provider, rendered])

  // These effects run before all others, so that an effect of a child can already call signIn().
  useInsertionEffect(() => {
    mounted.push(provider)
    return () => {
      mounted.splice(mounted.indexOf(provider), 1)
    }
  }, [provider])
  useEffect(() => store.start(), [store])
  useEffect(
    () => watchForChanges(store, { refetchInterval, refetchOnWindowFocus, refetchWhenOffline }),
    [store, refetchInterval, refetchOnWindowFocus, refetchWhenOffline],
  )
  useEffect(() => {
    if (rendered !== undefined) store.adopt(rendered)
  }, [store, rendered])

  return createElement(ProviderContext.Provider, { value }, children)
}

function createProvider(address: MountAddress, session: Session | null | undefined): MountedProvider {
  const store = createSessionStore(address, session)
  const client = createBoundClient(address, store)
  return {
    store,
    client,
    update: (data) => (data === undefined ? store.lookUpAgain() : client.updateSession(data)),
  }
}

/**
 * The session of the visitor, and what is known about it.
 *
 * @throws {Error} outside of a {@link SessionProvider}
 */
export function useSession<Required extends boolean = false>(
  options?: UseSessionOptions<Required>,
): SessionContextValue<Required> {
  const { provider, session } = useProvider('useSession')
  const { store, client, update } = provider
  const known = useSyncExternalStore(store.subscribe, store.getState, store.getInitialState)
  // Effects of components run before the provider's own, so the store learns of a new session too late for them.
  const { data, status, error, isLeaving } = store.stateWith(known, session)
  const isRequired = options?.required === true
  // After a sign-out, the page is on its way to another one, which may be open to everybody.
  const isRefused = isRequired && status === 'unauthenticated' && !isLeaving

  const onUnauthenticated = useRef(options?.onUnauthenticated)
  const hasRefused = useRef(false)
  useEffect(() => {
    onUnauthenticated.current = options?.onUnauthenticated
  })
  useEffect(() => {
    // Strict mode runs each effect twice.
    const isNew = isRefused && !hasRefused.current
    hasRefused.current = isRefused
    if (!isNew) return
    if (onUnauthenticated.current) onUnauthenticated.current()
    else client.signIn().catch(() => {})
  }, [isRefused, client])

  return useMemo(() => {
    const shown = isRequired && status === 'unauthenticated' ? 'loading' : status
    return { data, status: shown, error, update } as SessionContextValue<Required>
  }, [data, status, error, update, isRequired])
}

/**
 * The functions of `latchkey/client` for the mount of the nearest {@link SessionProvider}. A page with several mounts
 * needs it: `signIn` and the others that this module exports belong to the provider that was mounted last.
 *
 * @throws {Error} outside of a {@link SessionProvider}
 */
export function useAuthClient(): AuthClient {
  return useProvider('useAuthClient').provider.client
}

function useProvider(caller: string): RenderedProvider {
  const rendered = useContext(ProviderContext)
  if (rendered === null) throw new Error(`${caller}() needs a SessionProvider around the component.`)
  return rendered
}

/**
 * Refuses properties of `SessionProvider` that the types do not allow, for applications in JavaScript. A promise is an
 * object, so it would show every visitor as signed in. No message contains a value of `session`: it is personal data.
 *
 * @throws {Error}
 */
function checkProperties(basePath: unknown, session: unknown): void {
  if (typeof basePath !== 'string' || !/^\/(?![/\\])/.test(basePath)) {
    const given = JSON.stringify(basePath)
    throw new Error(
      `The basePath of SessionProvider must be a path that begins with one "/", such as "/auth". It is ${given}.`,
    )
  }
  if (session === undefined || session === null) return
  if (isPromise(session)) {
    throw new Error('The session of SessionProvider is a promise. Wait for it: session={await auth()}.')
  }
  if (!isSession(session)) {
    throw new Error(
      'The session of SessionProvider is no session. It must be what the server read, such as await auth(), or null if nobody is signed in.',
    )
  }
}

const isPromise = (value: unknown) => typeof (value as { then?: unknown }).then === 'function'

/** The rule is that of the server for what a `session` callback gives: a session has `user` or `expires`. */
function isSession(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { user, expires } = value as { user?: unknown; expires?: unknown }
  const hasUser = typeof user === 'object' && user !== null
  return (
    hasUser || (typeof expires === 'string' && expires !== '') || typeof expires === 'number' || expires instanceof Date
  )
}
