import type { Adapter } from '../../lib/adapters/adapter.js'
import type { AccessTokenOptions, AccessTokenResult, AuthConfig } from '../../lib/index.js'
import { perform } from '../../lib/visitor/operations.js'
import type { FakeAnswer, FakeCall, FakeProvider } from './fake-provider.js'
import { callerWith, requestContext } from './request-context.js'
import { goTo, newPerson, oauth, type Person, setProviderUser } from './sign-ins.js'
import { openTestApp, type TestApp, type TestBrowser } from './test-app.js'

/** Tokens in the answers of a {@link RefreshingProvider} have this text in them, so that a test finds them anywhere. */
export const MARK = 'marked-secret'

/** A fake provider that gives tokens for an hour, refreshes them, and ends a refresh token when it is used. */
export class RefreshingProvider {
  /** Seconds that access tokens live. */
  lifetime = 3600
  rotates = true
  /** The refresh tokens that count. */
  readonly live = new Set<string>()
  /** Refresh tokens in the order in which they were used. */
  readonly used: string[] = []
  readonly revoked: string[] = []
  /** Replaces the answer to a refresh; undefined for the usual one. */
  onRefresh: (answer: Record<string, unknown>, call: FakeCall) => FakeAnswer | undefined = () => undefined
  /** Changes the answer at a sign-in. */
  onSignIn: (answer: Record<string, unknown>) => Record<string, unknown> = (answer) => answer
  #count = 0

  constructor(readonly idp: FakeProvider) {}

  /** Lets the provider sign a person in, with good ID tokens by the clock of an app. */
  play(app: Pick<TestApp, 'clock'>, person: Person, type: 'oidc' | 'oauth' = 'oidc'): void {
    setProviderUser(this.idp, app.clock, person, type)
    this.idp.faults.token = (answer, call) => this.#token(answer, call)
  }

  #tokens(answer: Record<string, unknown>, refreshToken?: string): Record<string, unknown> {
    this.#count += 1
    const next = refreshToken ?? `${MARK}-refresh-${this.#count}`
    this.live.add(next)
    return {
      ...answer,
      access_token: `${MARK}-access-${this.#count}`,
      refresh_token: next,
      expires_in: this.lifetime,
    }
  }

  #token(answer: Record<string, unknown>, call: FakeCall): FakeAnswer {
    const given = call.body.get('refresh_token')
    if (given === null) return { body: this.onSignIn(this.#tokens(answer)) }
    this.used.push(given)
    const isLive = this.live.has(given)
    if (isLive && this.rotates) this.live.delete(given)
    const tokens = isLive ? this.#tokens(answer, this.rotates ? undefined : given) : {}
    const chosen = this.onRefresh(tokens, call)
    if (chosen) return chosen
    return isLive ? { body: tokens } : { status: 400, body: { error: 'invalid_grant' } }
  }
}

/** An app with one provider, whose account tokens are tested. */
export function openTokenApp(
  provider: RefreshingProvider,
  adapter: Adapter | undefined,
  more: Partial<AuthConfig> = {},
) {
  return openTestApp({ ...(adapter && { adapter }), providers: [oauth(provider.idp)], ...more })
}

/** Signs a person in with the provider. */
export async function signInAt(
  app: TestApp,
  provider: RefreshingProvider,
  person = newPerson(),
  browser = app.browser(),
): Promise<TestBrowser> {
  provider.play(app, person)
  const answer = await browser.get(await goTo(browser, provider.idp))
  if (answer.location?.includes('error')) throw new Error(`the sign-in failed: ${answer.location}`)
  return browser
}

/** What a route of the application gets for the request of a browser. */
export function accessTokenOf(
  { engine, origin }: Pick<TestApp, 'engine' | 'origin'>,
  browser: Pick<TestBrowser, 'cookieHeader'>,
  options: AccessTokenOptions = {},
  id = 'oidc',
): Promise<AccessTokenResult | null> {
  const context = requestContext(browser.cookieHeader(), origin)
  return perform('getAccessToken', callerWith(engine, context), [id, options])
}
