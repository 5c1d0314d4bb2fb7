/**
 * What this integration uses of Next.js, so that the project can be compiled without it. An application has the modules
 * themselves, and the declarations of the package refer to those.
 */
/** A name that the bundlers of Next.js know: they refuse it in what is built for browsers. */
declare module 'server-only' {}

declare module 'next/server.js' {
  export class NextRequest extends Request {
    constructor(
      input: Request | URL | string,
      init?: RequestInit & {
        nextConfig?: { basePath?: string; i18n?: { locales: string[]; defaultLocale: string } | null }
      },
    )
    readonly nextUrl: NextURL
  }
  export interface NextURL extends URL {
    readonly basePath: string
    readonly locale?: string
    readonly defaultLocale?: string
    clone(): NextURL
  }
  export class NextResponse extends Response {
    static next(init?: { request?: { headers?: Headers } }): NextResponse
  }
  export interface NextFetchEvent {
    waitUntil(promise: Promise<unknown>): void
  }
}

declare module 'next/server' {
  export * from 'next/server.js'
}

declare module 'next/headers.js' {
  export function headers(): Promise<Headers>
  export function cookies(): Promise<{
    getAll(): { name: string; value: string }[]
    set(name: string, value: string, options: object): unknown
  }>
}

declare module 'next/headers' {
  export * from 'next/headers.js'
}

declare module 'next/navigation.js' {
  export function redirect(url: string): never
}

declare module 'next/navigation' {
  export * from 'next/navigation.js'
}
