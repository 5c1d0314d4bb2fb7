import { randomId } from '../../crypto/random.js'
import { AuthError, CallbackRouteError, CredentialsSignin, withoutDetails } from '../../errors.js'
import { requestForCallback } from '../../http/incoming.js'
import type { ResolvedCredentialsProvider } from '../../providers/provider.js'
import type { Flow, FlowRequest, Identity } from '../flow.js'

/** The flow of one credentials provider: the application's own code decides. */
export function credentialsFlow(provider: ResolvedCredentialsProvider): Flow {
  return {
    callbackMethods: ['POST'],
    callbackNeedsCsrf: true,
    start: null,
    finish: async (request) => ({ kind: 'identity', identity: await authorize(provider, request) }),
    clearOneTime: () => [],
  }
}

async function authorize(provider: ResolvedCredentialsProvider, request: FlowRequest): Promise<Identity> {
  const { incoming, origin, fields } = request
  // The form's own fields are not the application's: what is left is what was entered.
  const { csrfToken: _csrfToken, callbackUrl: _callbackUrl, ...credentials } = fields
  const user = await askApplication(provider, credentials, requestForCallback(incoming, origin, fields))
  if (!user) throw new CredentialsSignin(`${provider.id}: authorize() accepted nobody.`)
  // A check that says "true", or an unfinished list of rows, names nobody; a session of nobody would pass every guard.
  if (typeof user !== 'object' || Array.isArray(user)) {
    throw new CallbackRouteError(
      `${provider.id}: authorize() gave ${Array.isArray(user) ? 'a list' : `a ${typeof user}`}. It gives the user, an object with an id, or null.`,
      { provider: provider.id },
    )
  }
  const id = user.id === undefined || user.id === null ? randomId() : String(user.id)
  return {
    user: { ...user, id },
    account: { providerAccountId: id, type: 'credentials', provider: provider.id },
    credentials,
  }
}

async function askApplication(
  provider: ResolvedCredentialsProvider,
  credentials: Record<string, unknown>,
  request: Request,
) {
  try {
    return await provider.authorize(credentials, request)
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new CallbackRouteError(`${provider.id}: authorize() threw.`, {
      err: withoutDetails(error),
      provider: provider.id,
    })
  }
}
