import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { providerPages } from '../../scripts/provider-docs.js'
import { declarationsFor, documents, exportedPaths, jsxSnippets, ROOT, snippets } from './documents.js'

const FOLDER = join(ROOT, '.tmp/snippets')

const configuration = () => ({
  extends: '../../tsconfig.json',
  compilerOptions: {
    types: ['node'],
    noUnusedLocals: false,
    noUnusedParameters: false,
    // Applications may be stricter than this project. What they read of lib/ is its declarations, so only the snippets count.
    exactOptionalPropertyTypes: true,
    allowUnreachableCode: false,
    noUncheckedSideEffectImports: true,
    // For the decorators of NestJS.
    experimentalDecorators: true,
    jsx: 'react-jsx',
    paths: exportedPaths(),
  },
  // Modules of frameworks that the project is compiled without.
  include: [
    '*.ts',
    '*.tsx',
    '../../examples/recipes',
    '../../test/docs/ambient/*.d.ts',
    '../../lib/frameworks/**/*.d.ts',
  ],
})

async function writeSnippets(): Promise<number> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(configuration()))
  const all = snippets([...documents(), ...(await providerPages())])
  for (const { path, line, names, code } of all) {
    // On the first line, so that a complaint counts lines from the block's own first.
    writeFileSync(
      join(FOLDER, `${path.replaceAll('/', '-')}-${line}.ts`),
      `export {}; ${declarationsFor(names)} ${code}`,
    )
  }
  const jsx = jsxSnippets()
  for (const { path, line, code } of jsx) {
    writeFileSync(join(FOLDER, `${path.replaceAll('/', '-')}-${line}.tsx`), `export {}; ${code}`)
  }
  expect(jsx.length).to.be.greaterThan(1)
  return all.length
}

/**
 * What the compiler says of the snippets and of its options. The snippets are compiled with the source of the package,
 * which has options of its own, and a compilation of its own.
 */
const ofSnippets = (output: string): string =>
  output
    .split(/^(?=\S)/m)
    .filter((complaint) => !/^lib\//.test(complaint))
    .join('')

describe('TypeScript in the documents', function () {
  this.timeout(180_000)

  it('compiles in an application with exact optional properties, all of it', async () => {
    expect(await writeSnippets()).to.be.greaterThan(20)
    const { stdout, stderr } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', FOLDER, '--singleThreaded'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect(ofSnippets(stdout) + stderr).to.equal('')
  })
})
