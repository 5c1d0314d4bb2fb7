import { memoryAdapter } from '../../../lib/adapters/memory.js'
import { createUserPasskeys } from '../../../lib/features/passkeys/user-passkeys.js'
import { createLog } from '../../support/app.js'
import { storeOver } from '../../support/open-store.js'

const passkeys = () => createUserPasskeys({ store: storeOver(memoryAdapter()), logger: createLog().logger } as never)

/** Where a text of a visitor meets a parser, a normalization or a pattern. */
export default {
  'the name of a passkey': (text: string) => passkeys()?.rename('ada', 'AAAA', text),
}
