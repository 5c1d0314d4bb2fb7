/**
 * What the edge runtime gets in place of this integration. It imports nothing, since the package itself cannot be
 * loaded there.
 */
const refuse = (): never => {
  throw new Error(
    "latchkey/next needs the Node.js runtime, and this code is built for the edge runtime. Remove `runtime = 'edge'` " +
      'from the route. Rename middleware.ts to proxy.ts in Next.js 16; in Next.js 15 give it ' +
      "`export const config = { runtime: 'nodejs' }`.",
  )
}

export const NextAuth = refuse()
export const AuthError = NextAuth
export const CredentialsSignin = NextAuth
export default NextAuth
