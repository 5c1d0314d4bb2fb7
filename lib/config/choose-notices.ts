import { loadOnce } from '../awaitable.js'
import type { AccountNotices } from '../flows/email/account-notices.js'
import type { ResolvedProvider } from '../providers/provider.js'
import type { LimitedOptions } from './choose-sessions.js'
import type { Config } from './config.js'

/** Null if nothing could be sent. The code is loaded with the first notice. */
export function noticesOf(
  { accountNotices = true, adapter, theme = {} }: LimitedOptions,
  { providers, origin, logger }: Pick<Config, 'origin' | 'logger'> & { providers: readonly ResolvedProvider[] },
): AccountNotices | null {
  const canSend = providers.some((provider) => provider.type === 'email' && provider.source.sendNotification)
  if (!accountNotices || !adapter || !canSend) return null
  const load = loadOnce(async () => {
    const { createAccountNotices } = await import('../flows/email/account-notices.js')
    return createAccountNotices({ providers, adapter, theme, origin, logger })
  })
  return { send: async (notice) => (await load()).send(notice) }
}
