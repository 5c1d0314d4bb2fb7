import type { Adapter } from 'latchkey'
import { memoryAdapter } from 'latchkey/adapters/memory'
import NextAuth from 'latchkey/next'
import { oidcProvider } from 'latchkey/providers'
import Credentials from 'latchkey/providers/credentials'
import Nodemailer from 'latchkey/providers/nodemailer'

// Next.js runs this file once for each of its bundles. A store in memory must be one for all of them; a database is anyway.
const shared = globalThis as { store?: Adapter }
shared.store ??= memoryAdapter()

const Harbour = oidcProvider({ id: 'harbour', name: 'Harbour ID', checks: ['pkce', 'state', 'nonce'] })

export const { handlers, auth, signIn, signOut, unstable_update } = NextAuth({
  adapter: shared.store,
  // The secret is AUTH_SECRET, the client AUTH_HARBOUR_ID, AUTH_HARBOUR_SECRET and AUTH_HARBOUR_ISSUER,
  // and the public URL is AUTH_URL.
  session: { strategy: 'jwt', updateAge: Number(process.env.UPDATE_AGE ?? 24 * 60 * 60) },
  providers: [
    ...(process.env.AUTH_HARBOUR_ISSUER ? [Harbour()] : []),
    Nodemailer({ server: process.env.MAIL_SERVER ?? 'smtp://127.0.0.1:1025', from: 'boats@example.com' }),
    Credentials({
      credentials: { username: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
      authorize: ({ username, password }) =>
        username === 'ada' && password === 'lovelace' ? { id: '1815', name: 'Ada', email: 'ada@example.com' } : null,
    }),
  ],
  callbacks: {
    authorized({ auth, request: { nextUrl } }) {
      return !/^\/(?:papers|letters)(?:\/|$)/.test(nextUrl.pathname) || auth !== null
    },
    jwt: ({ token, trigger, session }) => (trigger === 'update' ? { ...token, name: session.user.name } : token),
  },
})
