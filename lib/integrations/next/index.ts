export { AuthError, CredentialsSignin } from '../../errors.js'
export type { Account, Profile, User } from '../../providers/provider.js'
export type { CurrentSession, Session } from '../../sessions/session.js'
export { NextAuth, NextAuth as default } from './next-auth.js'
export type {
  Auth,
  NextAuthConfig,
  NextAuthRequest,
  NextAuthResult,
  PagesContext,
  RedirectOptions,
  RouteContext,
} from './types.js'
