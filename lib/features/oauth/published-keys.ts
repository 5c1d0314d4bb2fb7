import { publishesKeys } from '../../providers/client-security.js'
import { flowOf } from '../../sign-in/flow.js'
import { file } from '../../sign-in/outcome.js'
import type { Action } from '../../sign-in/visit.js'

/** Seconds for which a provider may keep the keys. A rotation waits longer: docs/guides/rotation.md. */
const MAX_AGE_SECONDS = 5 * 60

/** GET jwks: the public keys with which providers verify what this application signs, and encrypt what it gets. */
export const showKeys: Action = async ({ config }) => {
  const { keySetOf } = await import('../../oauth/client-keys.js')
  const keys = await Promise.all(
    [...config.providers.values()]
      .filter(({ settings }) => publishesKeys(settings))
      .map(async (provider) => (await flowOf(config, provider).publicKeys?.()) ?? []),
  )
  return file(JSON.stringify(keySetOf(keys)), {
    'content-type': 'application/jwk-set+json',
    'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
    'x-content-type-options': 'nosniff',
  })
}
