/**
 * Refuses properties of `SessionProvider` that the types do not allow, for applications in JavaScript. A promise is an
 * object, so it would show every visitor as signed in. No message contains a value of `session`: it is personal data.
 *
 * @throws {Error}
 */
export function checkProperties(basePath: unknown, session: unknown): void {
  if (typeof basePath !== 'string' || !/^\/(?![/\\])/.test(basePath)) {
    const given = JSON.stringify(basePath)
    throw new Error(
      `The basePath of SessionProvider must be a path that begins with one "/", such as "/auth". It is ${given}.`,
    )
  }
  if (session === undefined || session === null) return
  if (isPromise(session)) {
    throw new Error('The session of SessionProvider is a promise. Wait for it: session={await auth()}.')
  }
  if (!isSession(session)) {
    throw new Error(
      'The session of SessionProvider is no session. It must be what the server read, such as await auth(), or null if nobody is signed in.',
    )
  }
}

const isPromise = (value: unknown) => typeof (value as { then?: unknown }).then === 'function'

/** The rule is that of the server for what a `session` callback gives: a session has `user` or `expires`. */
function isSession(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { user, expires } = value as { user?: unknown; expires?: unknown }
  const hasUser = typeof user === 'object' && user !== null
  return (
    hasUser || (typeof expires === 'string' && expires !== '') || typeof expires === 'number' || expires instanceof Date
  )
}
