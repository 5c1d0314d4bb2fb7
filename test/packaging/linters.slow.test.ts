import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { expect } from 'chai'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { packed } from '../support/packed.js'

/** Entries for frameworks that are ES modules themselves. `require` of Node loads them; old compilers do not find them. */
const ES_MODULES = ['./sveltekit', './solid-start', './solid-start/client', './qwik', './qwik/client']

describe('the packed package, as others judge it', function () {
  this.timeout(120_000)

  let tarball: Buffer

  before(async () => {
    tarball = readFileSync((await packed()).tarball)
  })

  it('has types that fit its code, for every way in which TypeScript finds packages (arethetypeswrong)', async () => {
    const report = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)), {
      includeEntrypoints: ['providers/github', 'providers/keycloak', 'providers/google'],
    })
    if (report.types === false) throw new Error('The package has no types.')
    expect(Object.keys(report.entrypoints)).to.include.members(['.', './providers/github', './providers/credentials'])
    const problems = report.problems.map((problem) => ({
      kind: problem.kind,
      entry: 'entrypoint' in problem ? problem.entrypoint : '',
    }))
    expect(problems.filter(({ entry }) => !ES_MODULES.includes(entry))).to.deep.equal([])
    for (const { kind } of problems) expect(kind).to.be.oneOf(['NoResolution', 'CJSResolvesToESM'])
  })

  it('has a manifest without a fault (publint)', async () => {
    const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).to.deep.equal([])
  })
})
