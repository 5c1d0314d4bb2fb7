import type { RequestListener } from 'node:http'
import { createServer, type OutgoingHttpHeaders, connect as open } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import connect from 'connect'
import { expressAuth } from '../../../lib/index.js'
import { ADA, testConfig } from '../../support/app.js'

describe('Connect over HTTP/2', () => {
  it('signs in: the origin is that of :authority, and a body needs no announced length', async () => {
    const app: RequestListener = connect().use('/auth', expressAuth(testConfig({ hosts: ['127.0.0.1'] })))
    const server = createServer((req, res) => app(req as never, res as never))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = open(origin)
    const send = (headers: OutgoingHttpHeaders, body?: string) =>
      new Promise<{ status: number; location: string; cookies: string[]; text: string }>((resolve, reject) => {
        const stream = client.request(headers)
        let text = ''
        stream.on('response', (given) => {
          stream.on('end', () =>
            resolve({
              status: Number(given[':status']),
              location: String(given['location']),
              cookies: (given['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0] ?? ''),
              text,
            }),
          )
        })
        stream.setEncoding('utf8')
        stream.on('data', (chunk: string) => {
          text += chunk
        })
        stream.on('error', reject)
        stream.end(body)
      })
    const csrf = await send({ ':path': '/auth/csrf' })
    const { csrfToken } = JSON.parse(csrf.text)
    const headers = { cookie: csrf.cookies.join('; '), 'content-type': 'application/x-www-form-urlencoded' }
    const fields = new URLSearchParams({ csrfToken, ...ADA, callbackUrl: '/in' }).toString()
    const signedIn = await send({ ':method': 'POST', ':path': '/auth/callback/credentials', ...headers }, fields)
    expect([signedIn.status, signedIn.location]).to.deep.equal([302, `${origin}/in`])
    const session = await send({ ':path': '/auth/session', cookie: signedIn.cookies.join('; ') })
    expect(JSON.parse(session.text).user.name).to.equal('Ada')
    // Neither name for the host gets past the list of hosts (WEB-04).
    for (const named of [{ ':authority': 'evil.example' }, { host: 'evil.example' }] as OutgoingHttpHeaders[]) {
      expect((await send({ ':path': '/auth/session', ...named })).status).to.equal(400)
    }
    client.close()
    server.close()
  })
})
