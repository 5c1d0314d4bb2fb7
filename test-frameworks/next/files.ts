import { readFileSync } from 'node:fs'

const AUTH = readFileSync(new URL('../../examples/next/auth.ts', import.meta.url), 'utf8')

/** Stands in a file of the server, and in nothing that a browser gets. */
export const LITERAL_SECRET = 'a secret that somebody wrote into the program'

/** Stands in code for browsers, so that a search of it can be seen to find something. */
export const LITERAL_OF_BROWSERS = 'Sign in with a password'

/**
 * Routes that the test adds to the example, and a configuration that it can change when the server starts: their texts by
 * path.
 */
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
  'auth.ts': AUTH.replace(
    'NextAuth({',
    `NextAuth({
  ...JSON.parse(process.env.MORE_CONFIG ?? '{}'),
  custom: { literal: '${LITERAL_SECRET}' },`,
  ),
  'app/unguarded/asks/page.tsx': `
    import { auth, signIn } from '../../../auth'
    export default async function Page() {
      if (!(await auth())) await signIn()
      return <h1>Seen</h1>
    }`,
  'app/unguarded/hop/route.ts': `
    import { auth } from '../../../auth'
    export const GET = auth((request) => Response.redirect(new URL('/login', request.nextUrl.origin)))`,
  'app/unguarded/methods/route.ts': `
    import { auth } from '../../../auth'
    export const GET = auth((request) => Response.json({ seen: request.auth?.user?.name ?? null }))
    export const PUT = auth(() => {
      console.info('A text was put.')
      return undefined
    })`,
  'app/papers/member-actions.ts': `
    'use server'
    import { auth, signIn } from '../../auth'
    export async function enter(form: FormData) {
      await signIn('credentials', form)
    }
    export async function erase() {
      console.info('Asked to erase everything: ' + ((await auth())?.user?.name ?? 'nobody') + '.')
    }`,
  'app/papers/enter/page.tsx': `
    import { enter } from '../member-actions'
    export default function Enter() {
      return (
        <form id="enter" action={enter}>
          <h1>Members enter here</h1>
          <input name="username" /><input name="password" /><input name="redirectTo" defaultValue="/papers" />
        </form>
      )
    }`,
  'app/papers/notes/page.tsx': `
    import { auth } from '../../../auth'
    import { erase } from '../member-actions'
    async function write() {
      'use server'
      console.info('A note was written by ' + ((await auth())?.user?.name ?? 'nobody') + '.')
    }
    export default function Notes() {
      return (
        <>
          <form id="write" action={write}><h1>Notes of members</h1></form>
          <form id="erase" action={erase} />
        </>
      )
    }`,
  'app/about/timed/page.tsx': `
    export const revalidate = 3600
    export default function Timed() {
      return <h1>Made in advance for an hour</h1>
    }`,
  'pages/news.tsx': `
    export const getStaticProps = () => ({ props: { text: 'News made in advance' }, revalidate: 3600 })
    export default function News({ text }: { text: string }) {
      return <h1>{text}</h1>
    }`,
  'pages/letters/kept.tsx': `
    export const getStaticProps = () => ({ props: { text: 'Letters of members, made in advance' }, revalidate: 3600 })
    export default function Kept({ text }: { text: string }) {
      return <h1>{text}</h1>
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
      // Keeping it for a next build would be a fifth of the work of this one.
      experimental: { turbopackFileSystemCacheForBuild: false },
      rewrites: async () => [
        { source: '/shortcut', destination: '/papers/rules' },
        { source: '/papers/shortcut', destination: '/about' },
      ],
      ...(process.env.IN_SHOP === 'yes' && {
        basePath: '/shop',
        trailingSlash: true,
        i18n: { locales: ['en', 'de', 'pt-BR'], defaultLocale: 'en' },
      }),
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
