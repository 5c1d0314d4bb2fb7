/**
 * What Latchkey imports of SvelteKit 2 and 3. The package itself is an optional peer. This file is for the compiler only:
 * it does not get into `dist/`, so applications see the types of their own SvelteKit.
 */
declare module '@sveltejs/kit' {
  export function redirect(status: 302, location: string, options?: { readonly external: true }): never
}
