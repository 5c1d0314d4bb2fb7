import { renderAccount } from '../../../lib/index.js'
import { untyped } from '../../support/untyped.js'

/** The call of the function for pages of the application, by how it is written. */
export default {
  'renderAccount(req, config, { csrfToken })': (req: never, _res: never, config: never) =>
    renderAccount(req, config, untyped(undefined)),
}
