import type { AuthjsOptions } from '../servers/authjs.js'
import type { BetterAuthOptions } from '../servers/better-auth.js'
import type { LatchkeyOptions } from '../servers/latchkey.js'
import type { Browser } from './browser.js'
import { emailOf, nameOf } from './people.js'

/** Signs a person in with the cookies of a browser. */
export type SignIn = (browser: Browser, origin: string, person: number) => Promise<void>

/** A server that takes part. */
export interface Contestant {
  readonly name: string
  /** A file of `servers/`. */
  readonly file: string
  readonly options?: object
  /** Null where nobody has to sign in. */
  readonly signIn: SignIn | null
}

/** The sign-in of Auth.js and Latchkey: a CSRF token first, then the credentials with it. */
export const withCredentials: SignIn = async (browser, origin, person) => {
  const { csrfToken } = JSON.parse((await browser.get(`${origin}/auth/csrf`)).body)
  const form = { csrfToken, person: String(person) }
  const { status, head } = await browser.post(`${origin}/auth/callback/credentials`, { form })
  if (status !== 302 || !head.includes('session-token=')) throw new Error(`Signing in with credentials gave:\n${head}`)
}

const withSignUp: SignIn = async (browser, origin, person) => {
  const json = { name: nameOf(person), email: emailOf(person), password: 'a password' }
  const { status, body } = await browser.post(`${origin}/api/auth/sign-up/email`, { json })
  if (status !== 200) throw new Error(`Signing up answered ${status}: ${body}`)
}

/** At a route of the benchmark's own, which begins a session by the package's means. */
const atRoute: SignIn = async (browser, origin, person) => {
  const { status, body } = await browser.post(`${origin}/sign-in?person=${person}`)
  if (status !== 204) throw new Error(`Signing in answered ${status}: ${body}`)
}

export const bare: Contestant = { name: 'Express alone', file: 'bare', signIn: null }

export const latchkey = (name: string, options: LatchkeyOptions = {}): Contestant => ({
  name,
  file: 'latchkey',
  options,
  signIn: withCredentials,
})

export const authjs = (name: string, options: AuthjsOptions = {}): Contestant => ({
  name,
  file: 'authjs',
  options,
  signIn: options.storesSessions ? atRoute : withCredentials,
})

export const betterAuth = (name: string, options: BetterAuthOptions = {}): Contestant => ({
  name,
  file: 'better-auth',
  options,
  signIn: withSignUp,
})

export const expressOpenIdConnect: Contestant = {
  name: 'express-openid-connect',
  file: 'express-openid-connect',
  signIn: atRoute,
}

export const ironSession: Contestant = { name: 'iron-session', file: 'iron-session', signIn: atRoute }

export const passport: Contestant = { name: 'passport + express-session, memory', file: 'passport', signIn: atRoute }
