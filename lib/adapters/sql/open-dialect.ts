import type * as KyselyModule from 'kysely'

/**
 * Makes the dialect of Kysely for a database, once Kysely is loaded.
 *
 * @param queryMs milliseconds that the dialect waits for an answer
 */
export type OpenDialect = (kysely: typeof KyselyModule, queryMs: number) => Promise<KyselyModule.Dialect>
