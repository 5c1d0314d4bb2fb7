import { listPasskeys, type MiddlewareRequest, removePasskey, renamePasskey } from '../../../lib/index.js'

export async function withoutConfiguration(req: MiddlewareRequest): Promise<void> {
  // @ts-expect-error a configuration is needed
  await listPasskeys(req)
  // @ts-expect-error a configuration is needed
  await renamePasskey(req, { credentialID: 'x', name: 'x' })
  // @ts-expect-error a configuration is needed
  await removePasskey(req, { credentialID: 'x' })
}
