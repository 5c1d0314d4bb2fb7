import { json } from '../context/outcome.js'
import type { Action } from '../context/visit.js'
import type { PublicProvider } from '../providers/provider.js'

/** GET providers: the ways to sign in, by id, in the configured order. */
export const listProviders: Action = ({ config, urls }) => {
  const list = [...config.providers.values()].map(({ settings: { id, name, type } }): [string, PublicProvider] => [
    id,
    { id, name, type, signinUrl: urls.action('signin', id), callbackUrl: urls.action('callback', id) },
  ])
  return json(Object.fromEntries(list))
}
