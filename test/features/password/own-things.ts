import { type AuthConfig, setPassword } from '../../../lib/index.js'
import Password from '../../../lib/providers/password.js'

/** Nobody enters it: to make a real one takes a while. */
const HASH = `$scrypt$ln=1,r=8,p=1$${'a'.repeat(22)}$${'b'.repeat(43)}`

/** The password of somebody, and what they do with it. */
export default {
  provider: () => Password(),
  async give(_adapter: unknown, userId: string, config: AuthConfig) {
    const isKept = (config.providers ?? []).some((each) => 'password' in each)
    if (isKept) await setPassword(config, { userId, hash: HASH })
    return { removePassword: (more: object = {}) => [more] }
  },
  // Nobody names a password: it is that of whoever asks.
  changes: [],
  removals: ['removePassword'],
  removeAll: async () => {},
}
