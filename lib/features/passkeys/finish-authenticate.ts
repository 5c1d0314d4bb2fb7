import type { AdapterAuthenticator } from '../../adapters/adapter.js'
import { equalInConstantTime } from '../../kernel/digest.js'
import { AdapterError, withoutDetails } from '../../kernel/errors.js'
import type { LogSource } from '../../kernel/logger.js'
import { isRemembered } from '../../pages/form-field.js'
import type { FlowRequest, FlowResult } from '../../sign-in/flow.js'
import { type Answer, bytesOf, checkClientData, verified } from './answer.js'
import { type AuthenticatorData, readAuthenticatorData } from './authenticator-data.js'
import { type Challenge, shortDigest } from './challenge.js'
import { keepsDetails, toBase64, type WebAuthnDependencies } from './dependencies.js'
import { WebAuthnVerificationError } from './errors.js'
import { libraryAnswer } from './finish-register.js'
import { partyOf } from './hooks.js'
import { functionsOf } from './library.js'

/** How long a counter that was shown is remembered. */
const COUNTER_MEMORY_MS = 60 * 60 * 1000

/**
 * Ends a sign-in with a passkey: gives its owner.
 *
 * @throws {WebAuthnVerificationError} when the passkey is unknown, or the answer is not what the ceremony asked for
 * @throws {AdapterError} when the store fails, also at raising the counter
 */
export async function finishAuthenticate(
  request: FlowRequest,
  answer: Answer,
  challenge: Challenge,
  dependencies: WebAuthnDependencies,
): Promise<FlowResult> {
  const { provider, store } = dependencies
  const credentialID = toBase64(answer.id)
  const row = await store.getAuthenticator(credentialID)
  if (!row || row.credentialID !== credentialID) throw refused(provider.id, 'is not known here')
  const data = await verify(request, answer, challenge, row, dependencies)
  await raiseCounter(row, data, dependencies)
  await noteUse(row, data, dependencies, request.incoming.source)

  const account = await store.getAccount(row.providerAccountId, provider.id)
  if (!account || String(account.userId) !== String(row.userId)) throw refused(provider.id, 'belongs to no account')
  const user = await store.getUser(account.userId)
  if (!user) throw refused(provider.id, 'belongs to a user who is gone')
  const { providerAccountId, userId } = account
  return {
    kind: 'identity',
    isRemembered: isRemembered(request.fields),
    identity: {
      user,
      account: { provider: provider.id, type: 'webauthn', providerAccountId, userId },
      passkey: { ceremony: 'authenticate' },
    },
  }
}

async function verify(
  request: FlowRequest,
  answer: Answer,
  challenge: Challenge,
  row: AdapterAuthenticator,
  dependencies: WebAuthnDependencies,
): Promise<AuthenticatorData> {
  const { provider } = dependencies
  const party = partyOf(request, 'callback', dependencies)
  const { verifyAuthenticationResponse } = await functionsOf(provider)
  return verified(provider.id, async () => {
    checkClientData(answer, challenge, party, provider.verifyAuthenticationOptions)
    checkOwner(answer, challenge, row)
    const data = readAuthenticatorData(bytesOf(answer.response['authenticatorData'] ?? ''))
    checkFlags(data, challenge, row)
    const publicKey = new Uint8Array(Buffer.from(row.credentialPublicKey, 'base64'))
    const transports = row.transports?.split(',')
    const { counter } = row
    const result = await verifyAuthenticationResponse({
      ...provider.verifyAuthenticationOptions,
      response: libraryAnswer(answer),
      expectedType: 'webauthn.get',
      expectedChallenge: challenge.challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: challenge.userVerification,
      credential: { id: answer.id, publicKey, counter, transports },
      // The name that versions before 13 of the library use.
      authenticator: { credentialID: bytesOf(answer.id), credentialPublicKey: publicKey, counter, transports },
    })
    if (!result?.verified) throw new Error('the library did not verify it')
    return data
  })
}

function checkOwner({ id, response }: Answer, { allowed, owner }: Challenge, row: AdapterAuthenticator): void {
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
  row: AdapterAuthenticator,
  { counter }: AuthenticatorData,
  dependencies: WebAuthnDependencies,
): Promise<void> {
  const { provider, store, counters, now } = dependencies
  const { credentialID } = row
  // The store raises the counter in one step. Two answers with the same counter come from a passkey and its copy.
  const isFirst = counter === 0 || counters.consume(`${counter} ${credentialID}`, now() + COUNTER_MEMORY_MS)
  if (!isFirst) throw refused(provider.id, 'has shown this counter already')
  const stored = await store.updateAuthenticatorCounter(credentialID, counter)
  if (Number(stored?.counter ?? counter) > counter) {
    throw refused(provider.id, 'has shown a higher counter meanwhile, as when a copy of it is used')
  }
}

/**
 * Stores that a passkey was used, and what its authenticator says of backups now. Whether a passkey may be copied should
 * never change (WebAuthn Level 3 §6.1.3), but password managers have changed their minds, and would lock people out
 * (docs/decisions/17-passkeys.md). If storing fails, the sign-in still succeeds.
 */
async function noteUse(
  row: AdapterAuthenticator,
  data: AuthenticatorData,
  dependencies: WebAuthnDependencies,
  source: LogSource | undefined,
): Promise<void> {
  const credentialDeviceType = data.backupEligible ? 'multiDevice' : 'singleDevice'
  const isChanged = credentialDeviceType !== row.credentialDeviceType
  if (isChanged) dependencies.logger.warn('passkey-backup-changed', { isSynced: data.backupEligible }, source)
  if (!keepsDetails(dependencies)) return
  try {
    await dependencies.store.updateAuthenticator(row.credentialID, {
      lastUsedAt: new Date(dependencies.now()),
      credentialBackedUp: data.backedUp,
      ...(isChanged && { credentialDeviceType }),
    })
  } catch (error) {
    dependencies.logger.error(
      new AdapterError('The use of a passkey could not be noted.', {
        err: withoutDetails(error),
        method: 'updateAuthenticator',
      }),
      source,
    )
  }
}

const refused = (provider: string, why: string) =>
  new WebAuthnVerificationError(`Provider "${provider}": a passkey ${why}.`, { provider })
