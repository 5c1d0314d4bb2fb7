import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { proveLoadable } from '../../scripts/commonjs-proof.js'

/** What the build says about modules, the first of which is an entry. */
async function verdictOn(modules: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-proof-'))
  try {
    for (const [file, text] of Object.entries(modules)) writeFileSync(join(folder, file), text)
    await proveLoadable(folder, Object.keys(modules).slice(0, 1))
    return 'loadable'
  } catch (error) {
    return (error as Error).message
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('the build, about modules that Jest gets as CommonJS', () => {
  it('accepts the forms of esbuild', async () => {
    const names =
      'import {\n  a,\n  b as c\n} from "./b.js";\nimport * as all from "node:fs";\nimport own from "node:os";\nimport "./b.js";\n'
    const rest =
      'const later = () => import("./b.js");\nconst url = import.meta.url;\nexport {\n  a,\n  later as "module.exports"\n};\n'
    const other = 'var a = 1, b = 2;\nexport {\n  a,\n  b\n};\n'
    expect(await verdictOn({ 'a.js': names + rest, 'b.js': other })).to.equal('loadable')
  })

  it('refuses a form that the loader does not find, and text that it would take for one', async () => {
    for (const text of [
      `import { a } from './b.js'`,
      'export const a = 1;',
      'export * from "./b.js";',
      'const text = `\nimport { a } from "./b.js";\n`;',
      'const text = "import(";',
    ])
      expect(await verdictOn({ 'a.js': text, 'b.js': '' }), text).to.equal('The loader of CommonJS misreads a.js.')
  })

  it('refuses what `const` and a copy of the exports cannot stand for', async () => {
    const circle = {
      'a.js': 'import("./b.js");\nimport { b } from "./b.js";\n',
      'b.js': 'import "./a.js";\nvar b;\nexport { b };\n',
    }
    expect(await verdictOn(circle)).to.equal('These import each other: a.js, b.js, a.js.')
    const changed = 'var a = 1, b = 1;\nfunction f() {\n  a = 2;\n  b++;\n}\nexport { a, b, f };\n'
    expect(await verdictOn({ 'a.js': changed })).to.equal('a.js changes what it exports: a, b.')
    for (const change of [
      'a ||= 2',
      '[a] = []',
      '[, [a = 2]] = []',
      '[...a] = []',
      '({ a } = {})',
      '({ b: a = 2 } = {})',
      '({ b: { ...a } } = {})',
      'for (a of []);',
      'for (a in {});',
      'for ([{ a }] of []);',
      'for (let b = (a = 2); ; );',
    ])
      expect(
        await verdictOn({ 'a.js': `var a = 1;\nconst f = () => {\n  ${change}\n};\nexport { a, f };\n` }),
        change,
      ).to.equal('a.js changes what it exports: a.')
    const kept =
      'var a = 1, b = {};\nb.a = a;\n[b[a], b.c] = [a];\nfor (b.a of [a]);\nfor (const c of [a]);\nexport { a, b };\n'
    expect(await verdictOn({ 'a.js': kept })).to.equal('loadable')
    expect(await verdictOn({ 'a.js': 'const load = (name) => import(name);' })).to.include('a literal name')
  })
})
