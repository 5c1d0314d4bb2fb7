import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { SECRET } from '../../support/app.js'
import { freePort } from '../../support/free-port.js'
import { type RealOidcProvider, startOidcProvider } from '../../support/oidc-provider.js'
import { Visitor } from '../../support/visitor.js'
import { textOf, writeBlock } from './recipe.js'

interface SpanOfTest {
  readonly name: string
  readonly attributes: Record<string, unknown>
  readonly id: string
  readonly parentId?: string
  readonly failure?: string
}

/** Keeps the spans in memory, and shows them. */
const SPANS = `import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
const exporter = new InMemorySpanExporter()
`
const ROUTE = `app.get('/spans', (_req, res) => res.json(exporter.getFinishedSpans().map((span) => ({
  name: span.name,
  attributes: span.attributes,
  id: span.spanContext().spanId,
  parentId: span.parentSpanContext?.spanId,
  failure: span.status.message,
}))))
app.listen(Number(process.env.PORT))
`

/** The application of the recipe. It is a process of its own, because nobody can unsubscribe what the recipe subscribes. */
function applicationOf(): string {
  const telemetry = pathToFileURL(writeBlock('telemetry', textOf('telemetry/telemetry.ts'))).href
  const code = textOf('telemetry/app.ts')
    .replace('new BatchSpanProcessor(new ConsoleSpanExporter())', 'new SimpleSpanProcessor(exporter)')
    .replace(/^app\.listen\(.*\n/m, ROUTE)
  return writeBlock('telemetry-app', `import ${JSON.stringify(telemetry)}\n${SPANS}${code}`)
}

describe('examples/recipes/telemetry', function () {
  this.timeout(120_000)
  let provider: RealOidcProvider
  let app: ChildProcess
  let ada: Visitor

  before(async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    provider = await startOidcProvider({
      clients: [{ client_id: 'client', client_secret: 'secret', redirect_uris: [`${origin}/auth/callback/acme`] }],
    })
    app = spawn(process.execPath, ['--import', 'tsx', applicationOf()], {
      stdio: ['ignore', 'inherit', 'ignore'],
      env: {
        PATH: process.env['PATH'],
        PORT: String(port),
        AUTH_SECRET: SECRET,
        AUTH_ACME_ID: 'client',
        AUTH_ACME_SECRET: 'secret',
        ACME_ISSUER: provider.issuer,
      },
    })
    while (app.exitCode === null && !(await fetch(`${origin}/metrics`).catch(() => null))) await pause(50)
    ada = new Visitor(origin)
    const started = await ada.post('/auth/signin/acme', { csrfToken: await ada.csrfToken() })
    const { url } = await provider.authorize(started.location?.href ?? '')
    await ada.get(url.pathname + url.search)
    await ada.get('/account')
    await new Visitor(origin).get('/account')
  })
  after(async () => {
    app?.kill()
    await provider?.stop()
  })

  async function spanOf(matches: (span: SpanOfTest) => boolean): Promise<SpanOfTest> {
    const spans: SpanOfTest[] = (await ada.get('/spans')).json()
    const span = spans.find(matches)
    if (!span) throw new Error(`There is no such span: ${JSON.stringify(spans)}`)
    return span
  }

  it('makes spans, in which calls to the provider are below the request', async () => {
    const callback = await spanOf(({ attributes }) => attributes['latchkey.action'] === 'callback')
    expect(callback.attributes).to.deep.equal({
      'http.request.method': 'GET',
      'latchkey.action': 'callback',
      'latchkey.provider': 'acme',
      'http.response.status_code': 302,
    })
    const call = await spanOf(
      ({ name, attributes }) => name === 'latchkey:outgoing-call' && attributes['http.request.method'] === 'POST',
    )
    expect(call.parentId).to.equal(callback.id)
    expect(call.attributes['server.address']).to.equal(new URL(provider.issuer).host)
    expect((await spanOf(({ attributes }) => attributes['latchkey.found'] === true)).name).to.equal(
      'latchkey:session-read',
    )
  })

  it('marks the span of a request that failed', async () => {
    await ada.get('/auth/callback/acme?code=x&state=y')
    const failed = await spanOf(({ failure }) => failure !== undefined)
    expect(failed.attributes['latchkey.action']).to.equal('callback')
  })

  it('counts and measures for Prometheus, without a name of anybody', async () => {
    const { text, headers } = await ada.get('/metrics')
    expect(headers.get('content-type')).to.include('text/plain')
    expect(text).to.include('latchkey_sign_ins_total{provider="acme",new_user="false"} 1')
    expect(text).to.include('latchkey_refusals_total{reason="deny"} 1')
    expect(text).to.match(/latchkey_action_seconds_count\{action="callback",status="302"\} [12]/)
    expect(text).to.match(/latchkey_outgoing_call_seconds_count\{host="127\.0\.0\.1:\d+",status="200"\} [1-9]/)
    expect(text).not.to.include('ada')
  })
})
