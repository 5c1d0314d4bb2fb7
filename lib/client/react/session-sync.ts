/// <reference lib="dom" />
import {
  type AuthClient,
  createClient,
  NOT_ENDED,
  type PasskeyOptions,
  readOptions,
  type SignInResult,
} from '../client.js'
import { ClientError } from '../errors.js'
import type { MountAddress } from '../mount.js'
import type { SessionStore } from './session-store.js'

/** The functions of `latchkey/client` for one mount, which also keep the session of the page up to date. */
export function createBoundClient(address: MountAddress, store: SessionStore): AuthClient {
  const client = createClient(address)

  /** The page has another user now. If it is about to be left, the next page asks. A fault is in the state. */
  const signedIn = async (isOk: boolean, isStaying: boolean) => {
    if (isOk && isStaying) await store.lookUpAgain().catch(() => {})
  }

  // A ceremony with suggestions waits for minutes. It must not hold look-ups back.
  const ceremony =
    <Options extends PasskeyOptions>(run: (options?: Options) => Promise<SignInResult>) =>
    async (options?: Options): Promise<SignInResult> => {
      const result = await run(options)
      await signedIn(result.ok, options?.redirect === false)
      return result
    }

  return {
    ...client,
    async signIn(providerId, options, authorizationParams) {
      const result = await store.change(() => client.signIn(providerId, options, authorizationParams))
      await signedIn(result.ok, readOptions(options ?? {}).redirect === false)
      return result
    },
    async signOut(options) {
      const isStaying = options?.redirect === false
      try {
        const result = await store.change(() => client.signOut(options))
        if (result.error === null || result.error === NOT_ENDED) store.signedOut(!isStaying)
        return result
      } catch (error) {
        if (error instanceof ClientError && error.code === 'not-ended') store.signedOut(false)
        throw error
      }
    },
    // Somebody who asks for the session wants to know how it is now.
    getSession: () => store.lookUpAgain(),
    async updateSession(data) {
      const session = await store.change(() => client.updateSession(data))
      store.updated(session)
      return session
    },
    signInWithPasskey: ceremony(client.signInWithPasskey),
    registerPasskey: ceremony(client.registerPasskey),
    async choosePassword(options) {
      const result = await client.choosePassword(options)
      await signedIn(result.ok, options.redirect === false)
      return result
    },
    async revokeSession(id) {
      const isRevoked = await client.revokeSession(id)
      // It may have been the session of this page.
      if (isRevoked) await store.lookUpAgain().catch(() => {})
      return isRevoked
    },
  }
}

/** When a page asks the server for the session again. */
export interface RefetchOptions {
  /** Seconds between two look-ups while somebody is signed in; `0`, the default, for none. */
  refetchInterval?: number
  /** Whether the page asks when the visitor comes back to it; `true` by default. */
  refetchOnWindowFocus?: boolean
  /** Whether the page asks at each interval while the browser is offline; `true` by default. */
  refetchWhenOffline?: boolean
}

const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 60_000

/** Looks the session up when something says that it may have changed. Gives the function that ends this. */
export function watchForChanges(
  store: SessionStore,
  { refetchInterval = 0, refetchOnWindowFocus = true, refetchWhenOffline = true }: RefetchOptions,
): () => void {
  const stop = new AbortController()
  const { signal } = stop
  const lookUp = () => store.lookUp().catch(() => {})

  document.addEventListener(
    'visibilitychange',
    () => {
      if (refetchOnWindowFocus && document.visibilityState === 'visible') lookUp()
    },
    { signal },
  )
  window.addEventListener('online', () => store.getState().error && lookUp(), { signal })
  // The browser shows a page again as it was when the visitor left it. The visitor may have signed out since.
  window.addEventListener('pageshow', ({ persisted }) => persisted && store.returned(), { signal })

  const interval =
    refetchInterval > 0
      ? setInterval(() => {
          if (store.getState().status === 'unauthenticated') return
          if (refetchWhenOffline || navigator.onLine) lookUp()
        }, refetchInterval * 1000)
      : undefined
  const stopRetries = retryFirstLookUp(store)
  return () => {
    stop.abort()
    clearInterval(interval)
    stopRetries()
  }
}

/**
 * Tries again while nothing is known about the visitor, at intervals that grow. Their length is random in part, so that
 * the pages of all visitors do not ask at the same time when the server is back.
 */
function retryFirstLookUp(store: SessionStore): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let delay = FIRST_RETRY_MS
  const schedule = () => {
    const { status, error } = store.getState()
    // What the server refuses, it refuses the next time, too.
    if (timer !== undefined || status !== 'loading' || error === null || error.code === 'refused') return
    timer = setTimeout(
      async () => {
        delay = Math.min(2 * delay, LAST_RETRY_MS)
        await store.lookUp().catch(() => {})
        if (timer === undefined) return
        timer = undefined
        schedule()
      },
      delay * (0.5 + Math.random() / 2),
    )
  }
  const unsubscribe = store.subscribe(schedule)
  schedule()
  return () => {
    unsubscribe()
    clearTimeout(timer)
    timer = undefined
  }
}
