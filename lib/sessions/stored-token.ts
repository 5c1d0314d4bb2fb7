import { sha256Hex } from '../crypto/digest.js'

const MARK = 'sha256:'

/**
 * What the store holds of a session token: a digest, marked as one, so that whoever reads the store cannot sign in with what is there
 * (SESS-01). The token is random and long, so a plain digest is enough.
 */
export const storedForm = (token: string): string => MARK + sha256Hex(token)

/** Whether a presented value is a stored form. It was read from a store, not given to a visitor, and is refused. */
export const isStoredForm = (value: string): boolean => value.startsWith(MARK)
