import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import type { Adapter, AdapterUser } from '../../lib/adapters/adapter.js'
import { memoryAdapter } from '../../lib/adapters/memory.js'
import { sqlAdapter } from '../../lib/adapters/sql.js'
import type { AuthConfig } from '../../lib/index.js'
import Credentials from '../../lib/providers/credentials.js'
import Email from '../../lib/providers/email.js'
import { migratedDatabase, sqlite } from '../adapters/sql/databases.js'
import { createLog, startApp, testConfig } from '../support/app.js'

type Users = Required<Pick<Adapter, 'createUser' | 'getUserByEmail' | 'getUser' | 'updateUser'>>
type Authorize = (address: string) => Promise<AdapterUser>

const ADDRESS = 'ada@example.com'

const newUser = (emailVerified: Date | null, email = ADDRESS): AdapterUser => ({
  id: crypto.randomUUID(),
  name: 'Ada',
  image: null,
  email,
  emailVerified,
})

/** Lets the clock go on: a user who is created in the same millisecond as the sign-in began would be accepted anyway. */
const later = () => delay(3)

/** Signs in once with credentials, in an application that mails links too. */
async function signIn(adapter: Adapter, authorize: Authorize, strategy: 'jwt' | 'database' = 'database') {
  const log = createLog()
  const providers: AuthConfig['providers'] = [
    Credentials({ credentials: { email: {} }, authorize: ({ email }) => authorize(String(email)) }),
    Email({ from: 'no-reply@app.example', sendVerificationRequest() {} }),
  ]
  const config = testConfig({
    adapter,
    providers,
    session: { strategy },
    callbacks: { confirmEmail: () => true },
    logger: log.logger,
  })
  const app = await startApp(config)
  try {
    const visitor = app.visitor()
    await visitor.signIn({ email: ADDRESS })
    return { name: (await visitor.session())?.user?.name ?? null, messages: log.errors.map(({ message }) => message) }
  } finally {
    await app.close()
  }
}

describe('a user with a confirmed address, created by authorize()', () => {
  let database: Awaited<ReturnType<typeof sqlite.create>> | undefined
  afterEach(async () => {
    await database?.drop()
    database = undefined
  })

  const STORES: Readonly<Record<string, () => Promise<Adapter>>> = {
    memory: async () => memoryAdapter(),
    SQLite: async () => {
      database = await migratedDatabase(sqlite)
      return sqlAdapter(database.connection)
    },
  }

  for (const [name, create] of Object.entries(STORES)) {
    for (const strategy of ['jwt', 'database'] as const) {
      it(`is signed in at once: ${name}, ${strategy}`, async () => {
        const adapter = (await create()) as Users
        const authorize: Authorize = async (email) => {
          await later()
          return (await adapter.getUserByEmail(email)) ?? (await adapter.createUser(newUser(new Date())))
        }
        expect(await signIn(adapter, authorize, strategy)).to.deep.equal({ name: 'Ada', messages: [] })
      })
    }
  }

  it('is refused if the application stored them without an adapter of Latchkey, and the log says what to do', async () => {
    const rest = memoryAdapter() as Required<Adapter>
    const stored = newUser(null)
    await rest.createUser(stored)
    const adapter = { ...rest, getUser: async () => ({ ...stored, emailVerified: new Date() }) } as Adapter
    const { name, messages } = await signIn(adapter, async () => later().then(() => stored))
    expect(name).to.equal(null)
    expect(messages).to.have.length(1)
    expect(messages[0]).to.match(/return the object that `createUser` of an adapter of Latchkey gave/)
  })
})

describe('an address that somebody confirms while authorize() runs', () => {
  let adapter: Users
  beforeEach(() => {
    adapter = memoryAdapter() as Users
  })

  /** What a mailed link does at its end. */
  const confirm = async ({ id }: AdapterUser) => {
    await later()
    await adapter.updateUser({ id, emailVerified: new Date() })
  }

  const REFUSED: Readonly<Record<string, () => Promise<Authorize>>> = {
    'of a user whom the application created as confirmed before, and kept': async () => {
      const kept = await adapter.createUser(newUser(new Date()))
      await adapter.updateUser({ id: kept.id, emailVerified: null })
      return async () => {
        await confirm(kept)
        return kept
      }
    },
    'of a user who existed before': async () => {
      const user = await adapter.createUser(newUser(null))
      return async () => {
        await confirm(user)
        return user
      }
    },
    'of a user whom authorize() read again afterwards': async () => {
      const user = await adapter.createUser(newUser(null))
      return async () => {
        await confirm(user)
        return (await adapter.getUser(user.id)) as AdapterUser
      }
    },
    'of a user whom this authorize() created without a confirmed address': async () => async () => {
      const user = await adapter.createUser(newUser(null))
      await confirm(user)
      return user
    },
    'while this authorize() created another user': async () => {
      const user = await adapter.createUser(newUser(null))
      return async () => {
        await adapter.createUser(newUser(new Date(), 'decoy@example.com'))
        await confirm(user)
        return user
      }
    },
    'of a user whom code outside of authorize() created meanwhile': async () => async () => {
      await later()
      const { id } = await adapter.createUser(newUser(new Date()))
      return (await adapter.getUser(id)) as AdapterUser
    },
    'of a user whose object, from when they were created, has signed in before': async () => {
      const user = await adapter.createUser(newUser(new Date()))
      expect(await signIn(adapter as Adapter, async () => user)).to.deep.equal({ name: 'Ada', messages: [] })
      await adapter.updateUser({ id: user.id, emailVerified: null })
      return async () => {
        await confirm(user)
        return user
      }
    },
  }

  for (const [what, prepare] of Object.entries(REFUSED)) {
    it(`signs nobody in: ${what}`, async () => {
      const { name, messages } = await signIn(adapter as Adapter, await prepare())
      expect(name).to.equal(null)
      expect(messages).to.have.length(1)
      expect(messages[0]).to.match(/was confirmed while what was entered was being checked/)
    })
  }
})
