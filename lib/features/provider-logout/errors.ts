import { errorOf } from '../../kernel/errors.js'

/** A logout at a provider was refused: its token is not one of the provider, was used before, or could not be checked. */
export class LogoutTokenError extends errorOf('LogoutTokenError', { by: 'either' }) {}
