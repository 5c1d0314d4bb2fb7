/** Where an application keeps users and sessions. */
export type Store =
  | { readonly kind: 'none' }
  /** Ours for SQL. `max` makes the application hand in a pool of its own of that size. */
  | { readonly kind: 'sql'; readonly url: string; readonly max?: number }
  | { readonly kind: 'redis'; readonly url: string }
  /** `@auth/pg-adapter`. */
  | { readonly kind: 'authjs'; readonly url: string; readonly max: number }

/** What a process of the application is told when it starts, as JSON in its environment. */
export interface AppSettings {
  /** Folder of the modules of Latchkey: `dist` of a built package, or `lib`. */
  readonly modules: string
  readonly store: Store
  readonly strategy: 'database' | 'jwt'
  readonly secrets: readonly string[]
  /** Of the identity provider. */
  readonly issuer: string
  /** URL of the mail server, where links are mailed. */
  readonly mail?: string
  /** Whether there is a form for a password, too, which the application alone knows. */
  readonly hasPasswords?: boolean
  /** Seconds between extensions of a session. */
  readonly updateAge?: number
  /** The port to listen on; a free one when it is absent. */
  readonly port?: number
}

/** What a process tells: where it listens, or that its clock was set. */
export interface AppMessage {
  readonly origin?: string
  readonly isSet?: true
}

/** What a process is told meanwhile: by how many milliseconds its clock is wrong from now on. */
export interface AppOrder {
  readonly clockOffset: number
}
