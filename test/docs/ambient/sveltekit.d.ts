/** As much of SvelteKit as the snippets of its guide use. The example of `examples/sveltekit` is checked with the real types. */
declare module '@sveltejs/kit' {
  type Kit = import('../../../lib/frameworks/sveltekit/event.js').SvelteKitEvent
  type AuthLocals = import('../../../lib/frameworks/sveltekit/event.js').AuthLocals
  export interface RequestEvent extends Kit {
    readonly locals: AuthLocals
    readonly route: { readonly id: string | null }
  }
  export type ServerLoadEvent = RequestEvent
  export function redirect(status: 303, location: string): never
  export function fail<Data>(status: number, data: Data): Data
}

declare module '@sveltejs/kit/hooks' {
  type Handle = import('../../../lib/frameworks/sveltekit/event.js').SvelteKitHandle
  export function sequence(...handles: Handle[]): Handle
}

declare module '#lib/server/auth' {
  type Result = import('../../../lib/frameworks/sveltekit/sveltekit-auth.js').SvelteKitAuthResult
  export const handle: Result['handle']
  export const guard: Result['guard']
  export const signIn: Result['signIn']
  export const signOut: Result['signOut']
  export const GET: Result['GET']
  export const POST: Result['POST']
}
