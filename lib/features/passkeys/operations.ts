import { MissingAdapter } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { object } from '../../kernel/object-shape.js'
import { anything } from '../../kernel/shape.js'
import { type Config, SECOND_FACTOR_PAGE, type ServiceKey } from '../../sign-in/config.js'
import { flowOf } from '../../sign-in/flow.js'
import { happened } from '../../sign-in/happened.js'
import {
  type Asked,
  type Caller,
  type FormProof,
  MISPLACED_MAX_AGE,
  type Operation,
  PROOF,
  REMOVAL,
  type RecentSignIn,
  required,
  sentBy,
} from '../../sign-in/operation.js'
import type { RemovalOptions } from '../../users/ways-in.js'
import type { Passkey, UserPasskeys } from './user-passkeys.js'

/** The passkeys of users, loaded when they are first needed. Null if there is no store. */
export const PASSKEYS: ServiceKey<(() => Promise<UserPasskeys>) | null> = { name: 'passkeys' }

/** Which passkey to change, and the proof that a page of the application sent the request. */
export interface PasskeyChange extends FormProof {
  /** As {@link listPasskeys} gives it. */
  readonly credentialID: string
}

/** How a passkey is renamed. */
export interface PasskeyRenaming extends PasskeyChange {
  /** 1 to 100 characters on one line. */
  readonly name: string
}

/** How a passkey is removed. */
export interface PasskeyRemoval extends PasskeyChange, RecentSignIn, RemovalOptions {}

/** A passkey that was removed, and what the page should signal to the browser. */
export interface RemovedPasskey {
  readonly passkey: Passkey
  /**
   * The argument of `PublicKeyCredential.signalUnknownCredential()`, after which the browser offers the passkey no
   * more.
   */
  readonly signal: { readonly rpId: string; readonly credentialId: string }
}

export const listPasskeys: Operation<[], Passkey[]> = {
  parameters: [],
  requires: passkeysOf,
  run: async (asked) => (await passkeysOf(asked.config)()).list(asked.userId()),
}

/** Whether the person of a request, who has one passkey, could not sign in without it. */
export async function isPasskeyOnlyWayIn({ config, read }: Pick<Caller, 'config' | 'read'>): Promise<boolean> {
  const { userId } = await read()
  return userId !== null && (await passkeysOf(config)()).hasOneWayIn(userId)
}

/** Whether the person of a request must have a second factor, and only a passkey can be it. */
export async function isPasskeyNeeded({ config, read }: Pick<Caller, 'config' | 'read'>): Promise<boolean> {
  const { userId } = await read()
  return userId !== null && ((await config.services.get(SECOND_FACTOR_PAGE)?.needsPasskeys(String(userId))) ?? false)
}

export const renamePasskey: Operation<[change: PasskeyRenaming], Passkey> = {
  parameters: ['change'],
  check: required(object<PasskeyRenaming>({ ...PROOF, credentialID: anything, name: anything })),
  requires: passkeysOf,
  changes: true,
  run: async (asked, { credentialID, name }) =>
    (await passkeysOf(asked.config)()).rename(asked.userId(), textOf(credentialID), name),
}

export const removePasskey: Operation<[removal: PasskeyRemoval], RemovedPasskey> = {
  parameters: ['removal'],
  check: required(
    object<PasskeyRemoval>({ ...REMOVAL, credentialID: anything }, { misplaced: { maxAge: MISPLACED_MAX_AGE } }),
  ),
  requires: passkeysOf,
  changes: true,
  recent: 'to remove a passkey',
  bothFactors: true,
  async run(asked, { credentialID, signsInOtherwise = false }) {
    const passkeys = await passkeysOf(asked.config)()
    // Asked first: where a hook throws, the passkey must not be removed without the browser learning of it.
    const rpId = await relyingPartyId(asked)
    const { source } = asked.context
    const isNeeded = () => isPasskeyNeeded(asked)
    const passkey = await passkeys.remove(asked.userId(), textOf(credentialID), { signsInOtherwise, source, isNeeded })
    await happened.changed(sentBy(asked), { kind: 'passkey-removed', userId: asked.userId() })
    const credentialId = Buffer.from(passkey.credentialID, 'base64').toString('base64url')
    return { passkey, signal: { rpId, credentialId } }
  },
}

function passkeysOf({ services }: Config) {
  const passkeys = services.get(PASSKEYS)
  if (passkeys) return passkeys
  throw new MissingAdapter('Passkeys are kept by an adapter, and the configuration has none.')
}

/** The domain that the passkeys of the site are for, as their provider gives it for this request. */
async function relyingPartyId({ config, context, visit }: Asked): Promise<string> {
  const flow = [...config.providers.values()]
    .map((provider) => flowOf(config, provider))
    .find(({ relyingPartyId }) => relyingPartyId)
  return flow?.relyingPartyId?.(visit()) ?? new URL(context.origin).hostname
}

export const passkeyOperations = { listPasskeys, renamePasskey, removePasskey }
