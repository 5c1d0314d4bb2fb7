// Compiled by `npm run lint`, never run: what components know about the session. The member `visits` is that of augmentation.ts.
import { type SessionContextValue, type UpdateSession, useSession } from '../../lib/client/react/index.js'
import type { Session } from '../../lib/index.js'

export function Visitor(): string | null {
  const { data, status, error, update } = useSession()
  update satisfies UpdateSession
  const code: string | undefined = error?.code
  if (status === 'authenticated') {
    const visits: { count: number } | undefined = data.visits
    return `${data.user?.name} ${visits?.count} ${code}`
  }
  status satisfies 'loading' | 'unauthenticated'
  data satisfies null
  return data
}

export function Account(): Session | null {
  const { data, status } = useSession({ required: true, onUnauthenticated: () => {} })
  // @ts-expect-error a component for signed-in visitors never shows this status
  if (status === 'unauthenticated') return null
  return status === 'loading' ? null : data
}

export const loading: SessionContextValue<true>['status'] = 'loading'
