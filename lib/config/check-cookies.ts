import { type CookieOption, type CookiesOptions, isForOtherSites, serializeCookie } from '../http/cookies.js'
import type { Finding } from '../providers/provider.js'
import { invalid } from './configuration-error.js'

/** What is wrong with the names and attributes that the application gives to cookies. */
export function checkCookies(cookies: Partial<CookiesOptions>): Finding[] {
  return Object.entries(cookies).flatMap(([key, cookie]): Finding[] => {
    const problem = typeof cookie === 'object' ? (cookieProblem(cookie) ?? ownHostProblem(key, cookie)) : null
    return problem === null ? [] : [invalid(`\`cookies.${key}\` ${problem}`)]
  })
}

/** That nobody adds to another's user depends on `ownSignIn`: with the prefix `__Host-`, no other host of the domain can set it. */
const ownHostProblem = (key: string, { options: { domain, path = '/' } = {} }: Partial<CookieOption>): string | null =>
  key === 'ownSignIn' && (domain || path !== '/')
    ? 'must have the path / and no domain, so that no other host of the domain can set it.'
    : null

function cookieProblem({ name, options = {} }: Partial<CookieOption>): string | null {
  if (name !== undefined && !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) {
    return 'has a name with a character that no cookie name may have.'
  }
  const { domain, path = '/', secure } = options
  if (isForOtherSites(options) && secure === false) {
    return 'has sameSite "none", with which browsers take only secure cookies. Set secure: true, or another sameSite.'
  }
  if (name?.startsWith('__Host-') && (domain || path !== '/' || secure === false)) {
    return 'begins with __Host-, so it must be secure, with path / and no domain.'
  }
  if (name?.startsWith('__Secure-') && secure === false) return 'begins with __Secure-, so it must be secure.'
  try {
    serializeCookie({ name: 'name', value: '', options })
    return null
  } catch (error) {
    return `cannot be sent: ${error instanceof Error ? error.message : 'an option is invalid'}.`
  }
}
