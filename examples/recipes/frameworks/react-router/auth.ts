// app/routes/auth.ts, which app/routes.ts has as route('auth/*', 'routes/auth.ts'). Links to the mount are `<a>` or
// `<Link reloadDocument>`.

import type { LoaderFunctionArgs } from 'react-router'
import { auth } from '~/auth.server'

export const loader = ({ request }: LoaderFunctionArgs) => auth.serve(request)
export const action = loader
