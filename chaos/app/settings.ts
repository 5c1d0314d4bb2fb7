/** Where an application keeps users and sessions. */
export type Store =
  | { readonly kind: 'none' }
  /** Latchkey's SQL adapter. With `max`, the application passes its own pool of that size. */
  | { readonly kind: 'sql'; readonly url: string; readonly max?: number }
  | { readonly kind: 'redis'; readonly url: string }
  /** `@auth/pg-adapter`. */
  | { readonly kind: 'authjs'; readonly url: string; readonly max: number }

/** The settings of a process of the application. It gets them as JSON in its environment. */
export interface AppSettings {
  /** Folder of the modules of Latchkey: `dist` of a built package, or `lib`. */
  readonly modules: string
  readonly store: Store
  readonly strategy: 'database' | 'jwt'
  /** Issuer of the identity provider. */
  readonly issuer: string
  /** The port to listen on. A free port by default. */
  readonly port?: number
}

/** What a process sends: where it listens, or that its clock was set. */
export interface AppMessage {
  readonly origin?: string
  readonly isSet?: true
}

/** What a running process gets: by how many milliseconds its clock is wrong from now on. */
export interface AppOrder {
  readonly clockOffset: number
}
