import Passkey from '../../../lib/providers/passkey.js'

export default { passkey: () => Passkey() }
