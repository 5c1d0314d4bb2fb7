/**
 * What Latchkey imports of the frameworks, which are optional peers. This file is for the compiler only: it does not get into
 * `dist/`, so applications see the types of their own framework.
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

declare module '@sveltejs/kit' {
  export function redirect(status: 302, location: string, options?: { readonly external: true }): never
}

declare module '@builder.io/qwik' {
  export interface QRL<T> {
    readonly symbol: T
  }
  export function inlinedQrl<T>(symbol: T | null, name: string): QRL<T>
  /** @param pureQRL whether references to code stay without their context, as in the answers to data requests */
  export function _serializeData(data: unknown, pureQRL: boolean): Promise<string>
}

declare module '@builder.io/qwik-city' {
  import type { QRL } from '@builder.io/qwik'

  export type Loader<Value> = () => { readonly value: Value }

  export interface ActionStore<Result, Input> {
    readonly actionPath: string
    readonly isRunning: boolean
    readonly status?: number
    readonly formData: FormData | undefined
    readonly value: Result | undefined
    readonly submit: (form?: Input | FormData) => Promise<{ readonly status?: number; readonly value: Result }>
  }

  export type Action<Result, Input = Record<string, unknown>, Optional extends boolean = true> = () => ActionStore<
    Result,
    Input
  > & { readonly optional?: Optional }

  export interface DataValidator {
    validate(event: object, data: unknown): Promise<unknown>
  }

  export function routeLoaderQrl<Event, Value>(
    work: QRL<(event: Event) => Promise<Value>>,
    options: { readonly id: string },
  ): Loader<Value>

  export function globalActionQrl<Event, Result, Input>(
    work: QRL<(input: Input, event: Event) => Promise<Result>>,
    options: {
      readonly id: string
      readonly validation: readonly { validate(event: never, data: unknown): unknown }[]
    },
  ): Action<Result, Input>

  export function zodQrl<Schema>(schema: QRL<Schema>): DataValidator

  interface Zod {
    optional(): Zod
    nullish(): Zod
    passthrough(): Zod
  }
  export const z: {
    string(): Zod
    record(value: Zod): Zod
    instanceof(type: unknown): Zod
    object(shape: Readonly<Record<string, Zod>>): Zod
    union(of: readonly Zod[]): Zod
  }
}
