import { readFileSync } from 'node:fs'
import { redisAdapter } from '../../../lib/adapters/redis.js'
import { describeAdapter } from '../../../lib/testing/adapter.js'
import { FEW_ROWS } from '../few-rows.js'
import { connect, hasRedisPrograms, type OwnServer, skipSuite, startServer } from './servers.js'

const GUIDE = readFileSync(new URL('../../../docs/guides/redis.md', import.meta.url), 'utf8')

describe('redisAdapter() with the permissions that docs/guides/redis.md names', () => {
  let server: OwnServer | undefined
  let client: Awaited<ReturnType<typeof connect>> = null

  before(async function () {
    if (!(await hasRedisPrograms())) return skipSuite(this, 'redis-server and redis-cli are not installed')
    const rules = /^\| ACL \| `([^`]+)`/m.exec(GUIDE)?.[1] ?? ''
    server = await startServer([
      '--user',
      'default',
      'off',
      '--user',
      'app',
      'on',
      '>pass',
      '-@all',
      ...rules.split(' '),
    ])
    client = await connect(server.url.replace('//', '//app:pass@'))
  })
  after(async () => {
    client?.destroy()
    await server?.stop()
  })

  describeAdapter('redisAdapter()', {
    runner: FEW_ROWS,
    create() {
      if (!client) throw new Error('the server does not let the client in')
      return redisAdapter(client)
    },
  })
})
