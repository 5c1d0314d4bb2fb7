import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { expect } from 'chai'
import { createBackChannel, explainSystemCode } from '../../lib/kernel/back-channel.js'
import { makeCertificates } from '../support/certificates.js'
import { failureOf } from '../support/failure.js'
import { requirePrograms } from '../support/skip-suite.js'

const call = createBackChannel({ allowInsecureHttp: true })
const portOf = (server: { address(): AddressInfo | string | null }) => (server.address() as AddressInfo).port

describe('a call that gets no answer says what the code of the system means:', () => {
  it('nothing listens at the address; the host is named, and the query, which may be secret, is not', async () => {
    const server = createTcpServer()
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${portOf(server)}`
    await new Promise((resolve) => server.close(resolve))
    const { message } = await failureOf(call(`${origin}/token?code=s3cret`, { method: 'POST' }))
    expect(message).to.equal(`POST ${origin}/token failed: no answer came (ECONNREFUSED: nothing listens there).`)
  })

  it('no such host', async () => {
    const { message } = await failureOf(call('https://nowhere.invalid/'))
    expect(message).to.match(/\((ENOTFOUND: no such host is known|EAI_AGAIN: the name server gave no answer)\)\.$/)
  })

  it('a certificate that nobody known has signed', async function () {
    requirePrograms(this, 'openssl')
    const { server: own } = makeCertificates()
    const server = createServer(own, (_req, res) => res.end('{}'))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { message } = await failureOf(call(`https://localhost:${portOf(server)}/`))
    server.close()
    expect(message).to.include('Node does not know who signed its certificate: set NODE_EXTRA_CA_CERTS')
  })

  it('a code that is not known here stands alone', () => {
    expect(explainSystemCode('EWHATEVER')).to.equal('EWHATEVER')
  })
})
