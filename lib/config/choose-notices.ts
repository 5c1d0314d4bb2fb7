import { loadOnce } from '../awaitable.js'
import type { AccountNotices } from '../flows/email/account-notices.js'
import type { ResolvedProvider } from '../providers/provider.js'
import type { LimitedOptions } from './choose-sessions.js'
import type { Config } from './config.js'

/** Null if nothing could be sent. The code is loaded with the first notice. */
export function noticesOf(
  { accountNotices = true, theme = {} }: LimitedOptions,
  {
    providers,
    store,
    origin,
    logger,
  }: Pick<Config, 'store' | 'origin' | 'logger'> & { providers: readonly ResolvedProvider[] },
): AccountNotices | null {
  const canSend = providers.some((provider) => provider.type === 'email' && provider.source.sendNotification)
  if (!accountNotices || !store || !canSend) return null
  const load = loadOnce(async () => {
    const { createAccountNotices } = await import('../flows/email/account-notices.js')
    return createAccountNotices({ providers, store, theme, origin, logger })
  })
  return { send: async (notice) => (await load()).send(notice) }
}
