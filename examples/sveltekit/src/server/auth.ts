import { memoryAdapter } from 'latchkey/adapters/memory'
import { oidcProvider } from 'latchkey/providers'
import Credentials from 'latchkey/providers/credentials'
import Nodemailer from 'latchkey/providers/nodemailer'
import { SvelteKitAuth } from 'latchkey/sveltekit'

const { AUTH_OIDC_ISSUER, AUTH_OIDC_ID, AUTH_OIDC_SECRET, SMTP_URL } = process.env

const oidc = oidcProvider({ id: 'oidc', name: 'OpenID', checks: ['pkce', 'state', 'nonce'] })

// Latchkey takes the secret from AUTH_SECRET, and the public URL from AUTH_URL.
export const { handle, guard, signIn, signOut } = SvelteKitAuth({
  // Users and mailed links are lost when the process ends. Your own application needs a database.
  adapter: memoryAdapter(),
  session: { strategy: 'jwt' },
  providers: [
    Credentials({
      name: 'a password',
      credentials: {
        username: { label: 'User name', autocomplete: 'username', required: true },
        password: { label: 'Password', type: 'password', autocomplete: 'current-password', required: true },
      },
      authorize: ({ username, password }) =>
        username === 'ada' && password === 'analytical engine' ? { id: '1815', name: 'Ada Lovelace' } : null,
    }),
    ...(AUTH_OIDC_ISSUER
      ? [oidc({ issuer: AUTH_OIDC_ISSUER, clientId: AUTH_OIDC_ID ?? '', clientSecret: AUTH_OIDC_SECRET ?? '' })]
      : []),
    ...(SMTP_URL ? [Nodemailer({ server: SMTP_URL, from: 'example@localhost' })] : []),
  ],
  callbacks: {
    // A browser can send anything as an update. Take only the members that you expect, and check them.
    jwt({ token, trigger, session }) {
      if (trigger !== 'update' || typeof session?.name !== 'string') return token
      return { ...token, name: session.name.slice(0, 40) }
    },
    // Which requests `guard` lets pass.
    authorized: ({ auth, request }) => auth !== null || !new URL(request.url).pathname.startsWith('/private'),
  },
})
