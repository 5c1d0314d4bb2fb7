/// <reference lib="dom" />
import { type AuthClient, createClient, NOT_ENDED, readOptions } from '../client.js'
import { ClientError } from '../client-error.js'
import type { MountAddress } from '../mount.js'
import type { SessionStore } from './session-store.js'

/** The functions of `latchkey/client` for one mount, which also keep the session of the page up to date. */
export function createBoundClient(address: MountAddress, store: SessionStore): AuthClient {
  const client = createClient(address)

  /** The page has another user now. If it is about to be left, the next page asks. A fault is in the state. */
  const signedIn = async (isOk: boolean, isStaying: boolean) => {
    if (isOk && isStaying) await store.lookUpAgain().catch(() => {})
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
    // A ceremony with suggestions waits for minutes. It must not hold look-ups back.
    async signInWithPasskey(options) {
      const result = await client.signInWithPasskey(options)
      await signedIn(result.ok, options?.redirect === false)
      return result
    },
    async registerPasskey(options) {
      const result = await client.registerPasskey(options)
      await signedIn(result.ok, options?.redirect === false)
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
