import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { migrateToLatest } from '../../lib/adapters/sql.js'
import { KYSELY_ADAPTER_TABLES } from '../adapters/authjs/postgres.js'
import { hasRedisPrograms, skipSuite, startCluster, startServer } from '../adapters/redis/servers.js'
import { mariadb, postgres, type TestDatabase } from '../adapters/sql/databases.js'
import { SECRET } from '../support/app.js'
import { compile } from '../support/compiled.js'
import { exportedPaths, ROOT, readText, type Snippet, snippets } from './documents.js'

const run = promisify(execFile)
const FOLDER = join(ROOT, '.tmp/adapters')
const TSCONFIG = join(FOLDER, 'tsconfig.json')

/** Whether a snippet creates an adapter, or tests an adapter. */
const isAboutAdapters = ({ code }: Snippet) => /from 'latchkey\/(?:adapters|testing)\//.test(code)

/** How a snippet is run; the snippet is found by words that it contains. */
interface Use {
  readonly words: string
  /** The argument of {@link signInAndOut}, in names of the snippet. If absent, the snippet only has to run to its end. */
  readonly made?: string
  /** What it prints when it succeeds. */
  readonly prints: RegExp
  /** The arguments of node with which a reader would start it; none by default. */
  readonly command?: readonly string[]
  readonly change?: (code: string) => string
  /** Creates tables in the PostgreSQL database; by default the tables of the package. */
  readonly prepare?: (database: TestDatabase) => Promise<unknown>
}

const ONE = /^signed in and out: 1$/m
const APP = { made: '{ app }', prints: /^signed in and out: an application$/m }
const CONFIG = { made: '{ config }', prints: ONE }
const ADAPTER = { made: '{ adapters: [adapter] }', prints: ONE }
const PASSES = /^\s*(?:# pass|ℹ pass|\d+ passing|✔)/m
const MOCHA = [join(ROOT, 'node_modules/mocha/bin/mocha.js')]

/** Every snippet about adapters, document by document, in their order. */
const USES: Readonly<Record<string, readonly Use[]>> = {
  'README.md': [{ words: 'migrateToLatest(database)', ...CONFIG }],
  'docs/guides/adapters.md': [
    { words: 'adapter: memoryAdapter()', ...CONFIG },
    { words: 'deleteExpired({ batch: 500 })', prints: /^0 sessions and 0 links true \[\]$/m },
    { words: "roles: ['admin']", prints: PASSES, command: MOCHA },
    { words: "from 'node:test'", prints: PASSES },
  ],
  'docs/guides/email.md': [{ words: 'adapter: memoryAdapter()', ...CONFIG }],
  'docs/guides/passkeys.md': [{ words: 'adapter: memoryAdapter()', ...CONFIG }],
  'docs/guides/sql.md': [
    { words: 'adapter: sqlAdapter(pool)', ...APP },
    {
      words: "sqlAdapter({ sqlite: 'auth.db' })",
      made: '{ adapters }',
      prints: /^signed in and out: 7$/m,
      change: (code) => `const adapters = []\n${code.replaceAll(/^sqlAdapter\(.*\)/gm, 'adapters.push($&)')}`,
    },
    { words: 'migrationStatus', prints: /0001-tables/ },
    {
      words: "users: 'User'",
      made: '{ adapters: [adapter] }',
      prints: ONE,
      change: (code) => code.replace(/^sqlAdapter\(/m, 'const adapter = $&'),
      prepare: (database) => database.run(KYSELY_ADAPTER_TABLES),
    },
    { words: "schema: 'auth'", ...ADAPTER },
    { words: '.deleteExpired({ signal', ...ADAPTER },
  ],
  'docs/guides/redis.md': [{ words: 'redisAdapter({ url:', ...CONFIG }],
  'examples/recipes/redis-client.ts': [
    {
      words: 'createClient',
      made: "{ adapters: [adapter, await onCluster(['redis://10.0.0.1:6379', 'redis://10.0.0.2:6379'])] }",
      prints: /^signed in and out: 2$/m,
    },
  ],
  'docs/guides/scaling.md': [
    { words: 'combineAdapters', ...CONFIG },
    { words: 'replica.getUser', made: '{ adapters: [users] }', prints: ONE },
  ],
}

describe('snippets about adapters, run against real servers', function () {
  this.timeout(120_000)

  let mysql: TestDatabase
  let redis: Awaited<ReturnType<typeof startServer>>
  let cluster: Awaited<ReturnType<typeof startCluster>>

  before(async function () {
    await postgres.requireServer.call(this)
    await mariadb.requireServer.call(this)
    if (!(await hasRedisPrograms())) return skipSuite(this, 'redis-server and redis-cli are not installed')
    redis = await startServer()
    cluster = await startCluster()
    mysql = await mariadb.create()
    await migrateToLatest(mysql.connection)
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    const compilerOptions = { paths: exportedPaths() }
    writeFileSync(TSCONFIG, JSON.stringify({ extends: '../../tsconfig.json', compilerOptions }))
  })
  after(async () => {
    await mysql?.drop()
    await redis?.stop()
    await cluster?.stop()
  })

  /** The snippet with the servers of the test in place of the servers that the document names. */
  const here = (code: string, { url }: TestDatabase) =>
    code
      .replaceAll(/postgres:\/\/(?:app@db\.example|127\.0\.0\.1)\/app/g, url)
      .replaceAll('mysql://app@db.example/app', mysql.url)
      .replaceAll('redis://127.0.0.1:6379', redis.url)
      .replaceAll(/redis:\/\/10\.0\.0\.(\d):6379/g, (_, node) => cluster.nodes[Number(node) - 1]?.url ?? '')
      .replaceAll(/(?:primary|replica)\.internal/g, '127.0.0.1')

  const inDocument = (path: string): readonly Snippet[] =>
    path.endsWith('.ts')
      ? [{ path, line: 1, names: [], code: readText(path) }]
      : snippets().filter((one) => one.path === path && isAboutAdapters(one))

  for (const [path, uses] of Object.entries(USES)) {
    it(`${path}: each snippet has its entry in this test`, () => {
      const all = inDocument(path)
      expect(all.map(({ code }, index) => code.includes(uses[index]?.words ?? '\0'))).to.deep.equal(
        uses.map(() => true),
      )
    })

    for (const [index, use] of uses.entries()) {
      it(`${path}: ${use.words}`, async () => {
        const snippet = inDocument(path)[index]
        const database = await postgres.create()
        const cwd = mkdtempSync(join(tmpdir(), 'latchkey-snippet-'))
        try {
          await (use.prepare ?? (() => migrateToLatest(database.connection)))(database)
          if (use.made?.includes('adapters }')) await migrateToLatest({ sqlite: join(cwd, 'auth.db') })
          const code = here((use.change ?? String)(snippet?.code ?? ''), database)
          const ending = use.made
            ? `import { signInAndOut } from '../../test/support/sign-in-and-out.js'\nawait signInAndOut(${here(use.made, database)})\n`
            : ''
          const file = join(FOLDER, `${path.replaceAll('/', '-')}-${index}.ts`)
          writeFileSync(file, code + ending)
          const { pathname, port } = new URL(database.url)
          const program = await compile(file, TSCONFIG)
          const { stdout } = await run(process.execPath, [...(use.command ?? []), program], {
            cwd,
            env: {
              ...process.env,
              DATABASE_URL: database.url,
              PGHOST: '127.0.0.1',
              PGPORT: port,
              PGUSER: 'postgres',
              PGDATABASE: pathname.slice(1),
              AUTH_SECRET: SECRET,
              AUTH_GITHUB_ID: 'the-id',
              AUTH_GITHUB_SECRET: 'the-secret',
              AUTH_RESEND_KEY: 'the-key',
            },
          })
          expect(stdout).to.match(use.prints)
        } finally {
          await database.drop()
          rmSync(cwd, { recursive: true, force: true })
        }
      })
    }
  }
})
