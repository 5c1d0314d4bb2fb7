import { errorOf } from '../../kernel/errors.js'

/** The tokens of an account at a provider could not be refreshed, stored, read or revoked. Logged only. */
export class AccountTokenError extends errorOf('AccountTokenError', { by: 'either' }) {}
