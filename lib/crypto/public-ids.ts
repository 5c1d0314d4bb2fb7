import { createHmac } from 'node:crypto'
import { deriveKey } from './keys.js'

/** Makes ids that browsers may see of rows whose keys they should not see. */
export interface PublicIds {
  /** The id of a key: 22 characters of base64url. It reveals nothing of the key. */
  make(key: readonly string[]): string
  /** Whether an id is that of a key, made with any of the secrets. */
  fits(id: string, key: readonly string[]): boolean
}

/** Characters of an id: 132 bits, which nobody can guess. */
const LENGTH = 22

/**
 * The ids of one kind of rows. Without a secret of the configuration, nobody can find out whether an id is that of a row
 * whose key they guess.
 *
 * @param secrets at least one; the first makes ids, and ids of all of them are accepted
 * @param purpose another one for each kind of rows
 */
export function createPublicIds(secrets: readonly string[], purpose: string): PublicIds {
  let keys: readonly Uint8Array[] | undefined
  const derived = () => {
    keys ??= secrets.map((secret) => deriveKey(secret, `latchkey:${purpose}`, 'A256GCM').bytes)
    return keys
  }
  // As JSON, so that no two keys are the same text.
  const idWith = (bytes: Uint8Array, key: readonly string[]) =>
    createHmac('sha256', bytes).update(JSON.stringify(key)).digest('base64url').slice(0, LENGTH)
  return {
    make(key) {
      const [newest] = derived()
      if (newest === undefined) throw new RangeError('public ids need at least one secret')
      return idWith(newest, key)
    },
    fits: (id, key) => derived().some((bytes) => idWith(bytes, key) === id),
  }
}
