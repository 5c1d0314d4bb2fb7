import type { AdapterAccount } from '../adapters/adapter.js'

/**
 * The ID token that is stored with an account; null if there is none. It is the only reader of that member, so whatever
 * changes how ID tokens are stored changes this function.
 */
export async function idTokenOf({ id_token: stored }: AdapterAccount): Promise<string | null> {
  return typeof stored === 'string' && stored !== '' ? stored : null
}
