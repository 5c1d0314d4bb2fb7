import { isPlainObject } from '../shapes/describe-value.js'

/** The name in an answer's `user` field. It is unsigned, so nothing else of it is used (CVE-2020-26254). */
export function userField(text: string | undefined): { user?: { name: unknown } } {
  if (text === undefined) return {}
  try {
    const user: unknown = JSON.parse(text)
    return isPlainObject(user) && isPlainObject(user.name) ? { user: { name: user.name } } : {}
  } catch {
    // A visitor can send anything here; without a readable name there is none.
    return {}
  }
}
