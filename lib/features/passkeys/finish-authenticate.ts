import type { AdapterAuthenticator } from '../../adapters/adapter.js'
import { equalInConstantTime } from '../../kernel/digest.js'
import { AdapterError, withoutDetails } from '../../kernel/errors.js'
import type { Identity } from '../../users/identity.js'
import { bytesOf, type Finishing, verified } from './answer.js'
import { type AuthenticatorData, authenticationBy, readAuthenticatorData } from './authenticator-data.js'
import { type Challenge, shortDigest } from './challenge.js'
import { keepsDetails, toBase64 } from './dependencies.js'
import { refused } from './errors.js'

/** How long a counter that was shown is remembered. */
const COUNTER_MEMORY_MS = 60 * 60 * 1000

/**
 * Ends a sign-in with a passkey: gives its owner.
 *
 * @throws {WebAuthnVerificationError} when the passkey is unknown, or the answer is not what the ceremony asked for
 * @throws {AdapterError} when the store fails, also at raising the counter
 */
export async function finishAuthenticate(at: Finishing): Promise<Identity> {
  const { provider, store, answer } = at
  const credentialID = toBase64(answer.id)
  const row = await store.getAuthenticator(credentialID)
  if (!row || row.credentialID !== credentialID) throw refused(provider, 'a passkey is not known here.')
  const data = await verify(at, row)
  await raiseCounter(at, row, data)
  await noteUse(at, row, data)

  const account = await store.getAccount(row.providerAccountId, provider.id)
  if (!account || String(account.userId) !== String(row.userId))
    throw refused(provider, 'a passkey belongs to no account.')
  const user = await store.getUser(account.userId)
  if (!user) throw refused(provider, 'a passkey belongs to a user who is gone.')
  const { providerAccountId, userId } = account
  return {
    user,
    account: { provider: provider.id, type: 'webauthn', providerAccountId, userId },
    passkey: { ceremony: 'authenticate' },
    authentication: authenticationBy(data),
  }
}

const verify = (at: Finishing, row: AdapterAuthenticator): Promise<AuthenticatorData> =>
  verified(at, at.provider.verifyAuthenticationOptions, async ({ verifyAuthenticationResponse }, asked) => {
    const { id, response } = at.answer
    checkOwner(at, row)
    const data = readAuthenticatorData(bytesOf(response['authenticatorData'] ?? ''))
    checkFlags(data, at.challenge, row)
    const publicKey = new Uint8Array(Buffer.from(row.credentialPublicKey, 'base64'))
    const transports = row.transports?.split(',')
    const { counter } = row
    const result = await verifyAuthenticationResponse({
      ...asked,
      credential: { id, publicKey, counter, transports },
      // The name that versions before 13 of the library use.
      authenticator: { credentialID: bytesOf(id), credentialPublicKey: publicKey, counter, transports },
    })
    if (!result?.verified) throw new Error('the library did not verify it')
    return data
  })

function checkOwner({ answer, challenge }: Finishing, row: AdapterAuthenticator): void {
  const { id, response } = answer
  const { allowed, owner } = challenge
  if (allowed.length > 0 && !allowed.includes(shortDigest(id)))
    throw new Error('the passkey is not one of those asked for')
  if (owner !== null && shortDigest(String(row.userId)) !== owner)
    throw new Error('the passkey belongs to another user')
  const handle = response['userHandle']
  if (handle === undefined) {
    if (allowed.length === 0) throw new Error('the answer does not say whose passkey it is')
    return
  }
  // Passkeys that were made with Auth.js have a user handle that was not stored.
  if (row.userHandle && !equalInConstantTime(toBase64(handle), row.userHandle)) {
    throw new Error('the answer says that the passkey is somebody else’s')
  }
}

function checkFlags(data: AuthenticatorData, { userVerification }: Challenge, row: AdapterAuthenticator): void {
  if (!data.userPresent) throw new Error('no person was present')
  if (userVerification && !data.userVerified) throw new Error('the person was not verified')
  if ((data.counter > 0 || row.counter > 0) && data.counter <= row.counter) {
    throw new Error('the counter of the passkey went back, as when a copy of it is used')
  }
}

/**
 * Raises the stored counter. The sign-in fails when that fails: otherwise a copy of the passkey would not be noticed at
 * its next use.
 */
async function raiseCounter(
  { provider, store, counters, now }: Finishing,
  { credentialID }: AdapterAuthenticator,
  { counter }: AuthenticatorData,
): Promise<void> {
  // The store raises the counter in one step. Two answers with the same counter come from a passkey and its copy.
  const isFirst = counter === 0 || counters.consume(`${counter} ${credentialID}`, now() + COUNTER_MEMORY_MS)
  if (!isFirst) throw refused(provider, 'a passkey has shown this counter already.')
  let stored: AdapterAuthenticator
  try {
    stored = await store.updateAuthenticatorCounter(credentialID, counter)
  } catch (error) {
    throw (await store.getAuthenticator(credentialID)) ? error : refused(provider, 'a passkey was deleted meanwhile.')
  }
  if (Number(stored?.counter ?? counter) > counter) {
    throw refused(provider, 'a passkey has shown a higher counter meanwhile, as when a copy of it is used.')
  }
}

/**
 * Stores that a passkey was used, and what its authenticator says of backups now. Whether a passkey may be copied should
 * never change (WebAuthn Level 3 §6.1.3), but password managers have changed their minds, and would lock people out
 * (docs/decisions/17-passkeys.md). If storing fails, the sign-in still succeeds.
 */
async function noteUse(at: Finishing, row: AdapterAuthenticator, data: AuthenticatorData): Promise<void> {
  const { store, logger, now } = at
  const { source } = at.request.incoming
  const credentialDeviceType = data.backupEligible ? 'multiDevice' : 'singleDevice'
  const isChanged = credentialDeviceType !== row.credentialDeviceType
  if (isChanged) logger.warn('passkey-backup-changed', { isSynced: data.backupEligible }, source)
  if (!keepsDetails(at)) return
  try {
    await store.updateAuthenticator(row.credentialID, {
      lastUsedAt: new Date(now()),
      credentialBackedUp: data.backedUp,
      ...(isChanged && { credentialDeviceType }),
    })
  } catch (error) {
    const cause = { err: withoutDetails(error), method: 'updateAuthenticator' }
    logger.error(new AdapterError('The use of a passkey could not be noted.', cause), source)
  }
}
