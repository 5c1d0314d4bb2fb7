import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { expect } from 'chai'
import type { Express } from 'express'
import { listen, type Running, SECRET } from '../../support/app.js'
import { type RealOidcProvider, startOidcProvider } from '../../support/oidc-provider.js'
import type { Visitor } from '../../support/visitor.js'
import { loadRecipe, useVariables } from './recipe.js'

describe('docs/recipes/telemetry.md', () => {
  const exporter = new InMemorySpanExporter()
  let provider: RealOidcProvider
  let app: Running
  let ada: Visitor
  useVariables({ AUTH_SECRET: SECRET, AUTH_ACME_ID: 'client', AUTH_ACME_SECRET: 'secret' })

  before(async () => {
    let recipe: { app: Express } | undefined
    app = await listen((req, res) => recipe?.app(req, res))
    provider = await startOidcProvider({
      clients: [{ client_id: 'client', client_secret: 'secret', redirect_uris: [`${app.origin}/auth/callback/acme`] }],
    })
    process.env['ACME_ISSUER'] = provider.issuer
    Object.assign(globalThis, { processorOfTest: new SimpleSpanProcessor(exporter) })
    recipe = await loadRecipe('telemetry', {
      words: 'NodeTracerProvider',
      change: (code) =>
        code.replace('new BatchSpanProcessor(new ConsoleSpanExporter())', '(globalThis as any).processorOfTest'),
    })
    await loadRecipe('telemetry', { words: 'bindStore' })
    ada = app.visitor()
    const started = await ada.post('/auth/signin/acme', { csrfToken: await ada.csrfToken() })
    const { url } = await provider.authorize(started.location?.href ?? '')
    await ada.get(url.pathname + url.search)
    await ada.get('/account')
    await app.visitor().get('/account')
  })
  after(async () => {
    await app?.close()
    await provider?.stop()
  })

  const spanOf = (matches: (span: ReadableSpan) => boolean) => {
    const span = exporter.getFinishedSpans().find(matches)
    if (!span) throw new Error('There is no such span.')
    return span
  }

  it('makes spans, in which calls to the provider are below the request', () => {
    const callback = spanOf(({ attributes }) => attributes['latchkey.action'] === 'callback')
    expect(callback.attributes).to.deep.equal({
      'http.request.method': 'GET',
      'latchkey.action': 'callback',
      'latchkey.provider': 'acme',
      'http.response.status_code': 302,
    })
    const call = spanOf(
      ({ name, attributes }) => name === 'latchkey:outgoing-call' && attributes['http.request.method'] === 'POST',
    )
    expect(call.parentSpanContext?.spanId).to.equal(callback.spanContext().spanId)
    expect(call.attributes['server.address']).to.equal(new URL(provider.issuer).host)
    expect(spanOf(({ attributes }) => attributes['latchkey.found'] === true).name).to.equal('latchkey:session-read')
  })

  it('marks the span of a request that failed', async () => {
    await ada.get('/auth/callback/acme?code=x&state=y')
    const failed = spanOf(({ status }) => status.message !== undefined)
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
