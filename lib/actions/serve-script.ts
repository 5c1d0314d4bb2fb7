import type { Config } from '../config/config.js'
import { RequestRefused } from '../errors.js'
import type { Incoming } from '../http/incoming.js'
import type { ResponseInternal } from '../http/response-internal.js'
import { isScriptPath, loadScript } from '../pages/served-script.js'

/**
 * The script of the sign-in page, which is no action: it is a file, the same for everybody. docs/decisions/0009.
 *
 * @returns null when the request is not for it, or no page of this configuration has it
 * @throws {RequestRefused} 405 for a method that does not read
 */
export function serveScript(
  { method, target }: Pick<Incoming, 'method' | 'target'>,
  basePath: string,
  { providers }: Pick<Config, 'providers'>,
): Promise<ResponseInternal> | null {
  const [path = ''] = target.split('?', 1)
  if (!path.startsWith(`${basePath}/`) || !isScriptPath(path.slice(basePath.length))) return null
  if (![...providers.values()].some(({ provider }) => (provider.type as string) === 'webauthn')) return null
  if (method !== 'GET' && method !== 'HEAD') {
    throw new RequestRefused(405, 'The script can only be read.', { allow: 'GET, HEAD' })
  }
  return sendScript(path, basePath)
}

async function sendScript(path: string, basePath: string): Promise<ResponseInternal> {
  const script = await loadScript()
  const isCurrent = path === `${basePath}/${script.path}`
  return {
    status: 200,
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      // While one version takes over from another, a page of the one may ask the other: it gets what there is, to use once.
      'cache-control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
    body: script.source,
  }
}
