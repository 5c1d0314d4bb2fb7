import { AuthError, withoutDetails } from '../../errors.js'
import { WebAuthnVerificationError } from './errors.js'

/**
 * Runs the checks of an answer. Every error that they throw becomes one kind of refusal.
 *
 * @throws {WebAuthnVerificationError} whose cause says what was wrong
 */
export async function verified<T>(provider: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AuthError) throw error
    const err = withoutDetails(error)
    throw new WebAuthnVerificationError(`Provider "${provider}": a passkey was refused: ${err.message}`, {
      err,
      provider,
    })
  }
}
