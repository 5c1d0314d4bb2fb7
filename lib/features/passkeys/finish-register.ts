import type { AdapterAuthenticator } from '../../adapters/adapter.js'
import { randomId } from '../../kernel/random.js'
import type { Identity, NewPasskey } from '../../users/identity.js'
import { bytesOf, type Finishing, verified } from './answer.js'
import { type Attestation, authenticationBy, readAttestation } from './authenticator-data.js'
import { keepsDetails, toBase64 } from './dependencies.js'
import { refused } from './errors.js'
import { loadLibrary } from './library.js'

/** How long a name is kept for a passkey that has yet to be stored. */
const NAME_MEMORY_MS = 60 * 1000

/** What the library found, in the form of any of its versions. */
interface RegistrationInfo {
  readonly credential?: { readonly publicKey: Uint8Array; readonly counter: number }
  /** Before version 13. */
  readonly credentialPublicKey?: Uint8Array
  readonly counter?: number
}

/**
 * Ends a registration: gives the user who gets the passkey, and the passkey to be stored.
 *
 * @throws {WebAuthnVerificationError} when the answer is not what the ceremony asked for
 */
export async function finishRegister(at: Finishing): Promise<Identity> {
  const { provider, answer, challenge } = at
  const { registration, userId } = challenge
  const attestationObject = answer.response['attestationObject']
  if (!registration || attestationObject === undefined) {
    throw refused(provider, 'the answer is not that of a registration.')
  }
  const options = provider.verifyRegistrationOptions
  const { attestation, info } = await verified(at, options, async ({ verifyRegistrationResponse }, asked) => {
    const attestation = readAttestation(bytesOf(attestationObject))
    await checkAttestation(at, attestation)
    const result = await verifyRegistrationResponse({
      ...asked,
      ...(registration.isConditional && { requireUserPresence: false }),
      supportedAlgorithmIDs: [...registration.algorithms],
    })
    if (!result?.verified || !result.registrationInfo) throw new Error('the library did not verify it')
    return { attestation, info: result.registrationInfo as RegistrationInfo }
  })
  const publicKey = info.credential?.publicKey ?? info.credentialPublicKey
  if (!publicKey) throw refused(provider, 'the library gave no public key.')

  const credentialID = toBase64(answer.id)
  const { data } = attestation
  const authenticator: NewPasskey = {
    credentialID,
    credentialPublicKey: Buffer.from(publicKey).toString('base64'),
    counter: info.credential?.counter ?? info.counter ?? data.counter,
    credentialBackedUp: data.backedUp,
    credentialDeviceType: data.backupEligible ? 'multiDevice' : 'singleDevice',
    providerAccountId: credentialID,
    transports: answer.transports.length > 0 ? answer.transports.join(',') : null,
    ...(keepsDetails(at) && (await detailsOf(at, attestation))),
  }
  const user = registration.user ?? (await passkeyOwner(at))
  return {
    user: { ...user, id: (registration.user ? null : userId) ?? randomId() },
    account: { provider: provider.id, type: 'webauthn', providerAccountId: credentialID },
    passkey: { ceremony: 'register', forUser: userId, authenticator },
    // To make a passkey, its owner unlocks it as they do to sign in.
    authentication: authenticationBy(data),
  }
}

/** Checks what the library does not check. */
async function checkAttestation(
  { provider, answer, challenge }: Finishing,
  { format, hasCertificates, data }: Attestation,
): Promise<void> {
  if (!data.credential || Buffer.from(data.credential.id).toString('base64url') !== answer.id) {
    throw new Error('the attestation is for another passkey than the answer names')
  }
  if (challenge.userVerification && !data.userVerified) throw new Error('the person was not verified')
  const policy: unknown = provider.registrationOptions['attestationType'] ?? 'none'
  if (policy === 'none') return
  // GHSA-6hxq-p678-4hr2: a chain that ends at no configured root proves nothing.
  if (!hasCertificates) throw new Error(`the provider asks for attestation, and "${format}" came without certificates`)
  const { SettingsService } = await loadLibrary()
  const identifier = format as Parameters<typeof SettingsService.getRootCertificates>[0]['identifier']
  if (SettingsService.getRootCertificates({ identifier }).length === 0) {
    throw new Error(
      `no root certificates are set for the attestation format "${format}": SettingsService.setRootCertificates()`,
    )
  }
}

async function detailsOf(at: Finishing, { data }: Attestation): Promise<Partial<AdapterAuthenticator>> {
  const { provider, now } = at
  const { response, transports } = at.answer
  const { userId, registration } = at.challenge
  const aaguid = data.credential?.aaguid ?? null
  const isAsked = (provider.registrationOptions['attestationType'] ?? 'none') !== 'none'
  const name = passkeyName(aaguid, data.backupEligible, transports)
  return {
    name: userId === null ? name : await nameAmong(at, userId, name),
    createdAt: new Date(now()),
    lastUsedAt: null,
    userHandle: registration?.userHandle ?? null,
    aaguid,
    userVerified: data.userVerified,
    attestationObject: isAsked ? toBase64(response['attestationObject'] ?? '') : null,
  }
}

/** A name that no other passkey of the user has, not even a passkey that is being stored at this moment. */
async function nameAmong({ store, names, now }: Finishing, userId: string, name: string): Promise<string> {
  // Rows that have no name are shown as "Passkey".
  const taken = new Set((await store.listAuthenticatorsByUserId(userId)).map((row) => row.name || 'Passkey'))
  const until = now() + NAME_MEMORY_MS
  return distinctName(
    name,
    (candidate) => !taken.has(candidate) && names.consume(JSON.stringify([userId, candidate]), until),
  )
}

/** The user who adds the passkey. The resolver checks that this user is still signed in. */
async function passkeyOwner({ challenge: { userId }, store, provider }: Finishing) {
  const user = userId === null ? null : await store.getUser(userId)
  if (user) return user
  throw refused(provider, 'nobody is there to have the passkey.')
}

/**
 * Models of authenticators that people have most, by the id they give at registration.
 *
 * @see https://github.com/passkeydeveloper/passkey-authenticator-aaguids
 */
const MODELS: Readonly<Record<string, string>> = {
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'Apple Passwords',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome on Mac',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
}

/**
 * What a new passkey is called until its owner says otherwise. It may be wrong: without attestation, anybody can claim
 * any model.
 */
function passkeyName(aaguid: string | null, isSynced: boolean, transports: readonly string[]): string {
  const model = aaguid === null ? undefined : MODELS[aaguid]
  if (model) return model
  if (!isSynced && transports.some((way) => way === 'usb' || way === 'nfc')) return 'Security key'
  return 'Passkey'
}

/**
 * The name, or the first with a number that is free: "Passkey", "Passkey 2", "Passkey 3".
 *
 * @param isFree asked in that order, until it says yes
 */
export function distinctName(name: string, isFree: (candidate: string) => boolean): string {
  let candidate = name
  for (let count = 2; !isFree(candidate); count++) candidate = `${name} ${count}`
  return candidate
}
