/// <reference lib="dom" />

/** What a tab sends to the other tabs. No session is in it: each tab asks the server itself. */
export type TabMessage =
  /** The visitor signed out: the cookies of this browser are deleted. */
  | { readonly type: 'signed-out' }
  /** The session was updated. */
  | { readonly type: 'updated' }
  /** The server named this user, or nobody. A tab that shows another user asks the server, too. */
  | { readonly type: 'seen'; readonly user: string | null }

/** The other tabs of this browser that show the same mount. */
export interface Tabs {
  post(message: TabMessage): void
  close(): void
}

/**
 * @param mount address of the mount: a sign-out from one mount says nothing about another
 * @param onMessage called with each message of another tab
 */
export function openTabs(mount: string, onMessage: (message: TabMessage) => void): Tabs {
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
