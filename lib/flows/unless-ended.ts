import { type AuthError, SessionChanged } from '../errors.js'
import type { FlowRequest } from './flow.js'

/**
 * Work that needs an open attempt. A sign-in ends all others that are open in the browser, so where one is missing and somebody is signed in, that is what
 * the visitor is told.
 *
 * @param Missing what the work throws when the attempt is not there
 * @throws {SessionChanged} in its place, when somebody is signed in
 */
export async function unlessEnded<T>(
  Missing: new (message: string) => AuthError,
  request: Pick<FlowRequest, 'readPrincipal'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // That nobody can be told to be signed in, because of a fault, is not what went wrong.
    if (!(error instanceof Missing) || !(await request.readPrincipal().catch(() => null))) throw error
    throw new SessionChanged(error.message, { err: error })
  }
}
