import { expect } from 'chai'
import type { Adapter } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { TRANSACTION_KINDS } from '../../lib/compose.js'
import { emailSteps } from '../../lib/features/email/email-flow.js'
import type { BodyFields } from '../../lib/kernel/body.js'
import type { CookieChange } from '../../lib/kernel/cookies.js'
import { completeLogger, type LoggerInstance } from '../../lib/kernel/logger.js'
import type { Theme } from '../../lib/pages/theme.js'
import Email from '../../lib/providers/email.js'
import type {
  EmailConfig,
  EmailUserConfig,
  MailMessage,
  ResolvedEmailProvider,
  SendVerificationRequestParams,
} from '../../lib/providers/provider.js'
import { resolveProvider } from '../../lib/providers/resolve-provider.js'
import type { SignInCallback } from '../../lib/sign-in/ask-signin.js'
import { createTransactionCookies } from '../../lib/sign-in/transaction-cookies.js'
import { createLog, SECRET } from './app.js'
import { storeOver } from './open-store.js'
import { Clock } from './test-app.js'
import { type VisitOptions, visitOf } from './visit.js'

export const ORIGIN = 'https://app.example'
export const ADDRESS = 'ada@example.com'
const MOUNT_URL = `${ORIGIN}/auth`

/** An e-mail provider as a configuration has it, resolved. */
export function resolved(provider: EmailConfig, environment: Record<string, string> = {}) {
  const resolution = resolveProvider(provider, {
    environment: (id) => (environment[id] ? { apiKey: environment[id] } : {}),
    redirectProxyUrl: undefined,
    logger: completeLogger(createLog().logger, false),
  })
  if (resolution.provider) return resolution.provider as ResolvedEmailProvider
  throw new Error(resolution.findings.map(({ message }) => message).join('\n'))
}

/** Notes the calls of an adapter, and answers them a moment later, as a database would. */
export function slowAdapter(adapter: Adapter = memoryAdapter()) {
  const calls: string[] = []
  const wrapped = Object.fromEntries(
    Object.entries(adapter).map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        calls.push(name)
        await new Promise((resolve) => setTimeout(resolve, 1))
        return (method as (...args: unknown[]) => unknown)(...args)
      },
    ]),
  ) as unknown as Required<Adapter>
  return { adapter: wrapped, calls }
}

export interface MailFlowOptions {
  /** Options of a provider that puts its mails into the mailbox. */
  readonly options?: EmailUserConfig
  /** A provider that does something else. */
  readonly provider?: EmailConfig
  readonly adapter?: Adapter
  readonly secrets?: readonly string[]
  readonly signIn?: SignInCallback
  readonly theme?: Theme
  readonly clock?: Clock
  readonly logger?: LoggerInstance
  readonly sendTimeoutMs?: number
}

/** The flow of one provider, with a mailbox, a clock and a store of its own. */
export function openMailFlow({
  options = {},
  adapter = memoryAdapter(),
  secrets = [SECRET],
  signIn,
  theme = {},
  clock = new Clock(),
  ...more
}: MailFlowOptions = {}) {
  const mails: SendVerificationRequestParams[] = []
  const log = createLog()
  const deliver = (params: SendVerificationRequestParams) => {
    mails.push(params)
  }
  const provider = resolved(more.provider ?? Email({ sendVerificationRequest: deliver, ...options }))
  const logger = more.logger ?? completeLogger(log.logger, false)
  const flow = emailSteps(provider, {
    origin: { url: new URL(ORIGIN), trustHost: true, hosts: null },
    store: storeOver(adapter),
    secrets,
    transactions: createTransactionCookies(TRANSACTION_KINDS, { secret: secrets, 'jwt.secret': secrets }, clock.now),
    asksToRemember: false,
    theme,
    now: clock.now,
    logger,
    ...(more.sendTimeoutMs === undefined ? {} : { sendTimeoutMs: more.sendTimeoutMs }),
  })
  return { mails, log, provider, flow, clock, adapter, browser: () => new MailBrowser(flow, provider.id, signIn) }
}

/** A browser in front of a flow: keeps its cookies, and nothing else. */
export class MailBrowser {
  readonly jar = new Map<string, string>()

  /** The cookies by which the browser is recognised when it follows a link. */
  get marks(): readonly (readonly [name: string, value: string])[] {
    return [...this.jar].filter(([name]) => name.includes('email-request'))
  }

  constructor(
    readonly flow: ReturnType<typeof emailSteps>,
    readonly id: string,
    readonly signIn: SignInCallback | null = null,
  ) {}

  /** Asks for a link. */
  async ask(email: unknown = ADDRESS, callbackUrl = `${ORIGIN}/inbox`) {
    const fields = { csrfToken: 'x', email }
    const request = await this.#request(`/signin/${this.id}`, { method: 'POST', fields, returnTarget: callbackUrl })
    const started = await this.flow.start(request, null)
    if ('cookies' in started) this.#take(started.cookies)
    return started
  }

  /** Opens a link. */
  open(link: string, headers: Record<string, string> = {}) {
    return this.#finish(link.slice(MOUNT_URL.length), { headers })
  }

  /** Presses the button of the page that the link shows. */
  async press(link: string) {
    const shown = await this.open(link)
    if (shown.kind !== 'confirm') throw new Error(`no page was shown, but: ${shown.kind}`)
    return this.post(shown.fields)
  }

  /** Posts a form to the callback. */
  post(fields: BodyFields, search = '') {
    return this.#finish(`/callback/${this.id}${search}`, { method: 'POST', fields })
  }

  async #finish(target: string, options: Omit<VisitOptions, 'cookies'>) {
    const request = await this.#request(target, options)
    const ended = await this.flow.finish(request)
    this.#take(request.keep.cookies)
    if (ended.kind !== 'answer') return ended
    const { outcome } = ended
    if (outcome.kind !== 'page' || outcome.view.page !== 'confirm') throw new Error(`the answer was: ${outcome.kind}`)
    const { identifier, fields } = outcome.view
    return { kind: 'confirm' as const, identifier, fields: Object.fromEntries(fields) }
  }

  async #request(target: string, options: Omit<VisitOptions, 'cookies'>) {
    const visit = visitOf(MOUNT_URL, target, { ...options, cookies: this.jar, signIn: this.signIn })
    await visit.readBody(null)
    return visit
  }

  #take(changes: readonly CookieChange[]): void {
    for (const { name, value, options } of changes) {
      if (options.maxAge === 0) this.jar.delete(name)
      else this.jar.set(name, value)
    }
  }
}

/** Expects that a mail of Acme is in a language, with all its texts, and in short lines. */
export function expectWholeMail({ subject, html, text }: MailMessage, language: string): void {
  expect(html).to.include(`<html lang="${language}"`)
  expect(subject + text)
    .to.include('Acme')
    .and.not.match(/\{|undefined/)
  for (const line of text.split('\n')) expect([...line].length, line).to.be.below(79)
}
