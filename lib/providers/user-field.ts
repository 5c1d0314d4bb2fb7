import { isPlainObject } from '../kernel/describe-value.js'

/** The name in the `user` field of a response. The field is not signed, so nothing else in it is used (CVE-2020-26254). */
export function userField(text: string | undefined): { user?: { name: unknown } } {
  if (text === undefined) return {}
  try {
    const user: unknown = JSON.parse(text)
    return isPlainObject(user) && isPlainObject(user.name) ? { user: { name: user.name } } : {}
  } catch {
    // A visitor can send anything here. Without readable JSON there is no name.
    return {}
  }
}
