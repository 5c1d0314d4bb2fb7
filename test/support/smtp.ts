import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A mail as the server took it: whom the envelope named, and what was in it. */
export interface DeliveredMail {
  readonly from: string
  readonly to: readonly string[]
  readonly mail: Email
}

/** A mail server of the test's own. */
export interface MailServer {
  readonly url: string
  readonly port: number
  readonly delivered: DeliveredMail[]
  close(): Promise<void>
}

/** Starts a mail server. @param refuse whether it turns a recipient away */
export async function startMailServer(refuse: (address: string) => boolean = () => false): Promise<MailServer> {
  const delivered: DeliveredMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    // A pool keeps its connections open; nobody waits for them to end.
    closeTimeout: 50,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      refuse(address) ? done(Object.assign(new Error('No such mailbox'), { responseCode: 550 })) : done(),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        PostalMime.parse(Buffer.concat(chunks))
          .then((mail) => {
            const from = envelope.mailFrom ? envelope.mailFrom.address : ''
            delivered.push({ from, to: envelope.rcptTo.map(({ address }) => address), mail })
            done()
          })
          .catch(done)
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    delivered,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
