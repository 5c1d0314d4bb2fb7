import { expect } from 'chai'
import { TRANSACTION_KINDS } from '../../lib/compose.js'
import { createOAuthFlows, type OAuthSteps } from '../../lib/features/oauth/oauth-flow.js'
import type { BackChannelLimits } from '../../lib/kernel/back-channel.js'
import type { CookieChange } from '../../lib/kernel/cookies.js'
import { AuthError } from '../../lib/kernel/errors.js'
import type { LoggerInstance } from '../../lib/kernel/logger.js'
import type { Provider, ProviderEnvironment, ResolvedOAuthProvider } from '../../lib/providers/provider.js'
import { resolveProvider } from '../../lib/providers/resolve-provider.js'
import type { FlowResult } from '../../lib/sign-in/flow.js'
import { createTransactionCookies } from '../../lib/sign-in/transaction-cookies.js'
import { visitOf } from './visit.js'

export const quiet: LoggerInstance = { error: () => {}, warn: () => {}, debug: () => {} }

/** A provider resolved, or an error that lists what is wrong with it. */
export function resolved(
  input: Provider,
  environment: ProviderEnvironment = {},
  redirectProxyUrl?: string,
): ResolvedOAuthProvider {
  const { provider, findings } = resolveProvider(input, {
    environment: () => environment,
    redirectProxyUrl,
    logger: quiet,
  })
  if (!provider) throw new Error(findings.map(({ message }) => message).join('\n'))
  return provider as ResolvedOAuthProvider
}

/** The one-time cookies of a browser, without any network. */
export class CookieJar {
  readonly cookies = new Map<string, string>()
  readonly changes: CookieChange[] = []

  apply(changes: readonly CookieChange[]): void {
    this.changes.push(...changes)
    for (const { name, value, options } of changes) {
      if (options.maxAge === 0) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

export interface DriverOptions {
  readonly secrets?: readonly string[]
  readonly now?: () => number
  readonly backChannel?: BackChannelLimits
  readonly mountUrl?: string
  readonly logger?: LoggerInstance
  readonly redirectProxyHosts?: readonly string[]
}

/** An application that has nothing but the OAuth flow. */
export class OAuthDriver {
  readonly flowOf: (provider: ResolvedOAuthProvider) => OAuthSteps
  readonly mountUrl: string

  constructor({
    secrets = ['a-secret-of-at-least-thirty-two-bytes'],
    now = Date.now,
    backChannel = {},
    mountUrl,
    logger = quiet,
    redirectProxyHosts,
  }: DriverOptions = {}) {
    this.flowOf = createOAuthFlows({
      secrets,
      transactions: createTransactionCookies(TRANSACTION_KINDS, { secret: secrets, 'jwt.secret': secrets }, now),
      asksToRemember: false,
      now,
      logger,
      backChannel,
      ...(redirectProxyHosts && { redirectProxyHosts }),
    })
    this.mountUrl = mountUrl ?? 'https://app.example/auth'
  }

  /** Begins a sign-in in a browser. */
  async start(
    provider: ResolvedOAuthProvider,
    jar: CookieJar,
    params: Record<string, string> | URLSearchParams = {},
    returnTarget = 'https://app.example/',
    initiator: string | null = null,
  ): Promise<URL> {
    const request = this.request(jar, new URLSearchParams(params), returnTarget)
    const started = await this.flowOf(provider).start(request, initiator)
    if (!started || !('url' in started)) throw new Error('the sign-in did not begin')
    jar.apply(started.cookies)
    return new URL(started.url)
  }

  /** Brings an answer back to a browser; its cookies are cleared whatever happens, as the engine does. */
  async finish(provider: ResolvedOAuthProvider, jar: CookieJar, params: URLSearchParams): Promise<FlowResult> {
    const request = this.request(jar, params)
    try {
      const outcome = await this.flowOf(provider).finish(request)
      if (outcome.kind === 'answer' || outcome.kind === 'repeat') throw new Error('no flow asks a GET')
      return outcome
    } finally {
      jar.apply(request.keep.cookies)
    }
  }

  /** A request of a browser in which nobody is signed in. */
  request(jar: CookieJar, params = new URLSearchParams(), returnTarget?: string) {
    return visitOf(this.mountUrl, `/callback?${params}`, {
      cookies: jar.cookies,
      ...(returnTarget && { returnTarget }),
    })
  }
}

/** The identity of an outcome. */
export function identityOf(outcome: FlowResult) {
  if (outcome.kind !== 'identity') throw new Error(`the answer was ${outcome.kind}ed`)
  return outcome.identity
}

/** The error that work fails with; it must be one of ours, of this type. */
export async function failure(work: Promise<unknown>, type: string, message?: RegExp): Promise<AuthError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error, `nothing was thrown, ${type} was expected`).to.be.instanceOf(AuthError)
  expect((error as AuthError).type, (error as AuthError).message).to.equal(type)
  if (message) expect((error as AuthError).message).to.match(message)
  return error as AuthError
}
