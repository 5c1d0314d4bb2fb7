import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { AuthConfig } from '../../lib/index.js'
import { npm } from './packed.js'

/** The packages of Auth.js for frameworks, each with the `@auth/core` that it asks for. */
const PACKAGES = {
  'next-auth': '5.0.0-beta.32',
  '@auth/sveltekit': '1.11.3',
  '@auth/solid-start': '0.19.2',
  'next-auth-4': 'npm:next-auth@4.24.15',
}

/**
 * What the packages import of their frameworks, as much as serving the mount needs. The frameworks themselves are hundreds
 * of megabytes, and have no part in a cookie.
 */
const FRAMEWORK_MODULES: Readonly<Record<string, string>> = {
  'next/server': 'export class NextRequest extends Request {}; export class NextResponse extends Response {}',
  'next/headers': 'export const headers = () => new Headers(), cookies = () => ({})',
  'next/navigation': 'export const redirect = (url) => { throw new Error(url) }',
  '@sveltejs/kit': 'export const redirect = (status, url) => { throw new Error(url) }',
  '$env/dynamic/private': 'export const env = {}',
  '$app/environment': 'export const dev = false, building = false',
  '$app/paths': 'export const base = ""',
}

const frameworks: Plugin = {
  name: 'frameworks',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(next\/|@sveltejs\/kit$|\$)/ }, ({ path }) => ({ path, namespace: 'framework' }))
    onLoad({ filter: /./, namespace: 'framework' }, ({ path }) => ({ contents: FRAMEWORK_MODULES[path] ?? '' }))
  },
}

/** Answers what a browser sends to the mount. */
export type Serve = (request: Request) => Promise<Response>

/** The packages of Auth.js, ready to serve their mounts. */
export interface FrameworkPackages {
  readonly serve: Readonly<Record<'next-auth' | '@auth/sveltekit' | '@auth/solid-start', (config: AuthConfig) => Serve>>
  /** `encode` of `next-auth/jwt`, version 4. */
  encodeOfVersion4(params: { readonly token: object; readonly secret: string }): Promise<string>
  remove(): void
}

/** Installs the packages from the registry, without their frameworks, and loads them. */
export async function installFrameworkPackages(): Promise<FrameworkPackages> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-authjs-')))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }))
  await npm(folder, [
    'install',
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
  ])
  writeFileSync(
    join(folder, 'entry.js'),
    `export { default as NextAuth } from 'next-auth'
     export { SvelteKitAuth } from '@auth/sveltekit'
     export { SolidAuth } from '@auth/solid-start'
     export { encode } from 'next-auth-4/jwt'`,
  )
  await build({
    entryPoints: [join(folder, 'entry.js')],
    outfile: join(folder, 'packages.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)` },
    plugins: [frameworks],
    logLevel: 'silent',
  })
  const { NextAuth, SvelteKitAuth, SolidAuth, encode } = await import(pathToFileURL(join(folder, 'packages.mjs')).href)
  return {
    serve: {
      'next-auth'(config) {
        const { handlers } = NextAuth(config)
        return (request) => (request.method === 'POST' ? handlers.POST(request) : handlers.GET(request))
      },
      '@auth/sveltekit'(config) {
        const { handle } = SvelteKitAuth(config)
        const resolve = () => new Response('not the mount', { status: 404 })
        return (request) => handle({ event: { request, url: new URL(request.url), locals: {} }, resolve })
      },
      '@auth/solid-start'(config) {
        const handlers = SolidAuth(config)
        return (request) => (request.method === 'POST' ? handlers.POST({ request }) : handlers.GET({ request }))
      },
    },
    encodeOfVersion4: encode,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
