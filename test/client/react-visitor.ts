import { createElement } from 'react'
import { useSession } from '../../lib/client/react/index.js'

/** What the component has shown, from the first rendering to the last. */
export interface Watched {
  shown?: string[]
  update?: (data?: never) => Promise<unknown>
}

export interface VisitorProps {
  id?: string
  watched?: Watched
  required?: boolean
  onUnauthenticated?: () => void
}

/** Shows the status, the name of the visitor, and the code of the last failure. */
export function VisitorLine({ id = 'visitor', watched = {}, required = false, onUnauthenticated }: VisitorProps) {
  const { data, status, error, update } = useSession({
    required,
    ...(onUnauthenticated !== undefined && { onUnauthenticated }),
  })
  const line = [status, data?.user?.name, error?.code].filter(Boolean).join(' ')
  watched.shown?.push(line)
  watched.update = update
  return createElement('p', { id }, line)
}
