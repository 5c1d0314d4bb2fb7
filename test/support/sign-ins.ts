import type { Adapter, AdapterUser } from '../../lib/adapters/adapter.js'
import type { AuthConfig, Provider } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import Email from '../../lib/providers/email.js'
import type { EmailUserConfig } from '../../lib/providers/provider.js'
import type { FakeProvider } from './fake-provider.js'
import type { Clock, TestBrowser, TestResponse } from './test-app.js'

/** Somebody who signs in, whichever way. */
export interface Person {
  /** Their id at the provider. */
  readonly sub: string
  readonly email: string | null
  readonly name: string
  /** What the provider says of the address; most of these tests' providers say nothing. */
  readonly emailVerified?: boolean | string
}

let count = 0

/** A person whom no store has seen. */
export function newPerson(email: string | null = 'yes'): Person {
  count += 1
  const sub = `person-${process.pid}-${count}`
  return { sub, email: email && `${sub}@example.com`, name: 'Ada' }
}

/** A provider that speaks OpenID Connect or OAuth 2. */
export const oauth = (idp: FakeProvider, type: 'oidc' | 'oauth' = 'oidc', more: object = {}): Provider =>
  ({
    id: type,
    name: type,
    type,
    clientId: 'client',
    clientSecret: 'secret',
    ...(type === 'oidc'
      ? { issuer: idp.issuer }
      : {
          authorization: `${idp.issuer}/authorize`,
          token: `${idp.issuer}/token`,
          userinfo: `${idp.issuer}/userinfo`,
        }),
    ...more,
  }) as Provider

/** Sets the user whom the fake provider signs in, with ID tokens that are good by the clock of a test app. */
export function setProviderUser(
  idp: FakeProvider,
  clock: Pick<Clock, 'seconds'>,
  { sub, email, name, emailVerified }: Person,
  type: 'oidc' | 'oauth' = 'oidc',
) {
  idp.profile = {
    sub,
    name,
    ...(email !== null && { email }),
    ...(emailVerified !== undefined && { email_verified: emailVerified }),
  }
  idp.faults = {
    claims: (claims) => ({ ...claims, iat: clock.seconds, exp: clock.seconds + 300 }),
    ...(type === 'oauth' && { idToken: () => undefined, answer: (params) => params.delete('iss') }),
  }
}

/** Goes to a provider and agrees there; gives the path that the browser is then sent back to. */
export async function goTo(browser: TestBrowser, idp: FakeProvider, id = 'oidc'): Promise<string> {
  const { location } = await browser.post(`/auth/signin/${id}`, { csrfToken: await browser.csrfToken() })
  return `/auth/callback/${id}?${idp.authorize(location ?? '')}`
}

/** Links that were sent, by address. */
export class Mailbox {
  readonly links = new Map<string, URL>()

  provider(options: EmailUserConfig = {}): Provider {
    return Email({
      sendVerificationRequest: ({ identifier, url }) => void this.links.set(identifier, new URL(url)),
      ...options,
    })
  }

  /** The path of the last link that was sent to an address. */
  pathFor(address: string | null): string {
    const link = this.links.get(address ?? '')
    if (!link) throw new Error(`no mail for ${address}`)
    return link.pathname + link.search
  }
}

/** Asks for a link; gives the path that the mail has. */
export async function askForLink(browser: TestBrowser, mailbox: Mailbox, address: string | null): Promise<string> {
  await browser.post('/auth/signin/email', { csrfToken: await browser.csrfToken(), email: address ?? '' })
  return mailbox.pathFor(address)
}

/** Presses the button of the page that a link opens in a browser that did not ask for it. */
export async function confirmLink(browser: TestBrowser, path: string): Promise<TestResponse> {
  const query = new URLSearchParams(path.split('?')[1])
  const fields = { token: query.get('token') ?? '', email: query.get('email') ?? '' }
  return browser.post('/auth/callback/email', { csrfToken: await browser.csrfToken(), ...fields })
}

/** Credentials of an application that keeps its users in the same store: whoever comes first is made. */
export const registering = (adapter: Required<Adapter>): Provider =>
  Credentials({
    credentials: { email: {} },
    async authorize({ email }) {
      const address = String(email)
      const fields = { id: crypto.randomUUID(), name: 'Ada', email: address, emailVerified: null } as AdapterUser
      return (await adapter.getUserByEmail(address)) ?? (await adapter.createUser(fields))
    },
  })

/** A configuration in which a client may change the name that is shown. */
export const renaming = (adapter: Required<Adapter>): Pick<AuthConfig, 'callbacks'> => ({
  callbacks: {
    jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, name: session.name } : token),
    async session({ session, user, newSession }) {
      if (user && newSession) await adapter.updateUser({ id: user.id, name: newSession.name })
      const { name, email } = { ...(user ?? session.user), ...newSession }
      return { user: { name, email }, expires: new Date(session.expires).toISOString() }
    },
  },
})
