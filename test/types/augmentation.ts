// Compiled by `npm run lint`, never run: an application's own members of sessions, tokens and users, added through the package entry.
import express from 'express'
import { type AuthConfig, type DefaultSession, getSession, type JWT, type Session, type User } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'

declare module '../../lib/index.js' {
  interface Session {
    /** As an application would add to what the session shows. */
    visits?: { count: number }
  }
  interface JWT {
    visits?: { count: number }
  }
  interface User {
    visits?: { count: number }
  }
}

type Visits = { count: number } | undefined

export const config: AuthConfig = {
  providers: [Credentials({ authorize: () => ({ id: '1', visits: { count: 1 } }) })],
  callbacks: {
    jwt({ token, user }) {
      const before: Visits = token.visits
      const found: Visits = user?.visits
      // @ts-expect-error the member has the type it was given
      const wrong: string = token.visits
      return { ...token, visits: found ?? before, ...(wrong && {}) }
    },
    session({ session, token }) {
      const own: Visits = session.visits
      return { ...session, visits: token.visits ?? own }
    },
    signIn: ({ user }) => (user.visits?.count ?? 0) < 100,
    authorized: ({ auth }) => (auth?.visits?.count ?? 0) > 0,
  },
  events: {
    session: ({ session, token }) => void ((session.visits satisfies Visits) ?? token?.visits),
    signIn: ({ user }) => void (user.visits satisfies Visits),
  },
}

const app = express()
app.get('/', async (req, res) => {
  const session = await getSession(req, config)
  const visits: Visits = session?.visits
  // @ts-expect-error a member that nobody added
  res.json([visits, session?.visitors])
})

export const typed = (session: Session, token: JWT, user: User): Visits[] => [
  session.visits,
  token.visits,
  user.visits,
  session.user?.visits,
]

/** As Auth.js applications write it: members beside the default ones. */
export type Extended = Session & { user: { role: string } & DefaultSession['user'] }
