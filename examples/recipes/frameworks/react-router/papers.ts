// A guarded route, such as a layout. Do not guard in the loader of a layout: loaders of other routes run at the same time, and a
// client can ask for some of them alone. A route without a guard reads the session with `auth.forRequest(request).getSession()`.
// For a page without a `loader`, the router in the browser does not ask the server, so keep what must be guarded in loaders and
// actions.

import type { LoaderFunctionArgs } from 'react-router'
import { guard, sessionContext } from '~/auth.server'

export const middleware = [guard]
export const loader = ({ context }: LoaderFunctionArgs) => ({ reader: context.get(sessionContext)?.user?.name })
