import { createdSoFar, isCreatedConfirmed } from '../../adapters/methods.js'
import { describeValue, isRecord } from '../../kernel/describe-value.js'
import { AuthError, CallbackRouteError, CredentialsSignin, withoutDetails } from '../../kernel/errors.js'
import { requestForCallback } from '../../kernel/incoming.js'
import { membersOf } from '../../kernel/objects.js'
import { randomId } from '../../kernel/random.js'
import { isRemembered, REMEMBER_FIELD } from '../../pages/form-field.js'
import { usableId } from '../../providers/profile-mapping.js'
import type { ResolvedCredentialsProvider } from '../../providers/provider.js'
import type { Feature } from '../../sign-in/feature.js'
import type { Flow } from '../../sign-in/flow.js'
import type { Visit } from '../../sign-in/visit.js'
import type { Identity } from '../../users/identity.js'

/** Sign-ins that the application's own code decides. */
export const credentials: Feature<unknown> = {
  ways: ({ now, asksToRemember }) => ({ credentials: (provider) => credentialsFlow(provider, now, asksToRemember) }),
}

/**
 * The flow of one credentials provider: the application's own code decides.
 *
 * @param now milliseconds since the epoch
 * @param asksToRemember whether visitors are asked if they want to stay signed in
 */
function credentialsFlow(provider: ResolvedCredentialsProvider, now: () => number, asksToRemember: boolean): Flow {
  // A field of the application with this name is one of those that it gets.
  const hasOwnTick = asksToRemember && !Object.hasOwn(provider.fields ?? {}, REMEMBER_FIELD)
  const ownFields = new Set(['csrfToken', 'callbackUrl', ...(hasOwnTick ? [REMEMBER_FIELD] : [])])
  return {
    callbackMethods: ['POST'],
    callbackNeedsCsrf: true,
    limits: { finish: { POST: 'guesses' } },
    finish: async (request) => ({
      kind: 'identity',
      identity: await authorize(provider, request, now(), ownFields),
      isRemembered: isRemembered(request.fields),
    }),
  }
}

async function authorize(
  provider: ResolvedCredentialsProvider,
  request: Visit,
  checkedFrom: number,
  ownFields: ReadonlySet<string>,
): Promise<Identity> {
  const { incoming, origin, fields } = request
  // The application gets what the visitor entered, without the form's own fields.
  const credentials = Object.fromEntries(Object.entries(fields).filter(([name]) => !ownFields.has(name)))
  const createdBefore = createdSoFar()
  const user = await askApplication(provider, credentials, requestForCallback(incoming, origin, fields))
  // Only these values mean a refusal. 0 or an empty text is a mistake of the application.
  if (user === null || user === undefined || user === false) {
    throw new CredentialsSignin(`${provider.id}: authorize() accepted nobody.`)
  }
  // `true`, an error that was caught, or the rows of a query identify nobody, and a session of nobody would pass every
  // guard.
  if (!isRecord(user)) throw noUser(provider, describeValue(user))
  if (!USER_MEMBERS.some((member) => user[member] !== undefined && user[member] !== null)) {
    throw noUser(provider, `an object with neither ${USER_MEMBERS.slice(0, -1).join(', ')} nor ${USER_MEMBERS.at(-1)}`)
  }
  const ownId = idOf(user, provider)
  const id = ownId ?? randomId()
  return {
    user: { ...membersOf(user), id },
    ...(ownId === null && { isIdMadeUp: true }),
    account: { providerAccountId: id, type: 'credentials', provider: provider.id },
    credentials,
    checkedFrom,
    ...(isCreatedConfirmed(user, createdBefore) && { isCreatedConfirmed: true }),
  }
}

const USER_MEMBERS = ['id', 'name', 'email', 'image']

function idOf({ id }: { readonly id?: unknown }, provider: ResolvedCredentialsProvider): string | null {
  if (id === undefined || id === null) return null
  const usable = usableId(id)
  if (usable !== null) return usable
  const kind =
    typeof id === 'string' || typeof id === 'number' ? `${describeValue(id)} that names nobody` : describeValue(id)
  throw noUser(provider, `a user whose id is ${kind}`)
}

const noUser = ({ id }: ResolvedCredentialsProvider, what: string) =>
  new CallbackRouteError(
    `${id}: authorize() gave ${what}. It gives the user, an object whose id is a text or a whole number, or null.`,
    { provider: id },
  )

async function askApplication(
  provider: ResolvedCredentialsProvider,
  credentials: Record<string, unknown>,
  request: Request,
): Promise<unknown> {
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
