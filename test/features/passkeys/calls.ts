import { listPasskeys, removePasskey, renamePasskey } from '../../../lib/index.js'
import { untyped } from '../../support/untyped.js'

/** Calls of functions for passkeys, by how they are written. */
export default {
  'listPasskeys(req, config)': (req: never, _res: never, config: never) => listPasskeys(req, config),
  'renamePasskey(req, config, change)': (req: never, _res: never, config: never) =>
    renamePasskey(req, config, untyped(undefined)),
  'removePasskey(req, config, removal)': (req: never, _res: never, config: never) =>
    removePasskey(req, config, untyped(undefined)),
}
