import { errorOf } from '../../kernel/errors.js'
import type { Refusal } from './policy.js'

/** Why `setPassword` stored nothing. */
export type PasswordRefusal = Refusal | 'unknown-user' | 'unconfirmed-address' | 'unknown-hash'

/** `setPassword` was given what cannot be a password of this user. */
export class PasswordRefused extends errorOf('PasswordRefused') {
  readonly reason: PasswordRefusal

  constructor(reason: PasswordRefusal) {
    super(`The password was not stored: ${REASONS[reason]}.`)
    this.reason = reason
  }
}

const REASONS: Readonly<Record<PasswordRefusal, string>> = {
  'too-short': 'it has too few characters',
  'too-long': 'it has too many bytes',
  common: 'others try it first',
  personal: 'it is little more than the name or address of its owner, or a word of the application',
  breached: 'it is in a list of breached passwords',
  unavailable: 'whether it is breached could not be looked up',
  'unknown-user': 'no user has this id',
  'unconfirmed-address': 'the address of the user is not confirmed, so it may be that of somebody else',
  'unknown-hash': 'the hash is none of Latchkey, and no importer of Password() reads it',
}
