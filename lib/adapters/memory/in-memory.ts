import type { Adapter } from '../adapter.js'

type AnyMethod = (...args: never[]) => unknown

/** Methods that keep token sessions in the memory of this process. */
const inMemory = new WeakSet<AnyMethod>()

/** Records that an adapter loses its token sessions in a restart. The mark is on a method, so that a spread keeps it. */
export function markInMemory<Of extends Adapter>(adapter: Of): Of {
  if (adapter.revokeTokenSession) inMemory.add(adapter.revokeTokenSession)
  return adapter
}

/** Whether a restart of the process loses the token sessions of an adapter, and which of them were revoked. */
export const losesRevocations = ({ revokeTokenSession }: Adapter): boolean =>
  revokeTokenSession !== undefined && inMemory.has(revokeTokenSession)
