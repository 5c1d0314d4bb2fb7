import { errorOf } from '../../kernel/errors.js'

/** A mailed link is unknown, used or expired. */
export class Verification extends errorOf('Verification', { shownAs: 'Verification', by: 'visitor' }) {}
