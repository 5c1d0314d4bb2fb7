import type { KeyColumn } from '../unfit-keys.js'

/** How many characters a column can hold after it was widened. */
export const WIDENED_LENGTH = 255

/**
 * Columns by which rows are found and whose values people outside may choose. They must tell all texts apart, and hold what is stored in them.
 * Released; this never changes.
 */
export const EXACT_KEYS: readonly KeyColumn[] = [
  { model: 'users', table: 'users', member: 'email', minLength: 0 },
  { model: 'accounts', table: 'accounts', member: 'provider', minLength: 0 },
  { model: 'accounts', table: 'accounts', member: 'providerAccountId', minLength: 0 },
  { model: 'sessions', table: 'sessions', member: 'sessionToken', minLength: 71 },
  { model: 'verificationTokens', table: 'verification_token', member: 'identifier', minLength: 0 },
  { model: 'verificationTokens', table: 'verification_token', member: 'token', minLength: 64 },
  { model: 'authenticators', table: 'authenticators', member: 'credentialID', minLength: 0 },
]
