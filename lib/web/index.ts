export type { Redirection } from '../context/outcome.js'
export { isAuthAction } from '../engine/action-names.js'
export { type CookieAttributes, type CookieChange, serializeCookie } from '../http/cookies.js'
export type {
  AuthorizationParams,
  GuardAnswer,
  GuardOptions,
  RequestAuth,
  SessionAnswer,
  SignInRequest,
} from './request-auth.js'
export { appendCookies, forVisitorAlone, privateByDefault, setCookies } from './response-cookies.js'
export { prepareWebAuth, type WebAuth, type WebAuthDefaults, webAuth } from './web-auth.js'
export type { WebRequest, WebRequestFacts } from './web-request.js'
