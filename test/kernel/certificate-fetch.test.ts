import type { AddressInfo } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { BackChannelError, createBackChannel } from '../../lib/kernel/back-channel.js'
import { createCertificateFetch } from '../../lib/kernel/certificate-fetch.js'
import { makeCertificates } from '../support/certificates.js'
import { requirePrograms } from '../support/skip-suite.js'

/** What a server that is faulty, or in the wrong hands, answers byte by byte. */
const UNUSABLE = {
  'a status below 100': 'HTTP/1.1 099 X\r\ncontent-length: 2\r\n\r\n{}',
  'the status 199': 'HTTP/1.1 199 X\r\ncontent-length: 2\r\n\r\n{}',
  'the status 600': 'HTTP/1.1 600 X\r\ncontent-length: 2\r\n\r\n{}',
  'the status 999 with a body that is cut': 'HTTP/1.1 999 X\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n',
  'another protocol': 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  'no HTTP': 'nonsense\r\n\r\n',
  'a control character in a header': 'HTTP/1.1 200 OK\r\nx-a: a\x01b\r\ncontent-length: 2\r\n\r\n{}',
  'a header without a name': 'HTTP/1.1 200 OK\r\n: x\r\ncontent-length: 2\r\n\r\n{}',
  'a body that is cut': 'HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n{',
  'a body of chunks that is cut': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{',
  nothing: '',
}

// An error in a callback ends the process, and mocha reports it as a failure of the test that runs.
describe('answers to calls with a client certificate (RFC 8705)', () => {
  let server: Server
  let call: (answer: string, limits?: { maxBytes?: number }) => Promise<Response>
  const open = new Set<TLSSocket>()
  before(async function () {
    requirePrograms(this, 'openssl')
    const { server: own, client, authority } = makeCertificates()
    let answer = ''
    server = createServer({ ...own, ca: authority.cert, requestCert: true }, (socket) => {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
      socket.on('data', () => {
        socket.write(answer, 'latin1')
        setImmediate(() => socket.end())
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `https://localhost:${(server.address() as AddressInfo).port}/token`
    const send = createCertificateFetch({ ...client, ca: authority.cert })
    call = (next, limits) => {
      answer = next
      return createBackChannel({ fetch: send, ...limits })(url, { method: 'POST', body: 'a=b' })
    }
  })
  after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })

  for (const [what, answer] of Object.entries(UNUSABLE)) {
    it(`is a failed call, and no end of the process: ${what}`, async () => {
      const fault = await call(answer).catch((error: unknown) => error)
      expect(fault).to.be.instanceOf(BackChannelError).with.property('code', 'unreachable')
    })
  }

  it('is a failed call: a body that is too large, and one behind a redirect', async () => {
    const body = 'x'.repeat(300_000)
    const large = call(`HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\n${body}`, { maxBytes: 1000 })
    expect(await large.catch((error: unknown) => error)).to.have.property('code', 'too-large')
    const moved = call(`HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-length: 300000\r\n\r\n${body}`)
    expect(await moved.catch((error: unknown) => error)).to.have.property('code', 'redirect')
  })

  it('is read where it is usable: with other headers, without a body, and in chunks', async () => {
    const names = await call(
      'HTTP/1.1 200 OK\r\nconnection: close\r\n__proto__: x\r\nx: \xe9\r\ncontent-length: 2\r\n\r\n{}',
    )
    expect([names.status, await names.text()]).to.deep.equal([200, '{}'])
    expect((await call('HTTP/1.1 204 No\r\nconnection: close\r\n\r\n')).status).to.equal(204)
    const chunks = await call('HTTP/1.1 400 Bad\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n')
    expect([chunks.status, await chunks.text()]).to.deep.equal([400, '{}'])
  })
})
