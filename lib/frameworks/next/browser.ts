/**
 * What browsers get in place of this integration, and of everything that it imports. Next.js refuses the first import
 * in what it builds for browsers; another bundler lets it through, and the error follows.
 */
import 'server-only'

const refuse = (): never => {
  throw new Error(
    'latchkey/next is for the server, and this code is built for browsers. Import the file with NextAuth(config) only in ' +
      "server components, actions (with 'use server'), route handlers and proxy.ts; in client components use " +
      'latchkey/react or latchkey/client.',
  )
}

export const NextAuth = refuse()
export const AuthError = NextAuth
export const CredentialsSignin = NextAuth
export default NextAuth
