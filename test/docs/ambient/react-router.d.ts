/** The module that the recipe for React Router makes first. */
declare module '~/auth.server' {
  export const auth: import('../../../lib/frameworks/web/index.js').WebAuth
  export const sessionContext: import('react-router').RouterContext<import('../../../lib/index.js').Session | null>
  export const guard: import('react-router').MiddlewareFunction<Response>
}
