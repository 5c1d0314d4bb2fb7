/// <reference lib="dom" />
import type { Session } from '../../sessions/session.js'
import { createClient } from '../client.js'
import { ClientError } from '../errors.js'
import type { MountAddress } from '../mount.js'
import { answered, failed, initialState, isSame, isSameUser, type SessionState, userOf } from './session-state.js'

/** The session of a page, for everything on the page that shows it. */
export type SessionStore = ReturnType<typeof createSessionStore>

/** Whether only the developer can correct it: otherwise, the page would show "loading" without a word. */
const isMistake = ({ code, cause }: ClientError) =>
  code === 'refused' || (code === 'server-error' && !(cause instanceof Response))

/**
 * Makes the store of one provider in one page. It keeps nothing outside of itself, because a server renders pages of
 * several visitors at a time.
 *
 * @param session the session that the server gave with the page; undefined when it gave none, not even null
 */
export function createSessionStore(address: MountAddress, session: Session | null | undefined) {
  const { baseUrl = '', basePath } = address
  const client = createClient(address)
  const initial = initialState(session)
  const listeners = new Set<() => void>()
  let state = initial
  let given = session
  let tabs: Tabs | null = null
  /** The user that the other tabs know of: this tab posted it, or asked because of them. */
  let postedUser: string | null | undefined

  /** Counts what makes the answer to an earlier question worthless. */
  let version = 0
  /** Ends when no request that changes the session is under way. */
  let changes: Promise<unknown> = Promise.resolve()
  let lookUpAbort: AbortController | null = null
  let running: Promise<Session | null> | null = null
  /** Whether the look-up that is under way posts its user to the other tabs. */
  let postsUser = false

  const set = (next: SessionState) => {
    const isOld = Object.entries(next).every(([name, value]) => state[name as keyof SessionState] === value)
    if (isOld) return
    state = next
    for (const listener of listeners) listener()
  }
  const post = (message: TabMessage) => tabs?.post(message)
  const postUser = (user: string | null) => {
    if (user !== postedUser) post({ type: 'seen', user })
    postedUser = user
  }

  const dropAnswers = () => {
    version += 1
    lookUpAbort?.abort()
  }

  const changesEnded = async () => {
    for (let last: unknown; last !== changes; await last) last = changes
  }

  /** Asks until an answer comes before which nothing has changed. */
  async function ask(): Promise<Session | null> {
    for (;;) {
      await changesEnded()
      const asked = version
      lookUpAbort = new AbortController()
      try {
        const session = await client.getSession({ signal: lookUpAbort.signal })
        if (asked !== version) continue
        set(answered(state, session))
        // The result is not posted if only another tab has caused the look-up: tabs would keep one another busy.
        if (postsUser) postUser(userOf(session))
        else postedUser = userOf(session)
        return session
      } catch (error) {
        if (asked !== version) continue
        if (error instanceof ClientError) {
          if (isMistake(error) && state.error?.code !== error.code)
            console.error(`latchkey/react: ${error.message} The basePath of SessionProvider is ${basePath}.`)
          set(failed(state, error))
        }
        throw error
      }
    }
  }

  const run = () => {
    running ??= ask().finally(() => {
      running = null
      postsUser = false
    })
    return running
  }
  /** Asks the server, or waits for the answer that is on its way. */
  const lookUp = (): Promise<Session | null> => {
    postsUser = true
    return run()
  }
  /** Asks the server, even if an answer to an earlier question is on its way. */
  const lookUpAgain = (): Promise<Session | null> => {
    dropAnswers()
    return lookUp()
  }

  const onMessage = (message: TabMessage) => {
    if (message.type === 'seen' && isSameUser(message.user, userOf(state.data)) && state.status !== 'loading') return
    dropAnswers()
    if (message.type === 'signed-out') {
      postedUser = null
      set(answered(state, null))
    } else {
      run().catch(() => {})
    }
  }

  return {
    getState: (): SessionState => state,
    /** The state of the HTML that the server made. */
    getInitialState: (): SessionState => initial,
    /**
     * The state that counts for a component that the page renders with `session`. A session that `adopt` has not taken
     * over yet is newer than what the store knows. Changes nothing, because React may throw a rendering away.
     */
    stateWith: (state: SessionState, session: Session | null | undefined): SessionState =>
      session === undefined || isSame(given, session) ? state : answered(state, session),
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Listens to other tabs, and asks the server if it has to; gives the function that ends this. */
    start(): () => void {
      tabs = openTabs(baseUrl + basePath, onMessage)
      if (state.status === 'loading') lookUp().catch(() => {})
      else postUser(userOf(state.data))
      return () => {
        tabs?.close()
        tabs = null
      }
    },
    /** Takes over a session that the server has rendered into the page. */
    adopt(session: Session | null): void {
      if (isSame(given, session)) return
      given = session
      set(answered(state, session))
      // A framework may show a page from its memory, with the session of then.
      lookUpAgain().catch(() => {})
    },
    lookUp,
    lookUpAgain,
    /** Runs a request that changes the session, while no look-up is under way. */
    change<T>(request: () => Promise<T>): Promise<T> {
      dropAnswers()
      const result = request()
      changes = Promise.allSettled([changes, result]).then(() => undefined)
      return result
    },
    /** Takes the session after an update. */
    updated(session: Session | null): void {
      dropAnswers()
      set(answered(state, session))
      post({ type: 'updated' })
    },
    /** The cookies are deleted. */
    signedOut(isLeaving: boolean): void {
      dropAnswers()
      postedUser = null
      set({ ...answered(state, null), isLeaving })
      post({ type: 'signed-out' })
    },
    /** The page that was about to be left is shown again. */
    returned(): void {
      set({ ...state, isLeaving: false })
      lookUpAgain().catch(() => {})
    },
  }
}

/** What a tab sends to the other tabs. No session is in it: each tab asks the server itself. */
type TabMessage =
  /** The visitor signed out: the cookies of this browser are deleted. */
  | { readonly type: 'signed-out' }
  /** The session was updated. */
  | { readonly type: 'updated' }
  /** The server named this user, or nobody. A tab that shows another user asks the server, too. */
  | { readonly type: 'seen'; readonly user: string | null }

/** The other tabs of this browser that show the same mount. */
interface Tabs {
  post(message: TabMessage): void
  close(): void
}

/**
 * @param mount address of the mount: a sign-out from one mount says nothing about another
 * @param onMessage called with each message of another tab
 */
function openTabs(mount: string, onMessage: (message: TabMessage) => void): Tabs {
  const channel = openChannel(`latchkey ${mount}`)
  if (channel === null) return { post: () => {}, close: () => {} }
  channel.onmessage = ({ data }) => {
    const message = readMessage(data)
    if (message) onMessage(message)
  }
  return { post: (message) => channel.postMessage(message), close: () => channel.close() }
}

/** Null in old browsers, and in frames that have no origin. Then each tab learns of a change at its next look-up. */
function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name)
  } catch {
    return null
  }
}

/** Any script of this origin can write to the channel, another version of this package too. */
function readMessage(data: unknown): TabMessage | null {
  const { type, user } = (data ?? {}) as { type?: unknown; user?: unknown }
  if (type === 'signed-out' || type === 'updated') return { type }
  if (type === 'seen' && (user === null || typeof user === 'string')) return { type, user }
  return null
}
