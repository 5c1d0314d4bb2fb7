// Compiled by `npm run lint`, never run: what a configuration may say, and what its callbacks are given.
import type { AuthConfig as AuthJsConfig } from '@auth/core'
import AuthJsCredentials from '@auth/core/providers/credentials'
import AuthJsGitHub from '@auth/core/providers/github'
import AuthJsKeycloak from '@auth/core/providers/keycloak'
import AuthJsEntra from '@auth/core/providers/microsoft-entra-id'
import AuthJsNodemailer from '@auth/core/providers/nodemailer'
import {
  type Account,
  type AppProvider,
  Auth,
  type AuthConfig,
  AuthError,
  CredentialsSignin,
  type ErrorType,
  type ExpressAuthConfig,
  expressAuth,
  type JWT,
  type Profile,
  type PublicProvider,
  type RedirectableProviderType,
  type ResponseInternal,
  raw,
  type SemverString,
  type Session,
  skipCSRFCheck,
  type User,
} from '../../lib/index.js'
import GitHub, * as everythingOfGitHub from '../../lib/providers/catalogue/github.js'
import Google from '../../lib/providers/catalogue/google.js'
import Credentials from '../../lib/providers/credentials.js'

class LockedOut extends CredentialsSignin {
  override code = 'locked-out'
}

export const whole = {
  providers: [
    GitHub,
    GitHub({ clientId: 'id', clientSecret: 'secret' }),
    Google({ authorization: { params: { prompt: 'consent' } }, allowDangerousEmailAccountLinking: true }),
    Credentials({
      credentials: { username: { label: 'User name', autocomplete: 'username' }, password: { type: 'password' } },
      async authorize(credentials, request) {
        const name: unknown = credentials.username
        // @ts-expect-error what was entered can be anything, JSON included
        const text: string = credentials.username
        // @ts-expect-error no such field on the form
        credentials.nickname
        if (request.headers.has('x-locked')) throw new LockedOut()
        return typeof name === 'string' ? { id: text, name } : null
      },
    }),
    {
      id: 'acme',
      name: 'Acme',
      type: 'oidc',
      issuer: 'https://acme.example',
      clientId: 'id',
      checks: ['pkce', 'nonce'],
    },
  ],
  secret: ['new', 'old'],
  session: {
    strategy: 'jwt',
    maxAge: 3600,
    remember: { maxAge: 86400 },
    updateAge: 0,
    generateSessionToken: () => 'token',
  },
  jwt: {
    maxAge: 60,
    secret: 'secret',
    encode: ({ token, secret, maxAge, salt }) => JSON.stringify([token?.sub, secret, maxAge, salt]),
    decode: async ({ token }) => (token ? { sub: token } : null),
  },
  callbacks: {
    signIn({ user, account, profile, credentials, email }) {
      const given: [User, Account | null | undefined, Profile | undefined] = [user, account, profile]
      const entered: unknown = credentials?.['username']
      return email?.verificationRequest ? '/mail' : given.length > 0 && entered !== ''
    },
    redirect: ({ url, baseUrl }) => (url.startsWith('/') ? baseUrl + url : baseUrl),
    jwt({ token, user, account, profile, trigger, session }) {
      // @ts-expect-error there is no such trigger
      if (trigger === 'signOut') return null
      if (trigger === 'update') return { ...token, name: session.name }
      if (trigger === 'signIn' || trigger === 'signUp')
        return { ...token, access: account?.access_token, locale: profile?.locale, id: user?.id }
      return token.exp && token.exp * 1000 > Date.now() ? token : null
    },
    session({ session, token, trigger, newSession }) {
      const shown: Session = session
      const sub: string | undefined = token.sub
      return trigger === 'update' ? { ...shown, ...newSession } : { ...shown, sub }
    },
    authorized: ({ auth, request }) => (auth ? true : Response.redirect(new URL('/login', request.url))),
  },
  events: {
    signIn({ user, account, isNewUser }) {
      console.log(user.email, account?.provider, isNewUser)
    },
    async signOut(message) {
      if ('token' in message) console.log(message.token?.sub)
      else console.log(message.session)
    },
  },
  pages: { signIn: '/login', error: '/oops' },
  cookies: { sessionToken: { name: 'sid', options: { domain: 'app.example', sameSite: 'strict' } } },
  logger: {
    error(error) {
      if (error instanceof AuthError) console.error(error.type satisfies ErrorType, error.cause?.err)
    },
    warn: (code) => void (code satisfies string),
  },
  theme: { colorScheme: 'dark', brandColor: '#123456' },
  trustHost: true,
  hosts: ['app.example', '*.app.example'],
  useSecureCookies: true,
  basePath: '/auth',
  url: 'https://app.example',
  redirectProxyUrl: 'https://proxy.example/auth',
  skipCSRFCheck,
} satisfies AuthConfig

export const refused = [
  // @ts-expect-error there are providers, or there is no way to sign in
  { secret: 'x' },
  // @ts-expect-error no such option
  { providers: [], sessions: {} },
  // @ts-expect-error no such strategy
  { providers: [], session: { strategy: 'cookie' } },
  // @ts-expect-error a page is a path
  { providers: [], pages: { signIn: true } },
  // @ts-expect-error no such callback
  { providers: [], callbacks: { signin: () => true } },
  // @ts-expect-error nobody could sign in without a result
  { providers: [], callbacks: { async signIn() {} } },
  // @ts-expect-error nor here
  { providers: [], callbacks: { signIn() {} } },
  // @ts-expect-error nor have a token
  { providers: [], callbacks: { async jwt() {} } },
  // @ts-expect-error nor be seen
  { providers: [], callbacks: { async session() {} } },
  // @ts-expect-error nor pass
  { providers: [], callbacks: { async authorized() {} } },
  // @ts-expect-error nor sign in with a password
  { providers: [Credentials({ credentials: {}, async authorize() {} })] },
  // @ts-expect-error a look-up that finds nothing says null
  { providers: [Credentials({ authorize: () => [{ id: '1' }].find(({ id }) => id === '2') })] },
  // @ts-expect-error whether somebody may sign in is no number
  { providers: [], callbacks: { signIn: () => 1 } },
  { providers: [], callbacks: { signIn: () => ({ session: { maxAge: 3600 } }) } },
  { providers: [], callbacks: { signIn: async () => ({ session: { maxLifetime: 3600 } }) } },
  // @ts-expect-error no such lifetime
  { providers: [], callbacks: { signIn: () => ({ session: { maxAge: '1h' } }) } },
  // @ts-expect-error it needs its time
  { providers: [], session: { remember: {} } },
  // @ts-expect-error only the marker turns the protection off
  { providers: [], skipCSRFCheck: true },
  // @ts-expect-error hosts are a list
  { providers: [], hosts: 'app.example' },
  // @ts-expect-error no such colour scheme
  { providers: [], theme: { colorScheme: 'blue' } },
  // @ts-expect-error no such event
  { providers: [], events: { signin: () => {} } },
  // @ts-expect-error no such option of sessions
  { providers: [], session: { maxage: 60 } },
  // @ts-expect-error no such attribute
  { providers: [], cookies: { state: { options: { samesite: 'lax' } } } },
  // @ts-expect-error a number of seconds
  { providers: [], session: { maxAge: '30d' } },
  // @ts-expect-error what the environment holds is a text
  { providers: [], trustHost: process.env['AUTH_TRUST_HOST'] },
  // @ts-expect-error null is no text
  { providers: [], pages: { newUser: null } },
  // @ts-expect-error data of the application's own has a place
  { providers: [], tenant: 'acme' },
  { providers: [], custom: { tenant: 'acme' } },
  // @ts-expect-error a list of providers
  { providers: {} },
  // @ts-expect-error one that is not there
  { providers: [undefined] },
  // @ts-expect-error a list in the list
  { providers: [[GitHub]] },
  // @ts-expect-error a promise
  { providers: [import('../../lib/providers/catalogue/github.js')] },
  // @ts-expect-error a whole module
  { providers: [everythingOfGitHub] },
  // @ts-expect-error a function that gives a promise
  { providers: [async () => GitHub()] },
  // @ts-expect-error nobody could sign in
  { providers: [Credentials()] },
  // @ts-expect-error nor with this
  { providers: [Credentials({ credentials: {} })] },
  // @ts-expect-error no such option
  { providers: [GitHub({ clientID: 'id' })] },
  // @ts-expect-error no such style
  { providers: [GitHub({ style: { brandcolor: '#fff' } })] },
  // @ts-expect-error no such member of a provider
  { providers: [{ id: 'acme', name: 'Acme', type: 'oidc', issuerr: 'https://acme.example' }] },
  { providers: [{ id: 'acme', name: 'Acme', type: 'oidc', custom: { tenant: 'acme' }, knownOptions: ['plan'] }] },
  // @ts-expect-error no such cookie
  { providers: [], cookies: { session: { name: 'sid' } } },
] satisfies AuthConfig[]

// The answer's type follows the marker.
export async function answers(request: Request) {
  const response: Response = await Auth(request, { providers: [] })
  const internal: ResponseInternal = await Auth(request, { providers: [], raw })
  // @ts-expect-error an internal answer is no Response
  const mixed: Response = await Auth(request, { providers: [], raw })
  return [response, internal, mixed]
}

// What an application of Auth.js hands over as it is.
const moved: AuthJsConfig['callbacks'] = {
  jwt: ({ token, user }) => (user ? { ...token, id: user.id } : token),
  session: ({ session }) => session,
  signIn: ({ user, account }) => Boolean(user.email) && account?.provider === 'github',
  redirect: ({ url, baseUrl }) => (url.startsWith(baseUrl) ? url : baseUrl),
}
export const fromAuthJs: AuthConfig = {
  providers: [
    AuthJsGitHub,
    AuthJsGitHub({ clientId: 'id' }),
    AuthJsKeycloak({ issuer: 'https://acme.example' }),
    AuthJsEntra,
    AuthJsNodemailer,
    AuthJsCredentials({ authorize: () => ({ id: '1' }) }),
  ],
  callbacks: { jwt: moved?.jwt as never },
}

export const claims: JWT = { sub: '1', anything: { at: 'all' } }

// Names of the specification that no function of ours takes or gives.
export const listed = (provider: PublicProvider): AppProvider => provider
export const kinds = ['email', 'credentials'] satisfies RedirectableProviderType[]
export const versions = ['v9', 'v9.0', 'v9.0.1'] satisfies SemverString[]
// @ts-expect-error a version begins with v
export const unversioned: SemverString = '9.0.1'

// @ts-expect-error a promise is awaited first
expressAuth(Promise.resolve(whole))

// An application that comes from @auth/express names its configuration so.
export const named: ExpressAuthConfig = { providers: [GitHub] }
expressAuth(named)
