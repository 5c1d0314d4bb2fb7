import type { Config, ProviderWithFlow } from '../config/config.js'
import { file } from '../context/outcome.js'
import type { Action } from '../context/visit.js'
import { publishableKeys } from '../providers/resolve-client-keys.js'

/** Seconds for which a provider may keep the keys. A rotation waits longer: docs/guides/rotation.md. */
const MAX_AGE_SECONDS = 5 * 60

/** GET jwks: the public keys with which providers verify what this application signs, and encrypt what it gets. */
export const showKeys: Action = async ({ config }) => {
  const { keySetOf } = await import('../flows/oauth/client-keys.js')
  const keys = await Promise.all(providersWithKeys(config).map(async ({ flow }) => (await flow.publicKeys?.()) ?? []))
  return file(JSON.stringify(keySetOf(keys)), {
    'content-type': 'application/jwk-set+json',
    'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
    'x-content-type-options': 'nosniff',
  })
}

/** Whether there are keys to publish. */
export const hasPublishedKeys = (config: Config): boolean => providersWithKeys(config).length > 0

const providersWithKeys = ({ providers }: Config): readonly ProviderWithFlow[] =>
  [...providers.values()].filter(
    ({ settings }) =>
      (settings.type === 'oauth' || settings.type === 'oidc') &&
      publishableKeys(settings.keys).some(({ publicKey }) => publicKey !== null),
  )
