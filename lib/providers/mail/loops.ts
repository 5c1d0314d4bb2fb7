import { bearer, mailApi } from './mail-api.js'

/** What Loops needs beside its key. */
export interface LoopsOptions {
  /**
   * Id of the transactional e-mail at Loops: its template holds sender, subject and text, and gets the link as `url`, and a code
   * as `code`.
   */
  transactionalId: string
}

/** @see https://loops.so/docs/api-reference/send-transactional-email */
export default mailApi<LoopsOptions>({
  id: 'loops',
  name: 'Loops',
  endpoint: 'https://app.loops.so/api/v1/transactional',
  requires: ['transactionalId'],
  headers: ({ apiKey }) => bearer(apiKey),
  body: ({ to, url, code }, { transactionalId }) => ({
    transactionalId,
    email: to,
    dataVariables: { url, ...(code !== undefined && { code }) },
  }),
  refuses: ({ success }) => success === false,
})
