/** Routes that the test adds to the example, and a configuration that it can change: their texts by path. */
export const FILES: Readonly<Record<string, string>> = {
  // The routes below /unguarded are not behind the proxy.
  'proxy.ts': `
    export { auth as proxy } from './auth'
    export const config = { matcher: ['/((?!_next/static|unguarded).*)'] }`,
  'app/unguarded/page.tsx': `
    import { auth } from '../../auth'
    export default async function Page() {
      return <h1>Seen: {(await auth())?.user?.name ?? 'nobody'}</h1>
    }`,
  'app/unguarded/stream/page.tsx': `
    import { Suspense } from 'react'
    import { auth } from '../../../auth'
    async function Late() {
      await new Promise((resolve) => setTimeout(resolve, 30))
      return <h1>Seen: {(await auth())?.user?.name ?? 'nobody'}</h1>
    }
    export default function Page() {
      return <Suspense fallback={<p>Wait</p>}><Late /></Suspense>
    }`,
  'app/unguarded/open/route.ts': `
    import { signIn } from '../../../auth'
    export async function GET(request: Request) {
      const redirectTo = new URL(request.url).searchParams.get('to') ?? '/'
      await signIn('harbour', { redirectTo })
    }`,
  'app/papers/rules/page.tsx': `
    export default function Rules() {
      return <h1>Rules for members</h1>
    }`,
  'next.config.ts': `
    export default {
      turbopack: { root: import.meta.dirname },
      distDir: process.env.DIST ?? '.next',
      cacheComponents: process.env.CACHE_COMPONENTS === 'yes',
      typescript: { ignoreBuildErrors: process.env.DIST !== undefined },
    }`,
}

/** Files that must stop a build, each with what the build says. */
export const VARIANTS: Readonly<
  Record<string, { files: Readonly<Record<string, string>>; env?: Record<string, string>; says: RegExp }>
> = {
  'a client component that imports the configuration': {
    files: {
      'app/variant/client.tsx': `'use client'
        import { auth } from '../../auth'
        export function Client() { return <p>{typeof auth}</p> }`,
      'app/variant/page.tsx': `
        import { Client } from './client'
        export default function Page() { return <Client /> }`,
    },
    says: /server-only[\s\S]*latchkey\/next is for the server/,
  },
  'a route on the edge runtime': {
    files: {
      'app/variant/route.ts': `
        import { auth } from '../../auth'
        export const runtime = 'edge'
        export const GET = auth((request) => Response.json(request.auth))`,
    },
    says: /latchkey-needs-the-nodejs-runtime|latchkey\/next needs the Node\.js runtime/,
  },
  'cacheComponents and a session that is read outside of <Suspense>': {
    files: {
      'app/variant/page.tsx': `
        import { auth } from '../../auth'
        export default async function Page() { return <p>{(await auth())?.user?.name}</p> }`,
    },
    env: { CACHE_COMPONENTS: 'yes' },
    says: /outside of .?<Suspense>/,
  },
}

/** With `cacheComponents`, a session is read in `<Suspense>`. */
export const SUSPENDED = `
  import { type ReactNode, Suspense } from 'react'
  export default function Layout({ children }: { children: ReactNode }) {
    return <html lang="en"><body><Suspense fallback={<p>Wait</p>}>{children}</Suspense></body></html>
  }`
