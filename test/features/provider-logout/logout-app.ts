import { randomUUID } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../../lib/adapters/memory.js'
import type { AuthConfig } from '../../../lib/config/options.js'
import type { OIDCConfig } from '../../../lib/providers/provider.js'
import { type FakeProvider, fakeKey, signWith } from '../../support/fake-provider.js'
import { Clock, openTestApp, type TestApp, type TestBrowser } from '../../support/test-app.js'

/** The member of `events` that makes a token a logout token. */
export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** How sessions are kept. */
export const KINDS = ['database sessions', 'token sessions with revocation'] as const
export type Kind = (typeof KINDS)[number]

/** What a test of logouts opens. */
export interface LogoutApp extends TestApp {
  readonly store: Adapter
  /** Signs a person in at the provider, in a new browser. */
  signInAt(sid?: string, profile?: Record<string, unknown>, browser?: TestBrowser): Promise<TestBrowser>
}

/** An app with one OpenID provider, which may sign people out. */
export function openLogoutApp(
  fake: FakeProvider,
  kind: Kind = 'database sessions',
  {
    provider = {},
    store = memoryAdapter(),
    ...more
  }: Partial<AuthConfig> & { provider?: Partial<OIDCConfig<unknown>>; store?: Adapter } = {},
): LogoutApp {
  const entry = {
    id: 'op',
    name: 'OP',
    type: 'oidc',
    issuer: fake.issuer,
    clientId: 'client',
    clientSecret: 'marked-client-secret',
    checks: ['pkce', 'state', 'nonce'],
    backChannelLogout: true,
    frontChannelLogout: true,
    ...provider,
  } as OIDCConfig<unknown>
  const session =
    kind === 'database sessions' ? {} : { session: { strategy: 'jwt' as const, revocation: { store, checkEvery: 0 } } }
  const app = openTestApp({ providers: [entry], adapter: store, ...session, ...more }, { clock: new Clock(Date.now()) })
  return {
    ...app,
    store,
    async signInAt(sid, profile = {}, browser = app.browser()) {
      fake.faults.claims = (claims) => ({ ...claims, ...(sid !== undefined && { sid }), ...profile })
      const started = await browser.post('/auth/signin/op', { csrfToken: await browser.csrfToken() })
      const answer = fake.authorize(started.location ?? '')
      const finished = await browser.get(`/auth/callback/op?${answer}`)
      if (!/^http:\/\/app\.example\/?$/.test(finished.location ?? ''))
        throw new Error(`sign-in led to ${finished.location}`)
      return browser
    },
  }
}

/** The claims of a good logout token. */
export const logoutClaims = (fake: FakeProvider, more: Record<string, unknown> = {}): JWTPayload => {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: fake.issuer,
    aud: 'client',
    iat: now,
    exp: now + 120,
    jti: randomUUID(),
    sid: 'session-1',
    events: { [LOGOUT_EVENT]: {} },
    ...more,
  }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}

/** A logout token, signed as the provider does. */
export const logoutToken = async (
  fake: FakeProvider,
  more: Record<string, unknown> = {},
  header: Record<string, unknown> = { typ: 'logout+jwt' },
): Promise<string> => signWith(await fakeKey('key-1'), logoutClaims(fake, more), header)

/** What the provider does at the back-channel endpoint: it has no cookies. */
export const sendLogout = (app: TestApp, token: string, provider = 'op') =>
  app.browser().post(`/auth/backchannel-logout/${provider}`, { logout_token: token })
