// Registers where spans go, imports telemetry.ts, and serves the metrics.
import { BatchSpanProcessor, ConsoleSpanExporter, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import express from 'express'
import { type AuthConfig, expressAuth, requireAuth } from 'latchkey'
import { oidcProvider } from 'latchkey/providers'
import { register } from 'prom-client'

// In production, an exporter that sends spans to your collector.
new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new ConsoleSpanExporter())] }).register()

const Acme = oidcProvider({ id: 'acme', name: 'Acme', issuer: process.env.ACME_ISSUER ?? 'https://id.acme.example' })
const config: AuthConfig = { providers: [Acme] }

const app = express()
app.use('/auth', expressAuth(config))
app.get('/account', requireAuth(config), (_req, res) => res.json(res.locals.session.user))
// Let only your own network read this.
app.get('/metrics', async (_req, res) => res.type(register.contentType).send(await register.metrics()))

app.listen(3000)
