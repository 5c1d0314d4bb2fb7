// Compiled by `npm run lint`, never run: an `await` that was forgotten does not compile.
import type { Request } from 'express'
import { type AuthConfig, defineAuth, getAccessToken, getSession, listAccounts } from '../../lib/index.js'

const config: AuthConfig = { providers: [] }
const { getSession: ownSession } = defineAuth(config)

export function unawaited(req: Request) {
  const session = getSession(req, config)
  // @ts-expect-error a promise has no user
  const user = session.user
  // @ts-expect-error nor is one in it
  const { expires } = getSession(req, config)
  // @ts-expect-error a promise is always there, so everybody would pass
  if (getSession(req, config)) return [user, expires]
  // @ts-expect-error the same of a session with its own type
  if (ownSession(req)) return 'secret'
  // @ts-expect-error a promise has no token
  const { accessToken } = getAccessToken(req, config, 'google')
  // @ts-expect-error a promise has no length
  return [accessToken, listAccounts(req, config).length]
}

export const awaited = async (req: Request) => (await getSession(req, config))?.user
