// OpenTelemetry gets a span for each request to the mount, each look at a session and each call to a provider; Prometheus gets
// counters and durations. Import this file where the application starts, as app.ts does.
//
// - Labels have few values: names of actions, providers and hosts, and statuses. Never make a label of a user or a path.
// - Watch latchkey_refusals_total{reason="fault"}: these are visitors whom a store or a secret kept out.
// - A function for a message must not throw: Node would end the process.
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, tracingChannel } from 'node:diagnostics_channel'
import { type Attributes, context, type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import type {
  ActionMessage,
  EndOfWork,
  OutgoingCallMessage,
  RefusalMessage,
  SessionReadMessage,
  SignInMessage,
} from 'latchkey'
import { Counter, Histogram } from 'prom-client'

const tracer = trace.getTracer('latchkey')
/** The span of the work that goes on, so that a call to a provider is below the request that made it. */
const current = new AsyncLocalStorage<Span>()

/** Makes a span of each message of a channel, and hands the complete message on. */
function follow<Message extends object>(
  name: string,
  describe: (message: Message) => Attributes,
  measure: (message: Message & EndOfWork) => void = () => {},
) {
  const channel = tracingChannel<Span, Message & EndOfWork>(name)
  const spans = new WeakMap<object, Span>()
  channel.start.bindStore(current, (message) => {
    const outer = current.getStore()
    const parent = outer ? trace.setSpan(context.active(), outer) : context.active()
    const span = tracer.startSpan(name, {}, parent)
    spans.set(message, span)
    return span
  })
  channel.subscribe({
    start() {},
    end() {},
    asyncStart() {},
    asyncEnd(message) {
      const span = spans.get(message)
      span?.setAttributes(describe(message))
      if (message.error !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR, message: message.error })
      span?.end()
      measure(message)
    },
    error() {},
  })
}

const actions = new Histogram({
  name: 'latchkey_action_seconds',
  help: 'Requests to the mount',
  labelNames: ['action', 'status'],
})
const calls = new Histogram({
  name: 'latchkey_outgoing_call_seconds',
  help: 'Calls to providers and mail services',
  labelNames: ['host', 'status'],
})
const signIns = new Counter({ name: 'latchkey_sign_ins_total', help: 'Sign-ins', labelNames: ['provider', 'new_user'] })
const refusals = new Counter({ name: 'latchkey_refusals_total', help: 'Refused requests', labelNames: ['reason'] })

follow<ActionMessage>(
  'latchkey:action',
  ({ method, action, provider, status }) => ({
    'http.request.method': method,
    'latchkey.action': action ?? 'unknown',
    ...(provider !== undefined && { 'latchkey.provider': provider }),
    ...(status !== undefined && { 'http.response.status_code': status }),
  }),
  ({ action, status = 0, duration = 0 }) => actions.observe({ action: action ?? 'unknown', status }, duration / 1000),
)
follow<SessionReadMessage>('latchkey:session-read', ({ found = false }) => ({ 'latchkey.found': found }))
follow<OutgoingCallMessage>(
  'latchkey:outgoing-call',
  ({ method, host, status }) => ({
    'http.request.method': method,
    'server.address': host,
    ...(status !== undefined && { 'http.response.status_code': status }),
  }),
  ({ host, status = 0, duration = 0 }) => calls.observe({ host, status }, duration / 1000),
)
subscribe('latchkey:sign-in', (message) => {
  const { provider, isNewUser } = message as SignInMessage
  signIns.inc({ provider, new_user: String(isNewUser) })
})
subscribe('latchkey:refusal', (message) => refusals.inc({ reason: (message as RefusalMessage).reason }))
