import { loadOnce } from '../../kernel/awaitable.js'
import type { Theme } from '../../pages/theme.js'
import { noticeSenderIn } from '../../providers/provider.js'
import { isQuiet } from '../../sign-in/account-change.js'
import type { ServiceKey } from '../../sign-in/config.js'
import type { Arrived, Feature, Parts } from '../../sign-in/feature.js'
import type { Sent, Visit } from '../../sign-in/visit.js'
import type { AccountNotice, SendNotice } from './account-notices.js'

/** Null if nothing can send notices, or the application does not want them. */
export const NOTICES: ServiceKey<SendNotice | null> = { name: 'notices' }

/** The options that notices read. */
interface NoticeOptions {
  readonly accountNotices?: boolean | undefined
  readonly theme: Theme
}

/** Mails to owners about what was added to their account, removed, changed or asked for. */
export const notices: Feature<NoticeOptions> = {
  services: (parts, services) => services.set(NOTICES, noticesOf(parts)),
  isUsed: ({ services }) => services.get(NOTICES) !== null,
  happened: {
    added: tellOwner,
    // A sign-in may have added a way in to a user who was known before.
    entered: tellOwner,
    async changed(sent, { kind, ...change }) {
      if (!isQuiet(kind)) await send(sent, { kind, ...change })
    },
  },
}

/** The owner of an account learns of a further way to sign in. */
async function tellOwner(visit: Visit, { added, user, account: { provider } }: Arrived): Promise<undefined> {
  const kind = added === 'passkey' ? 'passkey-added' : 'account-linked'
  if (added) await send(visit, { kind, userId: user.id, provider })
}

/** In the language of the request that changed it. */
const send = (sent: Sent, notice: AccountNotice) => sent.config.services.get(NOTICES)?.(sent, notice)

/** Sends with the first e-mail provider that can; null if nothing could be sent. The code is loaded with the first notice. */
function noticesOf(parts: Parts<NoticeOptions>): SendNotice | null {
  const { accountNotices = true } = parts.options
  const sender = noticeSenderIn(parts.providers)
  if (!accountNotices || !parts.users || !sender) return null
  const load = loadOnce(async () => (await import('./account-notices.js')).createAccountNotices(sender, parts))
  return async (sent, notice) => (await load())(sent, notice)
}
