import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { catalogueIds } from '../../support/catalogue.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const LIB = resolve(ROOT, 'lib')

/** Every file of lib/ that a file loads when it is imported: type imports load nothing. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const source = readFileSync(file, 'utf8')
  for (const [, specifier = ''] of source.matchAll(/^(?:import|export) (?!type )[^']*? from '(\.[^']+)'/gm)) {
    loadedBy(resolve(dirname(file), specifier.replace(/\.js$/, '.ts')), seen)
  }
  return seen
}

const providersIn = (files: Iterable<string>) =>
  [...files].filter((file) => file.includes('/catalogue/')).map((file) => basename(file, '.ts'))

/** The modules that Node loads for an import, as Node itself tells. */
function loadedByNode(specifier: string): string[] {
  const hook = `import { writeSync } from 'node:fs'
    export const load = (url, context, next) => { writeSync(1, url + '\\n'); return next(url, context) }`
  const script = `import { register } from 'node:module'
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}))
    await import(${JSON.stringify(specifier)})`
  const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return output
    .split('\n')
    .filter((url) => url.startsWith('file:'))
    .map((url) => fileURLToPath(url.replace(/\?.*$/, '')))
}

describe('importing', () => {
  for (const id of catalogueIds) {
    it(`${id} loads no other provider`, () => {
      const others = providersIn(loadedBy(resolve(LIB, `providers/catalogue/${id}.ts`))).filter((other) => other !== id)
      // The former name of Microsoft Entra ID is the same provider.
      expect(others).to.deep.equal(id === 'azure-ad' ? ['microsoft-entra-id'] : [])
    })
  }

  it('any of them loads seven small files at most', () => {
    const sizes = catalogueIds
      .filter((id) => id !== 'azure-ad')
      .map((id) => {
        const files = [...loadedBy(resolve(LIB, `providers/catalogue/${id}.ts`))]
        return { id, files: files.length, bytes: files.reduce((sum, file) => sum + statSync(file).size, 0) }
      })
    expect(sizes.filter(({ files }) => files > 7)).to.deep.equal([])
    // With its types and comments; what is published has about half of it.
    expect(sizes.filter(({ bytes }) => bytes > 30 * 1024)).to.deep.equal([])
  })

  it('one provider loads that provider and a few small files, as Node itself tells', () => {
    const loaded = loadedByNode('./lib/providers/catalogue/discord.ts').filter((file) => file.startsWith(LIB))
    expect(providersIn(loaded)).to.deep.equal(['discord'])
    expect(loaded.map((file) => relative(LIB, file))).to.have.members([
      'providers/catalogue/discord.ts',
      'providers/oauth-provider.ts',
      'providers/profile-mapping.ts',
      // Options may be an instance of a class.
      'kernel/describe-value.ts',
      'kernel/inherited.ts',
    ])
  })

  it('latchkey loads no provider of the catalogue, nor the protocol library', () => {
    const loaded = loadedByNode('./lib/index.ts')
    expect(loaded.some((file) => file.endsWith('lib/index.ts'))).to.equal(true)
    expect(providersIn(loaded)).to.deep.equal([])
    expect(loaded.filter((file) => file.includes('/openid-client/'))).to.deep.equal([])
  })
})
