import type { Action } from '../context/action-context.js'
import { file } from '../context/outcome.js'
import { loadScript } from '../pages/served-script.js'

/** GET of the sign-in page's script, which is the same for everybody. docs/decisions/0009. */
export const serveScript: Action = async ({ incoming }) => {
  const script = await loadScript()
  const isCurrent = incoming.path.endsWith(`/${script.path}`)
  return file(script.source, {
    'content-type': 'text/javascript; charset=utf-8',
    // While one version takes over from another, a page of one version may ask a process of the other version for its
    // script. The page gets the script that is there, which nobody may keep under that address.
    'cache-control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
}
