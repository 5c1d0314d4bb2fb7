import { KyselyAdapter } from '@auth/kysely-adapter'
import PostgresAdapter from '@auth/pg-adapter'
import { UnstorageAdapter } from '@auth/unstorage-adapter'
import { Kysely, PostgresDialect } from 'kysely'
import { createStorage } from 'unstorage'
import type { Adapter } from '../../../lib/adapters/adapter.js'
import { describeAdapter, type Method } from '../../../lib/testing/adapter.js'
import { skipSuite } from '../redis/servers.js'
import { createSchema, KYSELY_ADAPTER_TABLES, type OwnSchema, PG_ADAPTER_TABLES } from './postgres.js'

const NO_PASSKEYS: readonly Method[] = [
  'getAccount',
  'createAuthenticator',
  'getAuthenticator',
  'listAuthenticatorsByUserId',
  'updateAuthenticatorCounter',
]

describe('adapters made for Auth.js, unmodified', () => {
  describeAdapter('@auth/unstorage-adapter', {
    level: 'authjs',
    create: () => UnstorageAdapter(createStorage()) as Adapter,
  })

  describe('on PostgreSQL', () => {
    let tablesOfPg: OwnSchema | null = null
    let tablesOfKysely: OwnSchema | null = null

    before(async function () {
      tablesOfPg = await createSchema(PG_ADAPTER_TABLES)
      tablesOfKysely = await createSchema(KYSELY_ADAPTER_TABLES)
      if (!tablesOfPg || !tablesOfKysely) skipSuite(this, 'no PostgreSQL answers')
    })
    after(async () => {
      await tablesOfPg?.drop()
      await tablesOfKysely?.drop()
    })

    const poolOf = (schema: OwnSchema | null) => {
      if (!schema) throw new Error('no schema')
      return schema.pool
    }

    describeAdapter('@auth/pg-adapter', {
      level: 'authjs',
      create: () => PostgresAdapter(poolOf(tablesOfPg)) as Adapter,
      skip: NO_PASSKEYS,
      absentUserId: '0',
    })

    describeAdapter('@auth/kysely-adapter', {
      level: 'authjs',
      create: () =>
        KyselyAdapter(new Kysely({ dialect: new PostgresDialect({ pool: poolOf(tablesOfKysely) }) })) as Adapter,
      skip: NO_PASSKEYS,
    })
  })
})
