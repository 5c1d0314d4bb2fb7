import type { AdapterAuthenticator } from '../../adapters/adapter.js'
import { AuthError, withoutDetails } from '../../kernel/errors.js'
import { randomToken } from '../../kernel/random.js'
import { demandsUnlocking, type SimpleWebAuthnOptions } from '../../providers/provider.js'
import type { FlowOptions } from '../../sign-in/flow.js'
import { lacksFactor } from '../../sign-in/leading-to-sign-in.js'
import { MOST_ACCOUNTS } from '../../users/stored-users.js'
import { type Ceremony, type Challenge, saveChallenge, shortDigest } from './challenge.js'
import { type CredentialDescriptor, type PasskeyRequest, toBase64, toBase64url } from './dependencies.js'
import { type CeremonyPerson, partyOf, personOf } from './hooks.js'
import { functionsOf } from './library.js'

/**
 * Begins a ceremony: gives the options for `navigator.credentials`, and the cookie that its answer is compared with.
 *
 * @throws {AuthError} when a hook, the library or the store fails
 */
export async function makeOptions(at: PasskeyRequest): Promise<FlowOptions> {
  const asked = at.request.query.getAll('action')
  if (asked.length > 1 || (asked[0] !== undefined && asked[0] !== 'register' && asked[0] !== 'authenticate')) {
    return refusal('Invalid action')
  }
  const person = await personOf(at)
  const ceremony = decideCeremony(asked[0] as Ceremony | undefined, person.kind)
  if (ceremony === null) return refusal('Invalid request')
  return ceremony === 'register' ? register(at, person) : authenticate(at, person)
}

/**
 * The ceremony that a request begins; null when it begins none. Somebody who is signed out cannot add a passkey to a
 * user that exists (WEBAUTHN-14).
 *
 * @param asked the `action` of the query
 */
function decideCeremony(asked: Ceremony | undefined, person: CeremonyPerson['kind']): Ceremony | null {
  if (asked === 'authenticate') return 'authenticate'
  if (asked === 'register') return person === 'signed in' || person === 'new' ? 'register' : null
  if (person === 'signed in') return null
  return person === 'new' ? 'register' : 'authenticate'
}

async function authenticate(at: PasskeyRequest, person: CeremonyPerson): Promise<FlowOptions> {
  const { provider } = at
  const party = partyOf(at, 'webauthn-options')
  const given = provider.authenticationOptions
  const verification = verificationOf(given['userVerification'], provider.verifyAuthenticationOptions)
  const { generateAuthenticationOptions } = await functionsOf(provider)
  const made = await generated('generateAuthenticationOptions', at, () =>
    generateAuthenticationOptions({ ...given, userVerification: verification.asked, rpID: party.id }),
  )
  const allowCredentials = await allowedOf(at, person)
  const begun = {
    ceremony: 'authenticate',
    userId: null,
    owner: allowCredentials.length > 0 ? ownerOf(person) : null,
    userVerification: verification.isRequired,
    allowed: allowCredentials.map(({ id }) => shortDigest(id)),
  } as const
  return begin(at, begun, { ...made, ...(allowCredentials.length > 0 && { allowCredentials }) })
}

/**
 * Digest of the user whose passkey must answer; a random one when the person is not known, which the cookie must not
 * reveal.
 */
const ownerOf = (person: CeremonyPerson): string =>
  shortDigest('user' in person && 'id' in person.user ? String(person.user.id) : randomToken())

/**
 * The passkeys that may answer. Persons without a passkey, and persons who are not known, get decoys, which nobody has:
 * the answer must not reveal who has a passkey.
 */
async function allowedOf(
  { store, decoys }: PasskeyRequest,
  person: CeremonyPerson,
): Promise<readonly CredentialDescriptor[]> {
  if (person.kind === 'nobody') return []
  const rows =
    'id' in person.user
      ? await store.listAuthenticatorsByUserId(String(person.user.id))
      : // Without a look-up, the time would say that nobody has the address (PWD-10).
        [await store.getAuthenticator(randomToken())]
  const own = rows.flatMap((row) => (row ? descriptorOf(row) : []))
  // More than that, which an earlier version could store, do not fit into the cookie.
  if (own.length > 0 || person.kind === 'signed in') return own.slice(-MOST_ACCOUNTS)
  return decoys(person.user.email ?? JSON.stringify(person.user))
}

async function register(at: PasskeyRequest, person: CeremonyPerson): Promise<FlowOptions> {
  if (person.kind === 'nobody' || person.kind === 'known') return refusal('Invalid request')
  // A password manager makes the passkey of somebody who has just signed in with a password, without a dialog: nobody is
  // asked, so nobody can be present or verified (Web Authentication Level 3 §5.1.3).
  const isConditional = at.request.query.get('mediation') === 'conditional'
  if (isConditional && person.kind !== 'signed in') return refusal('Invalid request')
  // Another person may use the open browser now, and a passkey of that person would let them in again (ACCT-02).
  if (person.kind === 'signed in' && (!person.mayAdd || (await lacksFactor(at.request))))
    return refusal('RecentSignInRequired', 403)
  const { provider, store } = at
  const party = partyOf(at, 'webauthn-options')
  const given = provider.registrationOptions
  const selection = given['authenticatorSelection'] as SimpleWebAuthnOptions | undefined
  const verification = verificationOf(selection?.['userVerification'], provider.verifyRegistrationOptions)
  const known = person.kind === 'signed in' ? await store.listAuthenticatorsByUserId(person.user.id) : []
  if (known.length >= MOST_ACCOUNTS) return refusal('TooManyPasskeys', 409)
  const { email, name } = person.user
  const user = { name: email ?? name ?? party.name, displayName: name ?? email ?? party.name }
  const { generateRegistrationOptions } = await functionsOf(provider)
  const made = await generated('generateRegistrationOptions', at, () =>
    generateRegistrationOptions({
      ...given,
      // A copy, since the library writes into it.
      authenticatorSelection: {
        residentKey: 'preferred',
        ...selection,
        userVerification: isConditional ? 'preferred' : verification.asked,
      },
      rpName: party.name,
      rpID: party.id,
      userName: user.name,
      userDisplayName: user.displayName,
    }),
  )
  const userHandle = handleOf(person.kind === 'signed in' ? person.user.id : null, known)
  const begun = {
    ceremony: 'register',
    userId: person.kind === 'signed in' ? String(person.user.id) : null,
    owner: null,
    userVerification: verification.isRequired && !isConditional,
    allowed: [],
    registration: {
      user: person.kind === 'new' ? person.user : null,
      userHandle,
      algorithms: algorithmsOf(made),
      isConditional,
    },
  } as const
  const own = { ...user, id: toBase64url(userHandle) }
  return begin(at, begun, { ...made, user: own, excludeCredentials: known.map(descriptorOf) })
}

async function begin(
  at: PasskeyRequest,
  begun: Omit<Challenge, 'challenge'>,
  given: SimpleWebAuthnOptions,
): Promise<FlowOptions> {
  const challenge = randomToken()
  const cookies = saveChallenge(at, { ...begun, challenge })
  return { status: 200, body: { action: begun.ceremony, options: { ...given, challenge } }, cookies }
}

/** Whether the person must be verified, and what the browser is asked for, which is never less than that. */
function verificationOf(asked: unknown, verifying: SimpleWebAuthnOptions) {
  const isRequired = demandsUnlocking(asked, verifying)
  return { isRequired, asked: isRequired ? 'required' : (asked ?? 'preferred') }
}

const descriptorOf = ({ credentialID, transports }: AdapterAuthenticator): CredentialDescriptor => ({
  id: toBase64url(credentialID),
  type: 'public-key',
  ...(transports && { transports: transports.split(',') }),
})

/**
 * The user handle, base64, by which authenticators know a user (WEBAUTHN-13): the handle of a passkey that the user has
 * already; else the user's id, if it is a UUID and so reveals nothing about the person; else random bytes.
 */
function handleOf(userId: string | null, own: readonly AdapterAuthenticator[]): string {
  const known = own.find(({ userHandle }) => userHandle)?.userHandle
  if (known) return known
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
  if (typeof userId === 'string' && uuid.test(userId)) {
    return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64')
  }
  return toBase64(randomToken())
}

const algorithmsOf = ({ pubKeyCredParams }: SimpleWebAuthnOptions): number[] =>
  (pubKeyCredParams as { alg: number }[]).map(({ alg }) => alg)

async function generated(
  name: string,
  { provider }: PasskeyRequest,
  work: () => Promise<SimpleWebAuthnOptions>,
): Promise<SimpleWebAuthnOptions> {
  try {
    return await work()
  } catch (error) {
    throw new AuthError(`Provider "${provider.id}": ${name}() threw. Its options are those of the provider.`, {
      err: withoutDetails(error),
    })
  }
}

type Refusal = 'Invalid action' | 'Invalid request' | 'RecentSignInRequired' | 'TooManyPasskeys'

const refusal = (error: Refusal, status = 400): FlowOptions => ({
  status,
  body: { error },
  cookies: [],
})
