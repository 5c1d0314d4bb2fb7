import { getEventListeners, once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { BackChannelError, createBackChannel, isProtected, USER_AGENT } from '../../lib/kernel/back-channel.js'
import packageFile from '../../package.json' with { type: 'json' }

describe('the back channel', () => {
  let server: Server
  let handle: RequestListener
  let url: string
  before(async () => {
    server = createServer((request, response) => handle(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?code=marked`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const refused = async (work: Promise<unknown>, code: string, message: RegExp) => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(BackChannelError)
    expect((error as BackChannelError).code).to.equal(code)
    expect((error as BackChannelError).message)
      .to.match(message)
      .and.not.include('marked')
  }

  it('names the package, unless the caller names itself', async () => {
    const seen: (string | undefined)[] = []
    handle = (request, response) => {
      seen.push(request.headers['user-agent'])
      response.end('{}')
    }
    await createBackChannel()(url)
    await createBackChannel()(url, { headers: { 'user-agent': 'openid-client/v6' } })
    await createBackChannel()(url, { headers: { 'User-Agent': 'my-app' } })
    expect(seen).to.deep.equal([USER_AGENT, USER_AGENT, 'my-app'])
    expect(packageFile.version.startsWith(`${USER_AGENT.split('/')[1]}.`)).to.equal(true)
  })

  it('OAUTH-12: follows no redirect', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      handle = (_request, response) => response.writeHead(status, { location: '/elsewhere' }).end()
      await refused(createBackChannel()(url), 'redirect', /redirect \(\d+\)/)
    }
  })

  it('OAUTH-12: gives up when the answer does not begin in time', async () => {
    handle = () => {}
    await refused(createBackChannel({ timeoutMs: 50 })(url), 'timeout', /within 50 ms/)
  })

  it('gives up when the body trickles', async () => {
    handle = (_request, response) => {
      const timer = setInterval(() => response.write('x'), 10)
      response.on('close', () => clearInterval(timer))
    }
    await refused(createBackChannel({ timeoutMs: 100 })(url), 'timeout', /within 100 ms/)
  })

  it('OAUTH-12: gives up when the body is too large, by what arrives and not by what is announced', async () => {
    handle = (_request, response) => response.end('x'.repeat(2000))
    await refused(createBackChannel({ maxBytes: 1000 })(url), 'too-large', /more than 1000 bytes/)
    handle = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000)))
    await refused(createBackChannel({ maxBytes: 10_000 })(url), 'too-large', /more than 10000 bytes/)
  })

  it('gives a compressed body as it was before', async () => {
    handle = (_request, response) =>
      response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
        .end(gzipSync('{"a":1}'))
    const answer = await createBackChannel()(url)
    expect(await answer.json()).to.deep.equal({ a: 1 })
    expect(answer.headers.get('content-type')).to.equal('application/json')
  })

  it('gives answers without a body, and those of any status', async () => {
    handle = (_request, response) => response.writeHead(204).end()
    expect((await createBackChannel()(url)).status).to.equal(204)
    handle = (_request, response) => response.writeHead(503).end('down')
    expect(await (await createBackChannel()(url)).text()).to.equal('down')
  })

  it('says which call found nobody', async () => {
    await refused(
      createBackChannel()('http://127.0.0.1:1/token?code=marked'),
      'unreachable',
      /GET http:\/\/127\.0\.0\.1:1\/token failed/,
    )
  })

  it('OAUTH-12: makes no call over plain http beyond loopback, unless that is allowed', async () => {
    let calls = 0
    const count = (async () => {
      calls += 1
      return new Response('{}')
    }) as typeof fetch
    for (const target of [
      'http://op.example/token',
      'http://127.0.0.1.op.example/',
      'http://localhost.example/',
      'ftp://127.0.0.1/',
      'file:///etc/passwd',
    ]) {
      await refused(createBackChannel({ fetch: count })(target), 'insecure', /was not made/)
    }
    expect(calls).to.equal(0)
    await createBackChannel({ fetch: count, allowInsecureHttp: true })('http://op.example/token')
    await createBackChannel({ fetch: count })('https://op.example/token')
    expect(calls).to.equal(2)
  })

  it('keeps its limits if the configured fetch ignores them', async () => {
    const slow = (() => new Promise(() => {})) as typeof fetch
    await refused(createBackChannel({ fetch: slow, timeoutMs: 30 })('https://op.example/'), 'timeout', /within 30 ms/)
    const endless = (async () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(500)) }),
      )) as typeof fetch
    await refused(
      createBackChannel({ fetch: endless, maxBytes: 5000 })('https://op.example/'),
      'too-large',
      /5000 bytes/,
    )
    const hanging = (async () =>
      new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))) as typeof fetch
    await refused(
      createBackChannel({ fetch: hanging, timeoutMs: 30 })('https://op.example/'),
      'timeout',
      /within 30 ms/,
    )
  })

  it('reads no more of a body after the time limit, if the configured fetch ignores it', async () => {
    let sendMore = () => {}
    const ended = new Promise<void>((resolve) => {
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new Uint8Array(5))
          sendMore = () => controller.enqueue(new Uint8Array(5))
        },
        cancel: () => resolve(),
      })
      const work = createBackChannel({ fetch: async () => new Response(body), timeoutMs: 30 })('https://op.example/')
      refused(work, 'timeout', /within 30 ms/).then(() => sendMore())
    })
    await ended
  })

  it('ends a call whose caller has given up', async () => {
    handle = () => {}
    const controller = new AbortController()
    const work = createBackChannel()(url, { signal: controller.signal })
    controller.abort(new Error('no longer wanted'))
    await refused(work, 'unreachable', /failed/)
  })

  it('leaves an answer that has come, and the signal of its caller, as they are', async () => {
    const controller = new AbortController()
    let given: AbortSignal | null | undefined
    const call = createBackChannel({
      fetch: async (_url: unknown, init?: RequestInit) => {
        given = init?.signal
        return new Response('{}')
      },
    })
    await call('https://op.example/', { signal: controller.signal })
    // To abort it now would be an error of a stream that nobody reads any more, and end the process.
    expect(given?.aborted).to.equal(false)
    expect(getEventListeners(controller.signal, 'abort')).to.deep.equal([])
  })

  it('knows loopback in all its forms', () => {
    for (const host of [
      'localhost',
      'op.localhost',
      '127.0.0.1',
      '127.8.9.1',
      '[::1]',
      '127.1',
      '2130706433',
      '0x7f000001',
    ]) {
      expect(isProtected(new URL(`http://${host}:8080/`)), host).to.equal(true)
    }
    for (const host of ['10.0.0.1', '0.0.0.0', '[::2]', '169.254.169.254', '127.0.0.1.nip.io', 'notlocalhost']) {
      expect(isProtected(new URL(`http://${host}/`)), host).to.equal(false)
    }
  })

  it('works where a framework has put a Response of its own in place of that of Node', async () => {
    const original = globalThis.Response
    // As the one of @hono/node-server: it keeps the object of headers that it is given.
    globalThis.Response = class extends original {
      override readonly headers: Headers
      constructor(body?: BodyInit | null, init: ResponseInit = {}) {
        super(body, init)
        this.headers = init.headers instanceof Headers ? init.headers : new Headers(init.headers)
      }
    }
    try {
      const headers = { 'content-encoding': 'identity', 'x-kept': 'yes' }
      handle = (_request, response) => response.writeHead(200, headers).end('{}')
      const answer = await createBackChannel()(url)
      expect([answer.headers.get('x-kept'), answer.headers.get('content-encoding')]).to.deep.equal(['yes', null])
    } finally {
      globalThis.Response = original
    }
  })
})
