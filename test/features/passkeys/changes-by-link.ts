import { type AuthConfig, type MiddlewareRequest, removePasskey, renamePasskey } from '../../../lib/index.js'

/** Functions that change passkeys. */
export default (config: AuthConfig) => ({
  removePasskey: (req: MiddlewareRequest) => removePasskey(req, config, { credentialID: 'x' }),
  renamePasskey: (req: MiddlewareRequest) => renamePasskey(req, config, { credentialID: 'x', name: 'y' }),
})
