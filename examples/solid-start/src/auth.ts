import { memoryAdapter } from 'latchkey/adapters/memory'
import { oidcProvider } from 'latchkey/providers'
import Credentials from 'latchkey/providers/credentials'
import Nodemailer from 'latchkey/providers/nodemailer'
import type { SolidAuthConfig } from 'latchkey/solid-start'

const { OIDC_ISSUER, OIDC_ID, OIDC_SECRET, SMTP_URL } = process.env

/** SolidStart 1 has this file in two bundles, and both need the same users. */
const shared = globalThis as { store?: ReturnType<typeof memoryAdapter> }
shared.store ??= memoryAdapter()

/** Only server code imports this file: it has the secrets. */
export const config: SolidAuthConfig = {
  // Users and mailed links are gone after a restart; a real application has a database.
  adapter: shared.store,
  session: { strategy: 'jwt' },
  providers: [
    Credentials({
      credentials: { username: { label: 'User name' }, password: { label: 'Password', type: 'password' } },
      authorize: ({ username, password }) =>
        username === 'ada' && password === 'lovelace'
          ? { id: '1815', name: 'Ada Lovelace', email: 'ada@example.com' }
          : null,
    }),
    ...(OIDC_ISSUER
      ? [
          oidcProvider({
            id: 'company',
            name: 'Company',
            issuer: OIDC_ISSUER,
            clientId: OIDC_ID,
            clientSecret: OIDC_SECRET,
          }),
        ]
      : []),
    ...(SMTP_URL ? [Nodemailer({ server: SMTP_URL, from: 'notes@example.com' })] : []),
  ],
  callbacks: {
    jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, name: String(session.name) } : token),
    authorized: ({ auth, request }) => auth !== null || !new URL(request.url).pathname.startsWith('/members'),
  },
}
